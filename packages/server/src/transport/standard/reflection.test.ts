import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { v1, v1alpha } from '@svc/api/reflection';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportConfig, TransportServer } from '../contract.ts';
import { createTransport } from '../create-transport.ts';
import { frameOf } from '../envelope/index.ts';
import { testConfig, testParts } from '../testing/transport-parts.ts';

const headers = { authorization: 'Bearer good' };
const list = { messageRequest: { case: 'listServices', value: '' } } as const;
const versions = [v1.ServerReflection, v1alpha.ServerReflection as unknown as typeof v1.ServerReflection];

let server: TransportServer | undefined;

afterEach(async () => {
  await server?.close();
});

const start = async (config: TransportConfig = testConfig): Promise<string> => {
  server = await createTransport(testParts({ config }));
  return `http://127.0.0.1:${server.port}`;
};

const questionBytes = (value = ''): Uint8Array =>
  toBinary(
    v1.ServerReflectionRequestSchema,
    create(v1.ServerReflectionRequestSchema, { messageRequest: { case: 'listServices', value } }),
  );

/** A whole client stream in one POST, as over HTTP/1.1. */
const post = (base: string, body: Uint8Array | string, more: Record<string, string>): Promise<Response> =>
  fetch(`${base}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: typeof body === 'string' ? body : Buffer.from(body),
  });

/** Payloads of the frames in a body with their flags. */
const frames = (body: Buffer): (readonly [flags: number, data: Buffer])[] => {
  const found: [number, Buffer][] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    found.push([body[at] ?? 0, body.subarray(at + 5, end)]);
    at = end;
  }
  return found;
};

describe('reflection', () => {
  test.each(versions)('converses over Connect and gRPC, a question at a time (%#)', async (version) => {
    const baseUrl = await start();
    for (const transport of [
      createConnectTransport({ baseUrl, httpVersion: '2' }),
      createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: false }),
      createGrpcTransport({ baseUrl }),
      createGrpcTransport({ baseUrl, useBinaryFormat: false }),
    ]) {
      let allow = (): void => undefined;
      const answered = new Promise<void>((resolve) => {
        allow = resolve;
      });
      const asked = (async function* () {
        yield list;
        // The second question is not sent before the first is answered.
        await answered;
        yield { messageRequest: { case: 'fileByFilename', value: 'svc/resources/agent.proto' } } as const;
      })();
      const cases: unknown[] = [];
      for await (const answer of createClient(version, transport).serverReflectionInfo(asked, { headers })) {
        cases.push(answer.messageResponse.case);
        allow();
      }
      expect(cases).toEqual(['listServicesResponse', 'fileDescriptorResponse']);
    }
  });

  test('answers a whole client stream over HTTP/1.1, in Connect and gRPC-web, packed and as text', async () => {
    const base = await start();
    const plain = Buffer.concat([frameOf(questionBytes()), frameOf(questionBytes())]);
    const packed = Buffer.concat([frameOf(questionBytes()), frameOf(gzipSync(questionBytes()), 1)]);
    for (const [type, body, encoding] of [
      ['application/connect+proto', plain, {}],
      ['application/connect+proto', packed, { 'connect-content-encoding': 'gzip' }],
      ['application/grpc-web+proto', packed, { 'grpc-encoding': 'gzip' }],
      ['application/grpc-web-text', plain.toString('base64'), {}],
    ] as const) {
      const answer = await post(base, body, { 'content-type': type, ...encoding });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const isText = type.endsWith('text');
      const runs = isText
        ? (bytes.toString().match(/[^=]+={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64'))
        : [];
      const found = frames(isText ? Buffer.concat(runs) : bytes);
      expect([answer.status, found.length, type]).toEqual([200, 3, type]);
      expect(found[0]?.[1].toString('latin1')).toContain('svc.gateway.GatewayService');
      const end = found[2]?.[1].toString() ?? '';
      expect(type.includes('connect') ? end === '{}' : end.includes('grpc-status: 0\r\n')).toBe(true);
    }
  });

  test('ends with a fault for what is cut short, unknown, too large or damaged', async () => {
    const base = await start();
    const large = frameOf(questionBytes('x'.repeat(70_000)));
    for (const [body, code, encoding] of [
      [frameOf(questionBytes()).subarray(0, 6), 'invalid_argument', 'identity'],
      [frameOf(questionBytes(), 4), 'invalid_argument', 'identity'],
      [frameOf(questionBytes(), 1), 'invalid_argument', 'identity'],
      [frameOf(questionBytes(), 1), 'invalid_argument', 'gzip'],
      [large, 'resource_exhausted', 'identity'],
      [frameOf(gzipSync(questionBytes('x'.repeat(70_000))), 1), 'resource_exhausted', 'gzip'],
    ] as const) {
      const answer = await post(base, body, {
        'content-type': 'application/connect+proto',
        'connect-content-encoding': encoding,
      });
      const [end] = frames(Buffer.from(await answer.arrayBuffer()));
      expect(JSON.parse(end?.[1].toString() ?? '')).toMatchObject({ error: { code } });
    }
  });

  test('ends with SHUTTING_DOWN while its client still listens', async () => {
    const client = createClient(
      v1.ServerReflection,
      createConnectTransport({ baseUrl: await start(), httpVersion: '2' }),
    );
    const asked = (async function* () {
      yield list;
      await new Promise(() => undefined);
    })();
    const answers = client.serverReflectionInfo(asked, { headers })[Symbol.asyncIterator]();
    await answers.next();
    void server?.drain();
    await expect(answers.next()).rejects.toThrow('[unavailable]');
  });

  test('lets buf call an operation without a schema, over HTTP/2 in all three protocols', async () => {
    const base = await start();
    const buf = join(import.meta.dirname, '../../../../../node_modules/.bin/buf');
    const url = `${base}/svc.gateway.GatewayService/GetAgent`;
    const request = ['-d', '{"ns":"default","name":"helper"}', '-H', 'authorization: Bearer good'];
    const reflect = ['--reflect-header', 'authorization: Bearer good'];
    for (const more of [
      ['--http2-prior-knowledge'],
      [],
      ['--protocol', 'grpc', '--http2-prior-knowledge'],
      ['--protocol', 'grpcweb'],
    ]) {
      const { stdout } = await promisify(execFile)(buf, ['curl', ...more, ...reflect, ...request, url], { cwd: '/' });
      expect(JSON.parse(stdout)).toMatchObject({ agent: { metadata: { name: 'helper' } } });
    }
  });
});
