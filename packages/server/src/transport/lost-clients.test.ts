import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { GatewayService } from '@svc/api/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import type { FinishedCall, TransportParts, TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { serverStream, unary } from './testing/declared.ts';
import { testCaller, testParts } from './testing/transport-parts.ts';
import { until } from './testing/until.ts';

const MESSAGE = '/v1/ns/n/agents/a/sessions/s/message';
const STREAM = '/v1/ns/n/agents/a/sessions/s/stream';
const HALF = `POST ${MESSAGE} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"mess`;

let server: TransportServer | undefined;
let parts: ReturnType<typeof testParts>;
let told: FinishedCall[] = [];

afterEach(async () => {
  await server?.close();
  told = [];
});

const start = async (more: Partial<TransportParts>): Promise<number> => {
  parts = testParts({ onCall: (call) => void told.push(call), ...more });
  server = await createTransport(parts);
  return server.port;
};

const never = unary(GatewayService.method.sendMessage, async () => {
  throw new Error('its body never came');
});

const CANCELLED = { code: 'CANCELLED', reason: 'CLIENT_GONE' };

describe('a client that goes away', () => {
  test('in the middle of its body ends its call, so that a shutdown waits for nobody', async () => {
    const port = await start({ operations: [never] });
    const socket = connect(port, '127.0.0.1');
    socket.write(HALF);
    // The deadline of the call is armed once its body is waited for.
    await until(() => parts.manual.pendingTimers > 0);
    socket.destroy();
    await until(() => told.length === 1);
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const headers = { ':method': 'POST', ':path': MESSAGE, authorization: 'Bearer good' };
    const stream = session.request({ ...headers, 'content-type': 'application/json' });
    stream.on('error', () => undefined);
    // What came so far would be a body of its own.
    stream.write('{}');
    await new Promise((resolve) => session.ping(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    await until(() => told.length === 2);
    session.destroy();
    expect(told).toMatchObject([CANCELLED, CANCELLED]);
    await server?.drain();
  });

  test('before its stream stands leaves no subscription behind', async () => {
    const known = Promise.withResolvers<void>();
    let asked = 0;
    let subscribed = 0;
    const authenticate = async () => {
      asked += 1;
      await known.promise;
      return testCaller;
    };
    const stream = serverStream(GatewayService.method.streamSessionParts, async () => {
      subscribed += 1;
      await new Promise(() => undefined);
    });
    const port = await start({ operations: [stream], authenticator: { authenticate } });
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${STREAM} HTTP/1.1\r\nhost: a\r\n\r\n`);
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.request({ ':path': STREAM }).on('error', () => undefined);
    await until(() => asked === 2);
    socket.destroy();
    session.destroy();
    // A later connection that ends is seen to end after the earlier ones.
    const later = connect(port, '127.0.0.1');
    later.end('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n').resume();
    await once(later, 'close');
    known.resolve();
    await until(() => told.length === 3);
    expect(told.slice(1)).toMatchObject([CANCELLED, CANCELLED]);
    expect(subscribed).toBe(0);
  });

  test('is known to a handler that looks for it only afterwards', async () => {
    const entered = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    let reason: unknown;
    const late = unary(GatewayService.method.sendMessage, async (_request, context) => {
      entered.resolve();
      await gone.promise;
      reason = context.signal.reason;
      return {};
    });
    const port = await start({ operations: [late] });
    const socket = connect(port, '127.0.0.1');
    socket.write(HALF.replace('content-length: 100', 'content-length: 2').replace('{"mess', '{}'));
    await entered.promise;
    socket.destroy();
    const later = connect(port, '127.0.0.1');
    later.end('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n').resume();
    await once(later, 'close');
    gone.resolve();
    await until(() => told.length === 2);
    expect(reason).toMatchObject(CANCELLED);
  });
});

test('a client that sends half a body and falls silent is answered at the deadline', async () => {
  const port = await start({ operations: [never] });
  const socket = connect(port, '127.0.0.1');
  socket.write(HALF);
  await until(() => parts.manual.pendingTimers > 0);
  parts.manual.advance(60_000);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('504');
  expect(answer.toString()).toContain('DEADLINE_EXCEEDED');
  socket.destroy();
});

test('a stream that ends without a message leaves no keep-alive behind', async () => {
  const empty = serverStream(GatewayService.method.streamSessionParts, async () => undefined);
  const port = await start({ operations: [empty] });
  const answer = await fetch(`http://127.0.0.1:${port}${STREAM}`, { headers: { authorization: 'Bearer good' } });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(parts.manual.pendingTimers).toBe(0);
});
