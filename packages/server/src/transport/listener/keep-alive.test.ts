import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportServer } from '../contract.ts';
import { createTransport } from '../create-transport.ts';
import { testConfig, testParts } from '../testing/transport-parts.ts';

let server: TransportServer | undefined;

afterEach(async () => {
  await server?.close();
});

/** What the server promises an idle connection, in seconds. */
const promised = (port: number, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    const call = get({ host: '127.0.0.1', port, path: '/healthz', agent }, (answer: IncomingMessage) => {
      answer.resume().on('end', () => resolve(String(answer.headers['keep-alive'])));
    });
    call.on('error', reject);
  });

describe('a request whose head never ends', () => {
  test('is answered 408 after the deadline of a call, and its connection closed', async () => {
    server = await createTransport(testParts({ config: { ...testConfig, unaryDeadlineMs: 100 } }));
    const socket = connect(server.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (piece) => {
      answer += String(piece);
    });
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*"status":"DEADLINE_EXCEEDED"/s);
  });
});

describe('an idle HTTP/1.1 connection', () => {
  test('is kept for 75 s, for 5 s among a thousand', async () => {
    server = await createTransport(testParts());
    const { port } = server;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await promised(port, agent)).toBe('timeout=75');
    const crowd: Socket[] = [];
    for (let round = 0; round < 10; round++) {
      const some = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
      await Promise.all(some.map((socket) => once(socket, 'connect')));
      crowd.push(...some);
    }
    // Connected is not yet accepted.
    await expect.poll(() => promised(port, agent)).toBe('timeout=5');
    await server.close();
    await Promise.all(crowd.map((socket) => (socket.closed ? undefined : once(socket.destroy(), 'close'))));
    agent.destroy();
  });

  test('ends with the next answer once the server drains, never under a request', async () => {
    server = await createTransport(testParts());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = server;
    const answered = async (): Promise<readonly [unknown, number | undefined]> => {
      const call = get({ host: '127.0.0.1', port, path: '/healthz', agent });
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      const from = answer.socket.localPort;
      answer.resume();
      await once(answer, 'close');
      return [answer.headers.connection, from];
    };
    const [, first] = await answered();
    await server.drain();
    expect(await answered()).toEqual(['close', first]);
    agent.destroy();
  });
});
