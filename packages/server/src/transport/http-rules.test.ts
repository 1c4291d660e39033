import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  GatewayService,
  GetAgentRequestSchema,
  GetAgentResponseSchema,
  type SendMessageRequest,
  SendMessageResponseSchema,
} from '@svc/api/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import { Fault, type ManualClock } from '../base/index.ts';
import type { HttpRoute } from '../operations/index.ts';
import type { TransportConfig, TransportParts, TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { unary } from './testing/declared.ts';
import { selfSigned } from './testing/self-signed.ts';
import { getAgent, testConfig, testParts } from './testing/transport-parts.ts';
import { until } from './testing/until.ts';

let server: TransportServer | undefined;
let clock: ManualClock;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (more: Partial<TransportParts> = {}, config: Partial<TransportConfig> = {}): Promise<string> => {
  const parts = testParts({ ...more, config: { ...testConfig, ...config } });
  clock = parts.manual;
  server = await createTransport(parts);
  return `http://127.0.0.1:${server.port}`;
};

const AGENT = '/v1/ns/default/agents/helper';
const MESSAGE = '/v1/ns/n/agents/a/sessions/s/message';
const auth = { authorization: 'Bearer good' };
const json = { ...auth, 'content-type': 'application/json' };

/** Answers with the message it got, as many times as the label `times` says. */
const echo = unary(GatewayService.method.sendMessage, async (request) =>
  create(SendMessageResponseSchema, {
    reply: request.message.repeat(Number(request.labels['times'] ?? 1)),
    sessionId: request.sessionId,
  }),
);

/** Sends bytes as they are and returns everything that came back until the peer closed. */
const raw = (base: string, ...pieces: (string | Buffer)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(new URL(base).port), '127.0.0.1');
    const answer: Buffer[] = [];
    socket.on('data', (piece) => answer.push(piece as Buffer));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(answer).toString('latin1')));
    const send = (index: number): void => {
      const piece = pieces[index];
      if (piece !== undefined) socket.write(piece, () => setImmediate(send, index + 1));
    };
    send(0);
  });

const errorOf = async (answer: Response): Promise<{ status: number; code: string; reason: string }> => {
  const { error } = (await answer.json()) as { error: { status: string; details: { reason: string }[] } };
  return { status: answer.status, code: error.status, reason: error.details[0]?.reason ?? '' };
};

