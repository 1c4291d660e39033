import { once } from 'node:events';
import { get } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportConfig, TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { selfSigned } from './testing/self-signed.ts';
import { testConfig, testParts } from './testing/transport-parts.ts';

const AGENT = '/v1/ns/default/agents/helper';
const GOOD = { authorization: 'Bearer good' };

let server: TransportServer | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

const start = async (config: Partial<TransportConfig> = {}): Promise<number> => {
  server = await createTransport(testParts({ config: { ...testConfig, ...config } }));
  return server.port;
};

/** Status of one request on the session; rejects when the session is ended under it. */
const call = async (session: ClientHttp2Session, headers: Readonly<Record<string, string>> = {}): Promise<unknown> => {
  const stream = session.request({ ':path': AGENT, ...headers });
  const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
  stream.resume();
  if (!stream.closed) await once(stream, 'close');
  return head[':status'];
};

/** Calls without a credential until one fails, at most `most`; how many were answered. */
const callUntilCut = async (session: ClientHttp2Session, most: number): Promise<number> => {
  for (let calls = 0; calls < most; calls++) {
    const status = await call(session).catch(() => 'cut');
    if (status === 'cut') return calls;
    expect(status).toBe(401);
  }
  return most;
};

describe.each(['cleartext', 'TLS'])('an HTTP/2 connection over %s', (layer) => {
  const open = async (): Promise<ClientHttp2Session> => {
    const tls = layer === 'TLS' ? { tls: selfSigned() } : {};
    const port = await start(tls);
    const session = connect(`${layer === 'TLS' ? 'https' : 'http'}://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    await once(session, 'remoteSettings');
    return session;
  };

  test('has 100 streams and then 300 requests until it shows a valid credential', async () => {
    const session = await open();
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
    expect(await callUntilCut(session, 1000)).toBe(300);
    expect(session.destroyed || session.closed).toBe(true);
  });

  test('has all its streams and requests afterwards', async () => {
    const session = await open();
    const raised = once(session, 'remoteSettings');
    expect(await call(session, GOOD)).toBe(200);
    await raised;
    expect(session.remoteSettings.maxConcurrentStreams).toBe(10_000);
    expect(await callUntilCut(session, 400)).toBe(400);
    session.destroy();
  });
});

describe('connections of one address', () => {
  const openTcp = async (port: number): Promise<Socket> => {
    const socket = connectTcp(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const REQUEST = `GET ${AGENT} HTTP/1.1\r\nhost: localhost\r\n`;

  test('are answered 503 above their limit, unless a credential was valid', async () => {
    const port = await start({ connectionsPerAddress: 2 });
    const [first] = [await openTcp(port), await openTcp(port)];
    const third = await openTcp(port);
    let refusal = '';
    third.on('data', (piece: Buffer) => {
      refusal += String(piece);
    });
    await once(third, 'close');
    expect(refusal).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(refusal).toContain('retry-after: 5\r\n');
    expect(JSON.parse(refusal.slice(refusal.indexOf('\r\n\r\n') + 4))).toMatchObject({
      error: { status: 'UNAVAILABLE', message: expect.stringContaining('as many connections as it takes') },
    });
    first?.write(`${REQUEST}authorization: Bearer good\r\n\r\n`);
    const [answer] = (await once(first as Socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    const request = get({ port, host: '127.0.0.1', path: '/healthz', agent: false });
    const [health] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }];
    health.resume();
    expect(health.statusCode).toBe(200);
  });

  test.each([{ loopbackOnly: true }, { trustProxy: true }])('have no limit of their own with %j', async (config) => {
    const port = await start({ connectionsPerAddress: 2, ...config });
    const all = await Promise.all(Array.from({ length: 10 }, () => openTcp(port)));
    const last = all.at(-1) as Socket;
    last.write(`${REQUEST}authorization: Bearer good\r\n\r\n`);
    const [answer] = (await once(last, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
