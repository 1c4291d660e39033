import { connect } from 'node:http2';
import { gunzipSync, gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  ApplyManifestsResponseSchema,
  GatewayService,
  GetAgentRequestSchema,
  GetAgentResponseSchema,
  ResourceService,
  SendMessageRequestSchema,
  SendMessageResponseSchema,
} from '@svc/api/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import { Fault, invalidField } from '../base/index.ts';
import type { TransportParts, TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { unary } from './testing/declared.ts';
import { getAgent, testConfig, testParts } from './testing/transport-parts.ts';

let server: TransportServer | undefined;

afterEach(async () => {
  await server?.close();
});

const start = async (more: Partial<TransportParts> = {}): Promise<string> => {
  server = await createTransport(testParts(more));
  return `http://127.0.0.1:${server.port}`;
};

const GET_AGENT = '/svc.gateway.GatewayService/GetAgent';
const SEND = '/svc.gateway.GatewayService/SendMessage';
const auth = { authorization: 'Bearer good' };
const request = toBinary(GetAgentRequestSchema, create(GetAgentRequestSchema, { ns: 'default', name: 'helper' }));
const frame = (data: Uint8Array, flags = 0): Buffer => {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
};

const echo = unary(GatewayService.method.sendMessage, async ({ message }) =>
  create(SendMessageResponseSchema, { reply: message }),
);

interface RpcAnswer {
  readonly headers: Record<string, unknown>;
  readonly trailers: Record<string, unknown>;
  readonly body: Buffer;
}

const grpcCall = (
  base: string,
  path: string,
  call: { body: Buffer; headers?: Record<string, string> },
): Promise<RpcAnswer> =>
  new Promise((resolve, reject) => {
    const session = connect(base);
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...auth,
      ...call.headers,
    });
    let headers: Record<string, unknown> = {};
    let trailers: Record<string, unknown> = {};
    const pieces: Buffer[] = [];
    stream.on('response', (got) => {
      headers = got;
    });
    stream.on('trailers', (got) => {
      trailers = got;
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', reject);
    stream.on('close', () => {
      session.close();
      resolve({ headers, trailers, body: Buffer.concat(pieces) });
    });
    stream.end(call.body);
  });

describe('gRPC', () => {
  test('packs and unpacks messages with gzip when both sides speak it', async () => {
    const base = await start({ operations: [echo] });
    const message = toBinary(SendMessageRequestSchema, create(SendMessageRequestSchema, { message: 'x'.repeat(5000) }));
    const headers = { 'grpc-encoding': 'gzip', 'grpc-accept-encoding': 'identity,gzip' };
    const answer = await grpcCall(base, SEND, { body: frame(gzipSync(message), 1), headers });
    expect([answer.headers['grpc-encoding'], answer.body[0], answer.trailers['grpc-status']]).toEqual(['gzip', 1, '0']);
    expect(fromBinary(SendMessageResponseSchema, gunzipSync(answer.body.subarray(5))).reply).toBe('x'.repeat(5000));
    const plain = await grpcCall(base, SEND, { body: frame(message) });
    expect([plain.headers['grpc-encoding'], plain.body[0]]).toEqual([undefined, 0]);
  });

  test.each([
    ['no message', Buffer.alloc(0), {}, '3'],
    ['a cut head', Buffer.from([0, 0]), {}, '3'],
    ['a cut message', frame(request).subarray(0, 8), {}, '3'],
    ['two messages', Buffer.concat([frame(request), frame(request)]), {}, '3'],
    ['malformed protobuf', frame(Buffer.from([0x0a, 0xff])), {}, '3'],
    ['unknown flags', frame(request, 4), {}, '3'],
    ['a packed message without an encoding', frame(gzipSync(request), 1), {}, '3'],
    ['a packed message of an identity encoding', frame(gzipSync(request), 1), { 'grpc-encoding': 'identity' }, '3'],
    ['damaged gzip', frame(request, 1), { 'grpc-encoding': 'gzip' }, '3'],
    ['an unknown compression', frame(request), { 'grpc-encoding': 'snappy' }, '12'],
    ['a malformed timeout', frame(request), { 'grpc-timeout': 'soon' }, '3'],
    ['a deadline that passed', frame(request), { 'grpc-timeout': '0n' }, '4'],
  ])('refuses %s', async (...row) => {
    const [, body, headers, status] = row;
    const slow = unary(GatewayService.method.getAgent, async () => new Promise(() => undefined));
    const parts = testParts({ operations: [status === '4' ? slow : getAgent] });
    server = await createTransport(parts);
    const answer = grpcCall(`http://127.0.0.1:${server.port}`, GET_AGENT, { body, headers });
    if (status === '4') {
      while (parts.manual.pendingTimers < 2) await new Promise((resolve) => setImmediate(resolve));
      parts.manual.advance(0);
    }
    expect((await answer).headers['grpc-status']).toBe(status);
  });

  test('refuses a message over the limit, packed or not', async () => {
    const base = await start({ operations: [echo], config: { ...testConfig, requestBytes: 1000 } });
    const message = toBinary(SendMessageRequestSchema, create(SendMessageRequestSchema, { message: 'x'.repeat(5000) }));
    const plain = await grpcCall(base, SEND, { body: frame(message) });
    const packed = await grpcCall(base, SEND, {
      body: frame(gzipSync(message), 1),
      headers: { 'grpc-encoding': 'gzip' },
    });
    expect([plain.headers['grpc-status'], packed.headers['grpc-status']]).toEqual(['8', '8']);
  });

  test('answers UNIMPLEMENTED for an unknown operation and 415 for an unknown encoding', async () => {
    const base = await start();
    expect(
      (await grpcCall(base, '/svc.gateway.GatewayService/Nope', { body: frame(request) })).headers['grpc-status'],
    ).toBe('12');
    expect(
      (await grpcCall(base, GET_AGENT, { body: frame(request), headers: { 'content-type': 'application/grpc+xml' } }))
        .headers[':status'],
    ).toBe(415);
  });

  test('carries google.rpc details, the refusal of ApplyManifests included', async () => {
    const results = create(ApplyManifestsResponseSchema, { results: [{ kind: 'Agent', name: 'a' }] });
    const apply = unary(ResourceService.method.applyManifests, async () => {
      throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'bad', {
        violations: [{ field: 'a', description: 'b', reason: 'C' }],
        retryAfterMs: 1500,
        cause: results,
      });
    });
    const base = await start({ operations: [{ ...apply, yamlField: 'text' }] });
    const answer = await fetch(`${base}/v1/manifests:apply`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/yaml' },
      body: 'kind: Agent',
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([400, '2']);
    expect(await answer.json()).toEqual({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'bad',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'FIELD_INVALID', domain: 'svc', metadata: {} },
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'a', description: 'b', reason: 'C' }],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' },
          expect.objectContaining({
            '@type': 'type.googleapis.com/svc.gateway.ApplyManifestsResponse',
            results: [expect.objectContaining({ name: 'a' })],
          }),
        ],
      },
    });
    const rpc = await grpcCall(base, '/svc.gateway.ResourceService/ApplyManifests', { body: frame(Buffer.alloc(0)) });
    const status = Buffer.from(String(rpc.headers['grpc-status-details-bin']), 'base64').toString('latin1');
    for (const name of ['ErrorInfo', 'BadRequest', 'RetryInfo', 'ApplyManifestsResponse'])
      expect(status).toContain(name);
  });
});

