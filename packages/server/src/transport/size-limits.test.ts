import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { GatewayService, SendMessageRequestSchema, SendMessageResponseSchema } from '@svc/api/gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpRoute } from '../operations/index.ts';
import type { TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { serverStream, unary } from './testing/declared.ts';
import { getAgent, testConfig, testParts } from './testing/transport-parts.ts';

const BODY_BYTES = 1000;
const UI_BYTES = 2000;
const { urlBytes: URL_BYTES, headerBytes: HEADER_BYTES } = testConfig;
const SEND = '/svc.gateway.GatewayService/SendMessage';
const STREAM = '/svc.gateway.GatewayService/StreamSessionParts';
const MESSAGE = '/v1/ns/n/agents/a/sessions/s/message';
const auth = { authorization: 'Bearer good' };

const echo = unary(GatewayService.method.sendMessage, async () => create(SendMessageResponseSchema));
const stream = serverStream(GatewayService.method.streamSessionParts, async () => undefined);
const browser: HttpRoute = {
  method: 'POST',
  pattern: '/v1/ui/x',
  authenticated: true,
  handle: async (exchange) => {
    await exchange.body({ bytes: UI_BYTES, setting: 'limits.uiRequestBytes' });
    exchange.answer(200, {});
  },
};

let server: TransportServer;
let base = '';
beforeAll(async () => {
  const config = { ...testConfig, requestBytes: BODY_BYTES };
  server = await createTransport(testParts({ config, operations: [getAgent, echo, stream], routes: [browser] }));
  base = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.close());

const message = toBinary(SendMessageRequestSchema, create(SendMessageRequestSchema, { message: 'x'.repeat(5000) }));
const json = JSON.stringify({ message: 'x'.repeat(5000) });
const frame = (data: Uint8Array, flags = 0): Buffer<ArrayBuffer> => {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
};

/** Everything that the answer to a request over HTTP/1.1 says, its headers included. */
const post = async (path: string, contentType: string, init: RequestInit = {}): Promise<string> => {
  const headers = { ...auth, 'content-type': contentType, ...init.headers };
  const answer = await fetch(base + path, { method: 'POST', ...init, headers });
  const words = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  return [answer.status, ...words, await answer.text()].join('\n');
};

/** The headers and trailers of the answer to a call over gRPC. */
const grpc = (body: Uint8Array, more: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const session = connectHttp2(base);
    const said: string[] = [];
    const fixed = { ':method': 'POST', ':path': SEND, 'content-type': 'application/grpc', te: 'trailers' };
    const stream = session.request({ ...fixed, ...auth, ...more });
    const note = (headers: object): void => {
      said.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`));
    };
    stream.on('response', note).on('trailers', note).on('error', reject).resume();
    stream.on('close', () => {
      session.close();
      resolve(said.join('\n'));
    });
    stream.end(body);
  });

/** What comes back for bytes that are sent as they are. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const answer: string[] = [];
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (piece) => answer.push(String(piece)));
    socket.on('close', () => resolve(answer.join(''))).on('error', reject);
  });

const inPieces = (text: string): RequestInit => ({ body: new Blob([text]).stream(), duplex: 'half' }) as RequestInit;
const packed = { body: gzipSync(json), headers: { 'content-encoding': 'gzip' } };
const gzipped = { 'grpc-encoding': 'gzip' };
const filler = { 'x-filler': 'x'.repeat(HEADER_BYTES) };
const JSON_TYPE = 'application/json';
const WEB = 'application/grpc-web+proto';
const query = `?${'x'.repeat(URL_BYTES)}`;
const longName = gzipSync(JSON.stringify({ name: 'x'.repeat(5000) })).toString('base64url');
const GET = `/svc.gateway.GatewayService/GetAgent?connect=v1&encoding=json&base64=1&compression=gzip&message=${longName}`;

const BODY = `body of the request larger than ${BODY_BYTES} bytes (limits.requestBytes)`;
const RPC_MESSAGE = `message larger than ${BODY_BYTES} bytes (limits.requestBytes)`;
const UI_BODY = `body of the request larger than ${UI_BYTES} bytes (limits.uiRequestBytes)`;
const URL_TEXT = `URL of the request larger than ${URL_BYTES} bytes (limits.urlBytes)`;
const HEADERS = `header fields of the request larger than ${HEADER_BYTES} bytes (limits.headerBytes)`;
const HEAD = `URL and header fields of the request together larger than ${URL_BYTES + HEADER_BYTES} bytes (limits.urlBytes, limits.headerBytes)`;

it.each<[string, string, () => Promise<string>]>([
  ['REST, a body that says its length', BODY, () => post(MESSAGE, JSON_TYPE, { body: json })],
  ['REST, a body in pieces', BODY, () => post(MESSAGE, JSON_TYPE, inPieces(json))],
  ['REST, a packed body', BODY, () => post(MESSAGE, JSON_TYPE, packed)],
  ['REST, a URL', URL_TEXT, () => post(MESSAGE + query, JSON_TYPE, { body: '{}' })],
  ['REST, headers', HEADERS, () => post(MESSAGE, JSON_TYPE, { body: '{}', headers: filler })],
  ['the browser surface, a body', UI_BODY, () => post('/v1/ui/x', JSON_TYPE, { body: json })],
  ['Connect, a body', BODY, () => post(SEND, JSON_TYPE, { body: json })],
  ['Connect, a packed body', BODY, () => post(SEND, JSON_TYPE, packed)],
  ['Connect, a packed message in a URL', RPC_MESSAGE, () => post(GET, JSON_TYPE, { method: 'GET' })],
  ['Connect, a URL', URL_TEXT, () => post(SEND + query, JSON_TYPE, { body: '{}' })],
  ['Connect, headers', HEADERS, () => post(SEND, JSON_TYPE, { body: '{}', headers: filler })],
  ['a Connect stream', RPC_MESSAGE, () => post(STREAM, 'application/connect+proto', { body: frame(message) })],
  ['gRPC, a message', RPC_MESSAGE, () => grpc(frame(message))],
  ['gRPC, a packed message', RPC_MESSAGE, () => grpc(frame(gzipSync(message), 1), gzipped)],
  ['gRPC, a URL', URL_TEXT, () => grpc(frame(new Uint8Array()), { ':path': SEND + query })],
  ['gRPC, headers', HEADERS, () => grpc(frame(new Uint8Array()), filler)],
  ['gRPC-web, a message', RPC_MESSAGE, () => post(SEND, WEB, { body: frame(message) })],
  [
    'gRPC-web, a packed message',
    RPC_MESSAGE,
    () => post(SEND, WEB, { body: frame(gzipSync(message), 1), headers: gzipped }),
  ],
  ['gRPC-web, headers', HEADERS, () => post(SEND, WEB, { body: frame(new Uint8Array()), headers: filler })],
  [
    'HTTP/1.1, a head that is not read to its end',
    HEAD,
    () => raw(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(60_000)}\r\n\r\n`),
  ],
])('what is too large is told the limit and the setting of it: %s', async (...[, text, send]) => {
  expect(await send()).toContain(text);
});

it('the limit and its setting are facts of the refusal, too', async () => {
  expect(await post(MESSAGE, JSON_TYPE, { body: json })).toContain(
    `"metadata":{"limit_bytes":"${BODY_BYTES}","setting":"limits.requestBytes"}`,
  );
});
