import { connect } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { GatewayService, SendMessageResponseSchema } from '@svc/api/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import { Fault, type FaultCode } from '../base/index.ts';
import type { HttpRoute } from '../operations/index.ts';
import type { TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { FAULT_CODES } from './faults/index.ts';
import { serverStream, unary } from './testing/declared.ts';
import { getAgent, testConfig, testParts } from './testing/transport-parts.ts';

const AGENT = '/v1/ns/default/agents/helper';
const MESSAGE = '/v1/ns/n/agents/a/sessions/s/message';
const STREAM = '/v1/ns/n/agents/a/sessions/s/stream';
const auth = { authorization: 'Bearer good' };
const json = { ...auth, 'content-type': 'application/json' };
const codes = Object.keys(FAULT_CODES) as FaultCode[];
const text = 'zu früh: 100 % "voll"\n';

let server: TransportServer | undefined;

afterEach(async () => {
  await server?.close();
});

const raise = (code: string): never => {
  throw new Fault(code as FaultCode, 'TEST', text, { retryAfterMs: 2500 });
};

const sendMessage = unary(GatewayService.method.sendMessage, async ({ message }) =>
  message === '' ? create(SendMessageResponseSchema) : raise(message),
);
const stream = serverStream(GatewayService.method.streamSessionParts, async ({ turnId }) => raise(turnId));
const plain: HttpRoute = {
  method: 'GET',
  pattern: '/v1/ui/events',
  authenticated: true,
  handle: async (exchange) => raise(exchange.query.get('code') ?? ''),
};

const start = async (requestBytes = 1000): Promise<string> => {
  const config = { ...testConfig, requestBytes };
  server = await createTransport(testParts({ config, operations: [getAgent, sendMessage, stream], routes: [plain] }));
  return `http://127.0.0.1:${server.port}`;
};

interface Body {
  readonly error: { readonly code: number; readonly status: string; readonly details: Record<string, unknown>[] };
}

/** Headers that every refusal over REST carries, checked against its body. */
const expectRefusal = async (answer: Response, code: FaultCode, status: number): Promise<Body> => {
  const body = (await answer.json()) as Body;
  expect([answer.status, body.error.code, body.error.status]).toEqual([status, status, code]);
  expect(answer.headers.get('grpc-status')).toBe(String(FAULT_CODES[code].grpc));
  expect(decodeURIComponent(answer.headers.get('grpc-message') ?? '')).not.toBe('');
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="svc"' : null);
  expect(body.error.details[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'svc' });
  expect(body.error.details.some((detail) => 'fieldViolations' in detail)).toBe(code === 'INVALID_ARGUMENT');
  return body;
};

describe('every fault over HTTP', () => {
  test.each(codes)('%s has its status, gRPC headers and wait, on calls, streams and plain routes', async (code) => {
    const base = await start();
    for (const answer of [
      await fetch(base + MESSAGE, { method: 'POST', headers: json, body: JSON.stringify({ message: code }) }),
      await fetch(`${base}${STREAM}?turnId=${code}`, { headers: auth }),
      await fetch(`${base}/v1/ui/events?code=${code}`, { headers: auth }),
    ]) {
      const body = await expectRefusal(answer, code, FAULT_CODES[code].http);
      expect(decodeURIComponent(answer.headers.get('grpc-message') ?? '')).toBe(text);
      expect(answer.headers.get('retry-after')).toBe('3');
      expect(body.error.details.at(-1)).toEqual({
        '@type': 'type.googleapis.com/google.rpc.RetryInfo',
        retryDelay: '2.5s',
      });
    }
  });

  test('asks for credentials on Connect too, and says when to come again', async () => {
    const base = await start();
    const post = (headers: Record<string, string>, body: object) =>
      fetch(`${base}/svc.gateway.GatewayService/SendMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const stranger = await post({}, {});
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="svc"']);
    expect((await post(auth, { message: 'UNAVAILABLE' })).headers.get('retry-after')).toBe('3');
  });
});

describe('a fault that is too large for its answer', () => {
  const long = 'ä'.repeat(100_000);
  const fault = (count: number, more: object = {}): Fault =>
    new Fault('INVALID_ARGUMENT', 'TEST', `zu lang: ${long}`, {
      metadata: { name: long },
      violations: Array.from({ length: count }, (_, index) => ({ field: `f${index}`, description: long, reason: 'R' })),
      retryAfterMs: 1000,
      ...more,
    });

  const refuseWith = async (thrown: Fault): Promise<string> => {
    const operation = unary(GatewayService.method.sendMessage, async () => {
      throw thrown;
    });
    server = await createTransport(testParts({ config: testConfig, operations: [getAgent, operation] }));
    return `http://127.0.0.1:${server.port}`;
  };

  test('is clipped in the body and in the headers over REST', async () => {
    const base = await refuseWith(fault(1000));
    const answer = await fetch(base + MESSAGE, { method: 'POST', headers: json, body: '{}' });
    const { error } = await expectRefusal(answer, 'INVALID_ARGUMENT', 400);
    expect(error.details[0]).toMatchObject({ reason: 'TEST', metadata: { name: `${'ä'.repeat(399)}…` } });
    const { fieldViolations } = error.details[1] as { fieldViolations: object[] };
    expect([fieldViolations.length, fieldViolations[199]]).toEqual([
      200,
      { field: 'f199', description: `${'ä'.repeat(399)}…`, reason: 'R' },
    ]);
  });

  test.each([
    ['gRPC', createGrpcTransport],
    ['gRPC-web', createGrpcWebTransport],
  ] as const)('keeps code, reason and the first faults over %s', async (_name, makeTransport) => {
    for (const cause of [undefined, create(SendMessageResponseSchema, { reply: long })]) {
      const baseUrl = await refuseWith(fault(1000, { cause }));
      const client = createClient(GatewayService, makeTransport({ baseUrl, httpVersion: '2' }));
      const error = await client
        .sendMessage({}, { headers: auth })
        .catch((thrown: unknown) => ConnectError.from(thrown));
      if (!(error instanceof ConnectError)) throw new Error('was not refused');
      expect([error.code, error.rawMessage.length]).toEqual([Code.InvalidArgument, 800]);
      const details = error.details as { type: string; value: Uint8Array }[];
      expect(details.map(({ type }) => type)).toEqual([
        'google.rpc.ErrorInfo',
        'google.rpc.BadRequest',
        'google.rpc.RetryInfo',
      ]);
      expect(Buffer.from(details[1]?.value ?? []).toString()).toContain('f0');
      expect(details.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThan(6 * 1024);
      await server?.close();
    }
  });
});

describe('every refusal of HTTP itself', () => {
  test('405 names what is allowed, on REST, Connect, gRPC and gRPC-web', async () => {
    const base = await start();
    const wrong = await fetch(base + AGENT, { method: 'PATCH', headers: auth });
    expect(wrong.headers.get('allow')).toBe('GET, PUT, HEAD, OPTIONS');
    await expectRefusal(wrong, 'UNIMPLEMENTED', 405);
    const rpc = `${base}/svc.gateway.GatewayService/GetAgent`;
    const web = await fetch(rpc, { method: 'PUT', headers: { 'content-type': 'application/grpc-web' }, body: 'x' });
    expect(web.headers.get('allow')).toBe('POST');
    await expectRefusal(web, 'UNIMPLEMENTED', 405);
    const get = await fetch(`${base}/svc.gateway.GatewayService/SendMessage?connect=v1`, { headers: auth });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('406, 413, 414, 415 and 505 have the body of any other fault', async () => {
    const base = await start();
    const post = (type: string, body: string) =>
      fetch(base + MESSAGE, { method: 'POST', headers: { ...auth, 'content-type': type }, body });
    await expectRefusal(
      await fetch(base + AGENT, { headers: { ...auth, accept: 'text/html' } }),
      'INVALID_ARGUMENT',
      406,
    );
    await expectRefusal(await post('application/json', 'x'.repeat(1001)), 'RESOURCE_EXHAUSTED', 413);
    await expectRefusal(await fetch(`${base}/${'x'.repeat(9000)}`), 'RESOURCE_EXHAUSTED', 414);
    const text = await post('text/plain', '{}');
    expect(text.headers.get('accept-post')).toBe('application/json');
    await expectRefusal(text, 'INVALID_ARGUMENT', 415);
    const rpc = `${base}/svc.gateway.GatewayService/GetAgent`;
    const grpc = (type: string) =>
      fetch(rpc, { method: 'POST', headers: { ...auth, 'content-type': type }, body: 'x' });
    await expectRefusal(await grpc('application/grpc-web+xml'), 'INVALID_ARGUMENT', 415);
    await expectRefusal(await grpc('application/grpc'), 'UNIMPLEMENTED', 505);
  });

  test('what is no request at all is answered like the rest', async () => {
    const base = await start();
    const send = (bytes: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let answer = '';
        const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(bytes));
        socket.on('data', (piece) => {
          answer += String(piece);
        });
        socket.on('close', () => resolve(answer)).on('error', reject);
      });
    const broken = await send('HELLO WORLD\r\n\r\n');
    expect(broken).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(broken).toMatch(/\r\ngrpc-status: 3\r\n/);
    expect(broken).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    const large = await send(`GET ${AGENT} HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(60_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1\.1 431 .*\r\ngrpc-status: 8\r\n.*\r\n\r\n\{"error":\{"code":431,/s);
  });

  test('a preflight has a request id', async () => {
    const answer = await fetch((await start()) + AGENT, { method: 'OPTIONS', headers: { 'x-request-id': 'mine' } });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([204, 'mine']);
  });

  test('a Connect stream whose message is declared too large ends with the fault', async () => {
    const client = createClient(
      GatewayService,
      createConnectTransport({ baseUrl: await start(10), httpVersion: '1.1' }),
    );
    const answers = client.streamSessionParts({ sessionId: 'x'.repeat(100) }, { headers: auth });
    await expect(answers[Symbol.asyncIterator]().next()).rejects.toThrow('[resource_exhausted]');
  });
});