describe('gRPC-web text', () => {
  const post = (base: string, body: string) =>
    fetch(base + GET_AGENT, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/grpc-web-text' },
      body,
    });

  test('reads base64 padded anywhere and answers decodable at message boundaries', async () => {
    const base = await start();
    const bytes = frame(request);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const answer = await post(
        base,
        bytes.subarray(0, cut).toString('base64') + bytes.subarray(cut).toString('base64'),
      );
      const text = await answer.text();
      const runs = text.match(/[^=]+=*/g) ?? [];
      const reply = Buffer.concat(runs.map((run) => Buffer.from(run, 'base64')));
      const length = reply.readUInt32BE(1);
      expect(fromBinary(GetAgentResponseSchema, reply.subarray(5, 5 + length)).agent?.metadata?.name).toBe('helper');
      expect([reply[5 + length], reply.subarray(10 + length).toString()]).toEqual([0x80, 'grpc-status: 0\r\n']);
    }
  });

  test('refuses what is no base64 in a trailer frame', async () => {
    const answer = await post(await start(), '***');
    expect(Buffer.from(await answer.text(), 'base64').toString()).toContain('grpc-status: 3\r\n');
  });
});

describe('Connect', () => {
  test('answers GET with the message in the query, for operations that are GET in REST', async () => {
    const base = await start({ operations: [getAgent, echo] });
    const get = (path: string, query: Record<string, string>) =>
      fetch(`${base}${path}?${new URLSearchParams(query)}`, { headers: auth });
    const json = JSON.stringify({ ns: 'default', name: 'helper' });
    const forms = [
      { connect: 'v1', encoding: 'json', message: json },
      { connect: 'v1', encoding: 'json', base64: '1', message: Buffer.from(json).toString('base64url') },
      {
        connect: 'v1',
        encoding: 'proto',
        base64: '1',
        compression: 'gzip',
        message: gzipSync(request).toString('base64url'),
      },
    ];
    for (const form of forms) expect((await get(GET_AGENT, form)).status).toBe(200);
    expect((await get(SEND, { connect: 'v1', encoding: 'json', message: '{}' })).status).toBe(405);
    expect((await get(GET_AGENT, { encoding: 'json', message: json })).status).toBe(404);
    expect((await get(GET_AGENT, { connect: 'v1', encoding: 'xml', message: json })).status).toBe(400);
    expect((await get(GET_AGENT, { connect: 'v1', encoding: 'json', compression: 'zip', message: json })).status).toBe(
      400,
    );
  });

  test('answers errors as JSON with details', async () => {
    const bad = unary(GatewayService.method.sendMessage, async () => {
      throw invalidField('message', 'must not be blank');
    });
    const base = await start({ operations: [bad] });
    const post = (headers: Record<string, string>, body = '{}') =>
      fetch(base + SEND, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json', ...headers },
        body,
      });
    const answer = await post({});
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json']);
    expect(await answer.json()).toMatchObject({
      code: 'invalid_argument',
      message: 'message: must not be blank',
      details: [
        { type: 'google.rpc.ErrorInfo', debug: { reason: 'FIELD_INVALID' } },
        { type: 'google.rpc.BadRequest' },
      ],
    });
    expect((await post({ 'connect-protocol-version': '2' })).status).toBe(400);
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
    expect(await (await post({}, '{"nope":1}')).json()).toMatchObject({
      code: 'invalid_argument',
      message: 'nope: unknown field',
    });
    const unknown = await fetch(`${base}/svc.gateway.GatewayService/Nope`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([unknown.status, await unknown.json()]).toMatchObject([501, { code: 'unimplemented' }]);
  });
});
