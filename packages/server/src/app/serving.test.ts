import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, EventReader, gate } from './testing/index.ts';

describe('the port (API-2)', () => {
  const app = AppUnderTest.ofSuite();
  const { rest } = app;
  beforeAll(async () => {
    await rest.ok('POST /v1/ns/default/agents', { name: 'helper', spec: { systemPrompt: 'x'.repeat(5000) } });
  });

  /** The bytes of an answer as they came, which `fetch` unpacks. */
  const raw = async (path: string, headers: Record<string, string>) => {
    const sent = request(`${app.url}${path}`, { headers }).end();
    const [answer] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { encoding: answer.headers['content-encoding'] as string | undefined, body: Buffer.concat(chunks) };
  };

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('packs an answer with %s when asked', async (encoding, unpack) => {
    const path = '/v1/ns/default/agents/helper';
    const packed = await raw(path, { 'accept-encoding': encoding });
    const plain = await raw(path, {});
    expect([packed.encoding, plain.encoding]).toEqual([encoding, undefined]);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect(unpack(packed.body).toString()).toBe(plain.body.toString());
  });

  it('reads a packed body', async () => {
    const answer = await rest.fetch('/v1/ns/default/agents', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ name: 'packed' })),
    });
    expect(answer.status).toBe(200);
  });

  it('serves many calls on one connection', async () => {
    const socket = connect(app.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const call = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
    for (let calls = 1; calls <= 3; calls += 1) {
      socket.write(call);
      while (text.split('HTTP/1.1 200').length <= calls) await once(socket, 'data');
    }
    socket.destroy();
    expect(text).not.toMatch(/connection: close/i);
  });

  it('takes as many HTTP/2 streams on a connection as the configuration says', async () => {
    const session = connectHttp2(app.url);
    const [settings] = (await once(session, 'remoteSettings')) as [{ readonly maxConcurrentStreams?: number }];
    expect(settings.maxConcurrentStreams).toBe(10_000);
    session.close();
  });

  it('answers health, readiness, version and metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/version', '/metrics', '/openapi.json'])
      expect([path, (await rest.fetch(path)).status]).toEqual([path, 200]);
    const { components } = (await (await rest.fetch('/openapi.json')).json()) as {
      components: { securitySchemes: object };
    };
    expect(Object.keys(components.securitySchemes)).toEqual(['bearer', 'basic', 'apiKey']);
  });
});

describe('a shutdown (API-2)', () => {
  it('turns readiness off, ends streams with their cursor, refuses new work and finishes what runs', async () => {
    await using app = await AppUnderTest.start({ 'server.drainSeconds': '20' });
    const { rest } = app;
    const session = await rest.session('helper', {});
    const reader = await EventReader.open(rest, `${session}/stream`);
    const waiting = rest.call(`POST ${session}/message`, { message: `!say a\n${gate(1)}\n!say b`, waitSeconds: 20 });
    await app.clock.reached(1);
    await reader.until((event) => event.part?.content === 'a');
    const idle = connect(app.port, '127.0.0.1');
    await once(idle, 'connect');
    const closing = app.close();
    const ended = (await reader.rest()).at(-1);
    expect(ended?.error).toMatchObject({ status: 'UNAVAILABLE', details: [{ reason: 'SHUTTING_DOWN' }] });
    expect(JSON.stringify(ended?.error)).toContain('"cursor"');
    idle.write('GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    const [answer] = (await once(idle, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 503/);
    await app.clock.open(1);
    expect(await waiting).toMatchObject({ status: 200, body: { reply: 'ab' } });
    await closing;
  });

  it('answers a waiting call with the state so far when its turn is handed over', async () => {
    await using app = await AppUnderTest.start({ 'server.drainSeconds': '1' });
    const { rest } = app;
    const session = await rest.session('helper', {});
    const waiting = rest.call(`POST ${session}/message`, { message: gate(1), waitSeconds: 20 });
    await app.clock.reached(1);
    await app.close();
    expect(await waiting).toMatchObject({ status: 200, body: { reply: '', turnState: 'TURN_STATE_QUEUED' } });
  });
});