describe('statuses that only HTTP knows', () => {
  test('404 for an unknown route, 405 with Allow for a wrong method', async () => {
    const base = await start();
    expect(await errorOf(await fetch(`${base}/v1/nothing`))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      reason: 'ROUTE_UNKNOWN',
    });
    const wrong = await fetch(base + AGENT, { method: 'DELETE', headers: auth });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD, OPTIONS']);
    expect(await errorOf(wrong)).toMatchObject({ code: 'UNIMPLEMENTED' });
  });

  test('406 for an answer nobody can give, 415 for a body nobody can read', async () => {
    const base = await start({ operations: [getAgent, echo] });
    expect((await fetch(base + AGENT, { headers: { ...auth, accept: 'text/html' } })).status).toBe(406);
    expect((await fetch(base + AGENT, { headers: { ...auth, accept: 'text/html, */*;q=0.1' } })).status).toBe(200);
    const post = (type: string) =>
      fetch(base + MESSAGE, { method: 'POST', headers: { ...auth, 'content-type': type }, body: '{}' });
    expect((await post('text/plain')).status).toBe(415);
    expect((await post('application/json; charset=utf-8')).status).toBe(200);
    const packed = await fetch(base + MESSAGE, {
      method: 'POST',
      headers: { ...json, 'content-encoding': 'zstd' },
      body: '{}',
    });
    expect(packed.status).toBe(415);
  });

  test('413, 414 and 431 for what is too large', async () => {
    const base = await start({ operations: [getAgent, echo] }, { requestBytes: 1000 });
    const post = (body: NonNullable<RequestInit['body']>, headers = {}) =>
      fetch(base + MESSAGE, { method: 'POST', headers: { ...auth, ...headers }, body, duplex: 'half' } as RequestInit);
    const large = JSON.stringify({ message: 'x'.repeat(2000) });
    expect(await errorOf(await post(large, { 'content-type': 'application/json' }))).toEqual({
      status: 413,
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
    });
    const chunked = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    expect((await post(chunked, { 'content-type': 'application/json' })).status).toBe(413);
    expect(
      (await post(gzipSync(large), { 'content-encoding': 'gzip', 'content-type': 'application/json' })).status,
    ).toBe(413);
    expect((await fetch(base + MESSAGE, { method: 'POST', body: large })).status).toBe(413);
    expect((await fetch(`${base}/v1/${'x'.repeat(8200)}`)).status).toBe(414);
    expect(
      await errorOf(await fetch(base + AGENT, { headers: { ...auth, 'x-filler': 'x'.repeat(33_000) } })),
    ).toMatchObject({ status: 431, reason: 'TOO_LARGE' });
    expect(await raw(base, `GET ${AGENT} HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(60_000)}\r\n\r\n`)).toContain(
      'HTTP/1.1 431',
    );
  });

  test('505 for gRPC over HTTP/1.1 and 400 for what is no HTTP', async () => {
    const base = await start();
    const answer = await fetch(`${base}/svc.gateway.GatewayService/GetAgent`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/grpc' },
      body: 'x',
    });
    expect(answer.status).toBe(505);
    expect(await raw(base, 'HELLO WORLD\r\n\r\n')).toContain('HTTP/1.1 400');
    const nameless = await raw(base, `GET ${AGENT} HTTP/1.1\r\nauthorization: Bearer good\r\n\r\n`);
    expect(nameless).toMatch(/^HTTP\/1\.1 400 /);
    expect(nameless).toContain('x-request-id: ');
    expect(nameless).toContain('"status":"INVALID_ARGUMENT"');
    const head = 'host: a\r\nauthorization: Bearer good\r\nconnection: close\r\n';
    expect(await raw(base, `GET ${AGENT} HTTP/1.1\r\n${head}expect: a-miracle\r\n\r\n`)).toContain('200 OK');
  });

  test('401 with WWW-Authenticate, and statuses of faults in the gRPC headers', async () => {
    const base = await start();
    const answer = await fetch(base + AGENT);
    expect([answer.status, answer.headers.get('www-authenticate'), answer.headers.get('grpc-status')]).toEqual([
      401,
      'Bearer realm="svc"',
      '16',
    ]);
    const fine = await fetch(base + AGENT, { headers: auth });
    expect([fine.headers.get('grpc-status'), fine.headers.get('content-type')]).toEqual(['0', 'application/json']);
  });
});

