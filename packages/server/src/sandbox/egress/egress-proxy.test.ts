import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EgressGate, openEgress, removeDeadGates } from './egress-proxy.ts';

describe('the proxy of a sandbox', () => {
  let gate: EgressGate;
  let port: number;
  const web = createServer((incoming, answer) => answer.end(`${incoming.headers.host} ${incoming.url}`));
  const addresses: Record<string, readonly string[]> = { 'web.test': ['127.0.0.1'], 'inner.test': ['10.0.0.1'] };

  beforeEach(async () => {
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', () => resolve()));
    ({ port } = web.address() as AddressInfo);
    gate = await openEgress(
      { mode: 'hosts', hosts: [`web.test:${port}`, `inner.test:${port}`, `gone.test:${port}`, 'web.test:9'] },
      {
        resolve: async (host) => addresses[host] ?? Promise.reject(new Error('no such name')),
        isAllowedAddress: (address) => address === '127.0.0.1',
      },
    );
  });
  afterEach(async () => {
    await gate.close();
    web.close();
  });

  const plain = (path: string, headers = {}, { socketPath } = gate): Promise<string> =>
    new Promise((resolve, reject) => {
      const call = request({ socketPath, path, headers }, (answer) => {
        let text = `${answer.statusCode} `;
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve(text.trim()));
      });
      call.on('error', reject);
      call.end();
    });

  const tunnel = (authority: string, thenSay: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(gate.socketPath);
      let text = '';
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (text.endsWith('Established\r\n\r\n')) socket.write(thenSay);
      });
      socket.on('close', () => resolve(text));
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`);
    });

  it('forwards plain requests under the name that was checked', async () => {
    expect(await plain(`http://web.test:${port}/a?b=c`, { host: 'other.test' })).toBe(`200 web.test:${port} /a?b=c`);
  });

  it('tunnels to allowed hosts', async () => {
    const answer = await tunnel(`web.test:${port}`, 'GET /t HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n');
    expect(answer).toContain('web.test /t');
  });

  it('refuses what is not listed, has no public address, no address at all, or does not answer', async () => {
    expect(await plain('http://other.test/')).toBe('403 this sandbox may not reach other.test:80');
    expect(await plain(`http://inner.test:${port}/`)).toBe('403 inner.test is not a public address');
    expect(await plain(`http://gone.test:${port}/`)).toBe('502 gone.test has no address');
    expect(await plain('http://web.test:9/')).toBe('502 the destination could not be reached');
    expect(await plain('/')).toBe('400 not a destination');
    expect(await tunnel('other.test:443', '')).toContain('403 Refused');
    expect(await tunnel('127.0.0.1:443', '')).toContain('this sandbox may not reach 127.0.0.1:443');
    expect(await tunnel('nonsense', '')).toContain('400 Refused');
    expect(await tunnel('web.test:9', '')).toContain('502 Refused');
  });

  /** A server of the network that answers with exactly these bytes, and a proxy that reaches it. */
  const foreign = async (text: string | Buffer) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(text));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const to = `web.test:${(server.address() as AddressInfo).port}`;
    const open = await openEgress(
      { mode: 'public' },
      { resolve: async () => ['127.0.0.1'], isAllowedAddress: () => true },
    );
    const end = async (): Promise<void> => {
      await open.close();
      server.close();
    };
    return { to, open, end };
  };

  it.each([
    ['000 X\r\n\r\n', '502 the answer of the destination is malformed'],
    ['200 OK\r\nTrailer: a\r\nContent-Length: 2\r\n\r\nok', '200 ok'],
  ])('survives an answer that breaks the rules: %j', async (text, wanted) => {
    const { to, open, end } = await foreign(`HTTP/1.1 ${text}`);
    expect(await plain(`http://${to}/`, {}, open)).toBe(wanted);
    await end();
  });

  it('hands on what a client says with its request for a tunnel, and all of a long answer to a slow one', async () => {
    const long = Buffer.alloc(3_000_000, 'x');
    const { to, open, end } = await foreign(long);
    const socket = connect(open.socketPath);
    socket.pause();
    socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: x\r\n\r\nat once`);
    let received = 0;
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    // One piece in each turn of the event loop: the rest waits in the proxy when the server is done.
    socket.on('readable', () => {
      const piece = socket.read(65_536) ?? socket.read();
      received += piece?.length ?? 0;
    });
    await closed;
    expect(received).toBe(long.length + 'HTTP/1.1 200 Connection Established\r\n\r\n'.length);
    await end();
  });

  it('shares no connection to a server with the proxy of another sandbox', async () => {
    const sockets = new Set<unknown>();
    web.on('connection', (socket) => sockets.add(socket));
    await plain(`http://web.test:${port}/1`);
    await plain(`http://web.test:${port}/2`);
    expect(sockets.size).toBe(2);
  });

  it('goes with its folder; the folder of a process that was killed is removed later', async () => {
    const dead = mkdtempSync(join(tmpdir(), 'svc-egress-'));
    const listener = spawnSync(process.execPath, [
      '-e',
      `require('node:net').createServer().listen(${JSON.stringify(join(dead, 's'))}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    expect([listener.signal, existsSync(join(dead, 's'))]).toEqual(['SIGKILL', true]);
    await removeDeadGates();
    expect([existsSync(dead), existsSync(gate.socketPath)]).toEqual([false, true]);
    await gate.close();
    expect(existsSync(dirname(gate.socketPath))).toBe(false);
  });

  it('ends open tunnels when it closes', async () => {
    const silent = createTcpServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()));
    const at = (silent.address() as AddressInfo).port;
    const open = await openEgress(
      { mode: 'public' },
      { resolve: async () => ['127.0.0.1'], isAllowedAddress: () => true },
    );
    const socket = connect(open.socketPath);
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    await new Promise<void>((resolve) => {
      socket.once('data', () => resolve());
      socket.write(`CONNECT web.test:${at} HTTP/1.1\r\n\r\n`);
    });
    await open.close();
    await closed;
    silent.close();
  });
});
