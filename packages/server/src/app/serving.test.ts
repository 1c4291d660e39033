import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../transport/testing/self-signed.ts';
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

describe('TLS of server.tls.*', () => {
  /** Two files and the settings that name them; `write` replaces what is in them. */
  const files = () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-tls-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const flags = { 'server.tls.cert': join(dir, 'cert.pem'), 'server.tls.key': join(dir, 'key.pem') };
    const write = (pair: { readonly cert: string; readonly key: string }): void => {
      writeFileSync(flags['server.tls.cert'], pair.cert);
      writeFileSync(flags['server.tls.key'], pair.key);
    };
    return { flags, write };
  };

  /** Fingerprint of the certificate that a new connection is shown, which is offered HTTP/2 always. */
  const shown = async (app: AppUnderTest): Promise<string> => {
    const ALPNProtocols = ['h2', 'http/1.1'];
    const socket = connectTls({ host: '127.0.0.1', port: app.port, rejectUnauthorized: false, ALPNProtocols });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    expect(socket.alpnProtocol).toBe('h2');
    socket.destroy();
    return fingerprint256;
  };

  it('serves the certificate of the files, and another one once it is read again', async () => {
    const { flags, write } = files();
    write(selfSigned());
    await using app = await AppUnderTest.start(flags);
    expect(app.url).toBe(`https://127.0.0.1:${app.port}`);
    const call = requestTls(`${app.url}/readyz`, { rejectUnauthorized: false }).end();
    const [answer] = await once(call, 'response');
    answer.resume();
    const first = await shown(app);
    write(selfSigned());
    const still = await shown(app);
    app.renewTls();
    const renewed = await shown(app);
    expect([answer.statusCode, still === first, renewed === first]).toEqual([200, true, false]);
    write({ ...selfSigned(), key: 'no key' });
    expect(() => app.renewTls()).toThrow(expect.objectContaining({ reason: 'TLS_UNUSABLE' }));
    expect(await shown(app)).toBe(renewed);
  });

  it('stops the start with files that are missing or do not belong together, and says which', async () => {
    const { flags, write } = files();
    const start = (): Promise<AppUnderTest> => AppUnderTest.start(flags);
    const refused = (text: string) => ({
      ...{ code: 'FAILED_PRECONDITION', reason: 'TLS_UNUSABLE' },
      message: expect.stringContaining(text),
    });
    await expect(start()).rejects.toMatchObject(refused(`server.tls.cert: ${flags['server.tls.cert']} cannot be read`));
    write({ cert: selfSigned().cert, key: selfSigned().key });
    await expect(start()).rejects.toMatchObject(refused('are not a certificate with its key'));
  });

  it('is nothing to be read again in cleartext', async () => {
    await using app = await AppUnderTest.start();
    app.renewTls();
    expect((await app.rest.fetch('/readyz')).status).toBe(200);
  });
});

describe('a shutdown (API-2)', () => {
  it('turns readiness off, ends streams with their cursor, refuses new work and finishes what runs', async () => {
    await using app = await AppUnderTest.start({ 'server.drainSeconds': '20' });
    const { rest } = app;
    const session = await rest.session('helper', {});
    const reader = await EventReader.open(rest, `${session}/stream`);
    const waiting = rest.call(`POST ${session}/message`, { message: `!say a\n${gate(1)}\n!say b`, waitSeconds: 30 });
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
    const waiting = rest.call(`POST ${session}/message`, { message: gate(1), waitSeconds: 30 });
    await app.clock.reached(1);
    await app.close();
    expect(await waiting).toMatchObject({ status: 200, body: { reply: '', turnState: 'TURN_STATE_QUEUED' } });
  });
});
