import { once } from 'node:events';
import { type Agent, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { create } from '@bufbuild/protobuf';
import { AgentResponseSchema, GatewayService } from '@svc/api/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportServer } from '../contract.ts';
import { createTransport } from '../create-transport.ts';
import { unary } from '../testing/declared.ts';
import { testConfig, testParts } from '../testing/transport-parts.ts';

const TRIES = 20;
/** Small, so that a body of three times its size is too large, and still comes when that is said. */
const LIMIT_BYTES = 1024 * 1024;
const large = Buffer.alloc(3 * LIMIT_BYTES, 'a');
const headers = { authorization: 'Bearer good', 'content-type': 'application/json' };
const REST = '/v1/ns/n/agents';
const CONNECT = '/svc.gateway.GatewayService/CreateAgent';

let server: TransportServer | undefined;

afterEach(async () => {
  await server?.close();
});

const start = async (): Promise<string> => {
  const createAgent = unary(GatewayService.method.createAgent, async () => create(AgentResponseSchema));
  const config = { ...testConfig, requestBytes: LIMIT_BYTES };
  server = await createTransport(testParts({ config, operations: [createAgent] }));
  return `http://127.0.0.1:${server.port}`;
};

/** Status and reset code of a POST over HTTP/2 that sends whatever the server thinks of it. */
const post2 = async (session: ClientHttp2Session, path: string, { body = large, declares = false }) => {
  const more = declares ? { 'content-length': String(body.length) } : {};
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers, ...more });
  let status = 0;
  let text = '';
  stream.on('response', (head) => {
    status = Number(head[':status']);
  });
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  stream.end(body);
  await once(stream, 'close');
  return { status, text, code: stream.rstCode };
};

const post1 = (base: string, path: string, options: { agent: Agent; body: Buffer; expect?: boolean }) =>
  new Promise<{ status: number | undefined; connection: string | undefined; continued: boolean }>((resolve, reject) => {
    const { agent, body, expect: expects = false } = options;
    const more = { 'content-length': String(body.length), ...(expects ? { expect: '100-continue' } : {}) };
    let continued = false;
    const call = request(
      base + path,
      { method: 'POST', agent, headers: { ...headers, ...more } },
      (answer: IncomingMessage) => {
        answer.resume().on('end', () => {
          call.destroy();
          resolve({ status: answer.statusCode, connection: answer.headers.connection, continued });
        });
      },
    );
    call.on('error', reject);
    call.on('continue', () => {
      continued = true;
      call.end(body);
    });
    if (expects) call.flushHeaders();
    else call.end(body);
  });

describe('a refusal while the body still comes', () => {
  test.each<[readonly [string, string, boolean, number]]>([
    [['declared too large', REST, false, 413]],
    [['found too large', REST, true, 413]],
    [['declared too large', CONNECT, false, 413]],
    [['found too large', CONNECT, true, 413]],
    [['of no interest', '/v1/nope', false, 404]],
    [['of no interest, in chunks', '/v1/nope', true, 404]],
  ])('reaches every client over HTTP/1.1: %s', async ([, path, isChunked, status]) => {
    const base = await start();
    for (let done = 0; done < TRIES; done++) {
      const body = isChunked ? new Blob([large]).stream() : large;
      const answer = await fetch(base + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
      expect([answer.status, (await answer.text()).length > 100]).toEqual([status, true]);
    }
  });

  test.each<[readonly [string, string, boolean, number]]>([
    [['declared too large', REST, true, 413]],
    [['found too large', REST, false, 413]],
    [['declared too large', CONNECT, true, 413]],
    [['found too large', CONNECT, false, 413]],
    [['of no interest', '/v1/nope', false, 404]],
  ])('reaches every client over HTTP/2: %s', async ([, path, declares, status]) => {
    const session = connect(await start());
    for (let done = 0; done < TRIES; done++) {
      const answer = await post2(session, path, { declares });
      expect(answer).toMatchObject({ status, code: constants.NGHTTP2_NO_ERROR });
      expect(answer.text).toContain('"message"');
    }
    session.close();
  });

  test('stops a body without end after 32 MiB by NO_ERROR, and the connection goes on', async () => {
    // A client of node counts what waits to be sent.
    const session = connect(await start(), { maxSessionMemory: 100 });
    const endless = await post2(session, REST, { body: Buffer.alloc(40 * 1024 * 1024, 'a') });
    expect(endless).toMatchObject({ status: 413, code: constants.NGHTTP2_NO_ERROR });
    expect(await post2(session, REST, { body: Buffer.from('{}') })).toMatchObject({ status: 200 });
    session.close();
  });

  test('keeps an HTTP/1.1 connection whose body is small, and closes any other', async () => {
    const base = await start();
    const agent = new HttpAgent({ keepAlive: true });
    expect(await post1(base, '/v1/nope', { agent, body: Buffer.alloc(1000) })).toMatchObject({
      status: 404,
      connection: 'keep-alive',
    });
    expect(await post1(base, '/v1/nope', { agent, body: large })).toMatchObject({ status: 404, connection: 'close' });
    agent.destroy();
  });

  test('comes before the body of a client that waits to be asked, and only a welcome body is asked for', async () => {
    const base = await start();
    const agent = new HttpAgent();
    expect(await post1(base, REST, { agent, body: large, expect: true })).toMatchObject({
      status: 413,
      connection: 'close',
      continued: false,
    });
    expect(await post1(base, REST, { agent, body: Buffer.from('{}'), expect: true })).toMatchObject({
      status: 200,
      continued: true,
    });
  });
});