describe('a request', () => {
  test('is read however its bytes are cut, over HTTP/1.1', async () => {
    const base = await start({ operations: [echo] });
    const body = '{"message":"hü"}';
    const head = `POST ${MESSAGE} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const bytes = Buffer.from(head + body);
    const cuts = [
      ...Array.from({ length: 30 }, (_, index) => index + 1),
      ...Array.from({ length: 17 }, (_, index) => bytes.length - 17 + index),
    ];
    const answers = await Promise.all(cuts.map((cut) => raw(base, bytes.subarray(0, cut), bytes.subarray(cut))));
    for (const answer of answers) expect(Buffer.from(answer, 'latin1').toString()).toContain('"reply":"hü"');
  });

  test('is read however its body is cut, over gRPC', async () => {
    const base = await start();
    const session = connectHttp2(base);
    const message = toBinary(GetAgentRequestSchema, create(GetAgentRequestSchema, { ns: 'default', name: 'helper' }));
    const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
    const call = (cut: number): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': '/svc.gateway.GatewayService/GetAgent',
          'content-type': 'application/grpc',
          te: 'trailers',
          ...auth,
        });
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('trailers', (trailers) =>
          trailers['grpc-status'] === '0' ? resolve(Buffer.concat(pieces)) : reject(new Error('status')),
        );
        stream.on('error', reject);
        stream.write(frame.subarray(0, cut), () => setImmediate(() => stream.end(frame.subarray(cut))));
      });
    for (let cut = 0; cut <= frame.length; cut++) {
      const answer = await call(cut);
      expect(fromBinary(GetAgentResponseSchema, answer.subarray(5)).agent?.metadata?.name).toBe('helper');
    }
    session.destroy();
  });

  test('may be packed, and so may its answer', async () => {
    const base = await start({ operations: [echo] });
    const body = gzipSync(JSON.stringify({ message: 'abc', labels: { times: '2000' } }));
    for (const encoding of ['gzip', 'br']) {
      const headers = {
        ...auth,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'accept-encoding': encoding,
      };
      const answer = await fetch(base + MESSAGE, { method: 'POST', headers, body });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(await answer.json()).toMatchObject({ reply: 'abc'.repeat(2000) });
    }
    const plain = await fetch(base + MESSAGE, {
      method: 'POST',
      headers: { ...json, 'accept-encoding': 'identity' },
      body: '{"message":"x","labels":{"times":"3000"}}',
    });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const damaged = await fetch(base + MESSAGE, {
      method: 'POST',
      headers: { ...json, 'content-encoding': 'gzip' },
      body: 'nope',
    });
    expect(damaged.status).toBe(400);
  });

  test('keeps a printable request id and replaces any other', async () => {
    const base = await start();
    const idFor = async (id: string): Promise<string | null> =>
      (await fetch(base + AGENT, { headers: { ...auth, 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('my id-1')).toBe('my id-1');
    expect(await idFor('x'.repeat(128))).toBe('x'.repeat(128));
    expect(await idFor('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('\u00fc')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('carries an idempotency key of at most 255 printable characters', async () => {
    const keys: string[] = [];
    const keyed = unary(GatewayService.method.sendMessage, async (_request, context) => {
      keys.push(context.idempotencyKey);
      context.setHeader('Idempotency-Replayed', 'true');
      return {};
    });
    const base = await start({ operations: [{ ...keyed, repeatable: true }] });
    const post = (key: string) =>
      fetch(base + MESSAGE, { method: 'POST', headers: { ...auth, 'idempotency-key': key } });
    expect((await post('k'.repeat(255))).headers.get('idempotency-replayed')).toBe('true');
    expect(await errorOf(await post('k'.repeat(256)))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'FIELD_INVALID',
    });
    expect(keys).toEqual(['k'.repeat(255)]);
  });

  test('is not refused for an idempotency key that its operation ignores', async () => {
    const keys: string[] = [];
    const list = unary(GatewayService.method.listAgents, async (_request, context) => {
      keys.push(context.idempotencyKey);
      return {};
    });
    const base = await start({ operations: [list] });
    const headers = { ...auth, 'idempotency-key': 'k'.repeat(256) };
    expect((await fetch(`${base}/v1/ns/n/agents`, { headers })).status).toBe(200);
    expect(keys).toEqual(['']);
  });

  test('is read from its query, camelCase or snake_case, and refused for what is unknown there', async () => {
    const seen: unknown[] = [];
    const list = unary(GatewayService.method.listAgents, async ({ pageSize, metadataOnly, labelSelector }) => {
      seen.push({ pageSize, metadataOnly, labelSelector });
      return {};
    });
    const base = await start({ operations: [list] });
    const get = (query: string) => fetch(`${base}/v1/ns/n/agents?${query}`, { headers: auth });
    await get('pageSize=5&metadata_only=true&labelSelector=a%3Db+c');
    await get('limit=7');
    expect(seen).toEqual([
      { pageSize: 5, metadataOnly: true, labelSelector: 'a=b c' },
      { pageSize: 7, metadataOnly: false, labelSelector: '' },
    ]);
    expect(await errorOf(await get('nope=1'))).toMatchObject({ status: 400, reason: 'PARAMETER_UNKNOWN' });
    expect(await errorOf(await get('pageSize=x'))).toMatchObject({ reason: 'FIELD_INVALID' });
    expect(await errorOf(await get('metadataOnly=1'))).toMatchObject({ reason: 'FIELD_INVALID' });
    expect(await errorOf(await get('pageSize=1&page_size=2'))).toMatchObject({ reason: 'FIELD_INVALID' });
    expect(await (await get('labelSelector=%zz')).text()).toContain('"field":"labelSelector"');
    expect(await (await get('%zz=1')).text()).toContain('"field":"%zz"');
    expect(await errorOf(await get('ns=other'))).toMatchObject({ reason: 'PATH_BODY_MISMATCH' });
  });

  test('has no body on GET, except an empty object', async () => {
    const base = await start();
    const get = (body: string) =>
      raw(
        base,
        `GET ${AGENT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    expect(await get('{ }')).toContain('200 OK');
    expect(await get('{"a":1}')).toContain('JSON_INVALID');
  });

  test('is answered without body to HEAD', async () => {
    const answer = await fetch((await start()) + AGENT, { method: 'HEAD', headers: auth });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
  });

  test('is authorised after decoding', async () => {
    const base = await start({ operations: [echo] });
    const post = (body: string) =>
      fetch(base + MESSAGE, { method: 'POST', headers: { ...json, authorization: 'Bearer viewer' }, body });
    expect(await errorOf(await post('{'))).toMatchObject({ status: 400, reason: 'JSON_INVALID' });
    expect(await errorOf(await post('{}'))).toMatchObject({ status: 403, reason: 'ROLE' });
  });
});

describe('deadlines', () => {
  const stuck = unary(GatewayService.method.sendMessage, async (request, { signal }) => {
    if (request.message === 'look') void signal.aborted;
    return new Promise(() => undefined);
  });

  test('end a unary call after deadlines.unarySeconds, lengthened by wait_seconds', async () => {
    const entered: string[] = [];
    const waiting = unary(GatewayService.method.sendMessage, async (request, { signal }) => {
      entered.push(request.message);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw signal.reason;
    });
    const waits = (request: SendMessageRequest): number | undefined => request.waitSeconds;
    const base = await start({ operations: [{ ...waiting, waits }] });
    const post = (body: object) => fetch(base + MESSAGE, { method: 'POST', headers: json, body: JSON.stringify(body) });
    const plain = post({ message: 'plain' });
    const long = post({ message: 'long', waitSeconds: 100 });
    await until(() => entered.length === 2);
    clock.advance(60_000);
    expect(await errorOf(await plain)).toEqual({ status: 504, code: 'DEADLINE_EXCEEDED', reason: 'DEADLINE' });
    clock.advance(100_000);
    expect((await long).status).toBe(504);
  });

  test('end a handler that does not listen', async () => {
    let entered = false;
    const deaf = unary(GatewayService.method.sendMessage, async (request, context) => {
      entered = true;
      return stuck.kind === 'unary' ? stuck.handle(request, context) : {};
    });
    const base = await start({ operations: [deaf] });
    const answer = fetch(base + MESSAGE, { method: 'POST', headers: json, body: '{"message":"look"}' });
    await until(() => entered);
    clock.advance(60_000);
    expect((await answer).status).toBe(504);
  });

  test('are shortened by connect-timeout-ms, and malformed ones refused', async () => {
    let entered = 0;
    const counted = unary(GatewayService.method.sendMessage, async () => {
      entered += 1;
      return new Promise(() => undefined);
    });
    const base = await start({ operations: [counted] });
    const post = (timeout: string) =>
      fetch(`${base}/svc.gateway.GatewayService/SendMessage`, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json', 'connect-timeout-ms': timeout },
        body: '{}',
      });
    const answer = post('500');
    await until(() => entered === 1);
    clock.advance(500);
    expect(await (await answer).json()).toMatchObject({ code: 'deadline_exceeded' });
    expect(await (await post('soon')).json()).toMatchObject({ code: 'invalid_argument' });
  });

  test('leave no timer once every call is answered and the clock moved on', async () => {
    const base = await start();
    await (await fetch(base + AGENT, { headers: auth })).text();
    clock.advance(60_000);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('origins and hosts', () => {
  const origins: [string, string, Partial<TransportConfig>, boolean][] = [
    ['a loopback page', 'http://localhost:5173', {}, true],
    ['a loopback page with a name', 'http://app.localhost', {}, true],
    ['a foreign page', 'https://evil.example', {}, false],
    ['a listed page', 'https://app.example', { corsOrigins: ['https://app.example'] }, true],
    ['a page beside the list', 'http://localhost:1', { corsOrigins: ['https://app.example'] }, false],
    [
      'a page that only starts like a listed one',
      'https://app.example.evil',
      { corsOrigins: ['https://app.example'] },
      false,
    ],
    ['any page under a star', 'https://evil.example', { corsOrigins: ['*'] }, true],
    [
      'a page under a star without authentication',
      'https://evil.example',
      { corsOrigins: ['*'], loopbackOnly: true },
      false,
    ],
    ['a sandboxed page', 'null', {}, false],
  ];

  test.each(origins)('%s', async (...row) => {
    const [, origin, config, allowed] = row;
    const base = await start({}, config);
    const answer = await fetch(base + AGENT, { headers: { ...auth, origin } });
    expect(answer.status).toBe(allowed ? 200 : 403);
    expect(answer.headers.get('access-control-allow-origin')).toBe(allowed ? origin : null);
    if (!allowed) expect(await errorOf(answer)).toMatchObject({ code: 'PERMISSION_DENIED', reason: 'ORIGIN' });
  });

  test('the server itself is an origin', async () => {
    const base = await start({}, { corsOrigins: ['https://app.example'] });
    expect((await fetch(base + AGENT, { headers: { ...auth, origin: base } })).status).toBe(200);
  });

  test('behind a trusted proxy, the host that the proxy was asked for is an origin', async () => {
    const headers = { ...auth, origin: 'https://public.example', 'x-forwarded-host': 'public.example' };
    const base = await start({}, { corsOrigins: ['https://app.example'], trustProxy: true });
    expect((await fetch(base + AGENT, { headers })).status).toBe(200);
    await server?.close();
    const other = await start({}, { corsOrigins: ['https://app.example'] });
    expect((await fetch(other + AGENT, { headers })).status).toBe(403);
  });

  test('a preflight names methods, headers and age without credentials', async () => {
    const base = await start();
    const answer = await fetch(base + AGENT, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:1', 'access-control-request-method': 'PUT' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE, OPTIONS');
    expect(answer.headers.get('access-control-allow-headers')).toContain('connect-timeout-ms');
    expect(answer.headers.get('access-control-max-age')).toBe('7200');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await fetch(base + AGENT, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } })).status).toBe(
      403,
    );
  });

  test('exposed headers are named on every answer to a page, faults included', async () => {
    const base = await start();
    const answer = await fetch(base + AGENT, { headers: { origin: 'http://localhost:1' } });
    expect([answer.status, answer.headers.get('access-control-expose-headers')]).toEqual([
      401,
      expect.stringContaining('idempotency-replayed'),
    ]);
  });

  test.each([
    ['localhost:7420', true],
    ['127.0.0.1', true],
    ['127.9.9.9:1', true],
    ['[::1]:7420', true],
    ['svc.localhost', true],
    ['127.999.1.1', false],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['', false],
  ])('without authentication the host %j is served: %s', async (host, served) => {
    const base = await start({}, { loopbackOnly: true });
    const answer = await raw(
      base,
      `GET ${AGENT} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer good\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toContain(served ? '200 OK' : '"reason":"HOST"');
  });
});

describe('the pages beside the operations', () => {
  test('say whether the process lives, is ready, and what it is', async () => {
    let ready = true;
    const check = async (): Promise<void> => {
      if (!ready) throw new Error('down');
    };
    const base = await start({ readiness: [{ name: 'store', check }] });
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    ready = false;
    const failing = await fetch(`${base}/readyz`);
    expect([failing.status, await failing.json()]).toEqual([503, { status: 'failing', failing: ['store'] }]);
    expect(await (await fetch(`${base}/version`, { headers: auth })).json()).toEqual({
      ...{ version: '0.0.0-test', apiVersion: 'svc/v1', schemaVersion: 7 },
    });
    expect((await fetch(`${base}/metrics`)).status).toBe(401);
    expect(await (await fetch(`${base}/metrics`, { headers: auth })).text()).toBe('svc_up 1\n');
    const description = (await (await fetch(`${base}/openapi.json`, { headers: auth })).json()) as { paths: object };
    expect(Object.keys(description.paths)).toContain('/v1/ns/{ns}/agents/{name}');
  });

  test('are mounted with parameters, bodies, streams and faults', async () => {
    const route = (method: HttpRoute['method'], pattern: string, handle: HttpRoute['handle']): HttpRoute => ({
      method,
      pattern,
      authenticated: true,
      handle,
    });
    const routes = [
      route('POST', '/v1/ui/ns/{ns}/x', async (exchange, params, { caller }) => {
        const body = await exchange.body({ bytes: 10 });
        exchange.answer(
          200,
          { 'Content-Type': 'text/plain' },
          `${params['ns']} ${exchange.query.get('q')} ${Buffer.from(body)} ${caller.identity}`,
        );
      }),
      route('GET', '/v1/ui/events', async (exchange, _params, { signal }) => {
        const stream = exchange.stream(200, { 'content-type': 'text/event-stream' }, ': ping\n\n');
        stream.write('data: 1\n\n');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        stream.write('data: bye\n\n');
      }),
      route('GET', '/v1/ui/broken', async () => {
        throw new Fault('NOT_FOUND', 'SESSION_NOT_FOUND', 'no session');
      }),
    ];
    const base = await start({ routes });
    const post = (body: string) => fetch(`${base}/v1/ui/ns/a%3Ab/x?q=1`, { method: 'POST', headers: auth, body });
    expect(await (await post('hello')).text()).toBe('a:b 1 hello token');
    expect((await post('x'.repeat(11))).status).toBe(413);
    expect(await errorOf(await fetch(`${base}/v1/ui/broken`, { headers: auth }))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      reason: 'SESSION_NOT_FOUND',
    });
    expect((await fetch(`${base}/v1/ui/events`)).status).toBe(401);
    const answer = await fetch(`${base}/v1/ui/events`, { headers: auth });
    clock.advance(15_000);
    const drained = server?.drain();
    expect(await answer.text()).toBe('data: 1\n\n: ping\n\ndata: bye\n\n');
    await drained;
  });
});

describe('TLS', () => {
  test('serves HTTP/2 and HTTP/1.1 by ALPN beside cleartext', async () => {
    const base = await start({}, { tls: selfSigned() });
    const port = server?.port ?? 0;
    expect((await fetch(base + AGENT, { headers: auth })).status).toBe(200);
    const status = await new Promise((resolve, reject) => {
      const call = httpsRequest(
        { port, host: '127.0.0.1', path: AGENT, headers: auth, rejectUnauthorized: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      call.on('error', reject);
      call.end();
    });
    expect(status).toBe(200);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':path': AGENT, ...auth });
      stream.on('response', resolve);
      stream.resume();
    });
    expect(headers[':status']).toBe(200);
    session.destroy();
  });
});
