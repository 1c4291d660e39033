import { connect } from 'node:http2';
import { create } from '@bufbuild/protobuf';
import { type ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { type SessionMessagePartEvent, SessionMessagePartEventSchema } from '@svc/api/events';
import { GatewayService } from '@svc/api/gateway';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallContext } from '../auth/contract.ts';
import { Fault, type ManualClock } from '../base/index.ts';
import type { Operation, StreamSink } from '../operations/index.ts';
import type { TransportParts, TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { serverStream } from './testing/declared.ts';
import { testCaller, testParts } from './testing/transport-parts.ts';

type Sink = StreamSink<SessionMessagePartEvent>;
type Body = (sink: Sink, context: CallContext, request: { after: string }) => Promise<void>;

const PATH = '/v1/ns/n/agents/a/sessions/s/stream';
const event = (sequence: number): SessionMessagePartEvent =>
  Object.freeze(
    create(SessionMessagePartEventSchema, { sessionId: 's', sequence: BigInt(sequence), cursor: `c${sequence}` }),
  );

const streaming = (body: Body): Operation =>
  serverStream(GatewayService.method.streamSessionParts, (request, context, sink) => body(sink, context, request));

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const twoThenEnd: Body = async (sink) => {
  sink.open();
  sink.send(event(1), 'c1');
  sink.send(event(2), 'c2');
};

const oneThenFail: Body = async (sink) => {
  sink.send(event(1), 'c1');
  throw new Fault('ABORTED', 'SLOW_CONSUMER', 'too slow', { metadata: { cursor: 'c1' } });
};

let server: TransportServer | undefined;
let clock: ManualClock;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (body: Body, more: Partial<TransportParts> = {}): Promise<string> => {
  const parts = testParts({ operations: [streaming(body)], ...more });
  clock = parts.manual;
  server = await createTransport(parts);
  return `http://127.0.0.1:${server.port}`;
};

const get = (base: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(base + PATH, { headers: { authorization: 'Bearer good', ...headers } });

/** Reads until the text holds `enough`. */
const readUntil = async (reader: ReadableStreamDefaultReader<Uint8Array>, enough: string): Promise<string> => {
  let text = '';
  while (!text.includes(enough)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended after ${text}`);
    text += Buffer.from(value).toString();
  }
  return text;
};

const readerOf = (answer: Response): ReadableStreamDefaultReader<Uint8Array> => {
  if (answer.body === null) throw new Error('no body');
  return answer.body.getReader();
};

describe('a REST stream', () => {
  test('is NDJSON by default, with the headers of a stream', async () => {
    const answer = await get(await start(twoThenEnd));
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    const lines = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ sequence: '1', cursor: 'c1' }, { sequence: '2' }]);
  });

  test('is SSE with cursors as ids when asked', async () => {
    const answer = await get(await start(twoThenEnd), { accept: 'text/event-stream' });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const blocks = (await answer.text()).split('\n\n').filter((block) => block !== '');
    expect(blocks).toHaveLength(2);
    expect(blocks[1]).toMatch(/^id: c2\ndata: \{"sessionId":"s"/);
  });

  test('is one JSON array when asked', async () => {
    const base = await start(twoThenEnd);
    expect(await (await get(base, { accept: 'application/json' })).json()).toMatchObject([
      { sequence: '1' },
      { sequence: '2' },
    ]);
  });

  test('ends with the fault as last line, event or element', async () => {
    const base = await start(oneThenFail);
    const error = { error: { code: 409, status: 'ABORTED', message: 'too slow' } };
    const lines = (await (await get(base)).text()).trimEnd().split('\n');
    expect(JSON.parse(lines[1] ?? '')).toMatchObject(error);
    const events = (await (await get(base, { accept: 'text/event-stream' })).text()).split('\n\n');
    expect(events[1]).toMatch(/^event: error\ndata: \{"error"/);
    expect(await (await get(base, { accept: 'application/json' })).json()).toMatchObject([{ sequence: '1' }, error]);
  });

  test('answers a fault before the first byte with its status', async () => {
    const base = await start(async () => {
      throw new Fault('OUT_OF_RANGE', 'CURSOR_EXPIRED', 'too old');
    });
    const answer = await get(base);
    expect([answer.status, answer.headers.get('grpc-status')]).toEqual([400, '11']);
    expect(await answer.json()).toMatchObject({
      error: { status: 'OUT_OF_RANGE', details: [{ reason: 'CURSOR_EXPIRED' }] },
    });
  });

  test('sends its headers as soon as the subscription stands', async () => {
    const answer = await get(
      await start(async (sink, { signal }) => {
        sink.open();
        await aborted(signal);
      }),
    );
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  test('takes Last-Event-ID where after is empty', async () => {
    const seen: string[] = [];
    const base = await start(async (_sink, _context, { after }) => {
      seen.push(after);
    });
    await (await get(base, { 'last-event-id': 'c7' })).text();
    await (
      await fetch(`${base}${PATH}?after=c9`, { headers: { authorization: 'Bearer good', 'last-event-id': 'c7' } })
    ).text();
    expect(seen).toEqual(['c7', 'c9']);
  });

  test.each([
    ['application/x-ndjson', '\n'],
    ['text/event-stream', ': keep-alive\n\n'],
    ['application/json', ' '],
  ])('is kept alive every 15 s as %s', async (accept, blank) => {
    const base = await start(async (sink, { signal }) => {
      sink.open();
      await aborted(signal);
    });
    const reader = readerOf(await get(base, { accept }));
    clock.advance(15_000);
    expect(await readUntil(reader, blank)).toContain(blank);
    await reader.cancel();
  });

  test('aborts its signal when the client goes, and leaves no timer', async () => {
    let reason: unknown;
    const gone = Promise.withResolvers<void>();
    const base = await start(async (sink, { signal }) => {
      sink.open();
      await aborted(signal);
      reason = signal.reason;
      gone.resolve();
    });
    await readerOf(await get(base)).cancel();
    await gone.promise;
    expect(reason).toMatchObject({ code: 'CANCELLED', reason: 'CLIENT_GONE' });
    expect(clock.pendingTimers).toBe(0);
  });

  test('answers HEAD with headers only', async () => {
    const base = await start(twoThenEnd);
    const answer = await fetch(base + PATH, { method: 'HEAD', headers: { authorization: 'Bearer good' } });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('tells a lagging reader from a ready one and resumes after it', async () => {
    const big = Object.freeze(create(SessionMessagePartEventSchema, { sessionId: 'x'.repeat(1_000_000) }));
    const base = await start(async (sink) => {
      while (sink.send(big, '')) expect(sink.writable).toBe(true);
      expect(sink.writable).toBe(false);
      await new Promise<void>((resolve) => sink.onDrained(resolve));
      sink.send(event(9), 'c9');
    });
    const text = await (await get(base)).text();
    expect(text.trimEnd().split('\n').at(-1)).toContain('"c9"');
  });

  test('ends when its credential expires or is no longer good', async () => {
    let good = true;
    const authenticate = () => {
      if (!good) throw new Fault('UNAUTHENTICATED', 'KEY_REVOKED', 'revoked');
      return testCaller;
    };
    const base = await start(
      async (sink, { signal }) => {
        sink.send(event(1), 'c1');
        await aborted(signal);
      },
      { authenticator: { authenticate } },
    );
    const reader = readerOf(await get(base));
    await readUntil(reader, 'c1');
    good = false;
    clock.advance(30_000);
    expect(await readUntil(reader, 'KEY_REVOKED')).toContain('UNAUTHENTICATED');
  });
});

describe('a stream over the other protocols', () => {
  const transports = (baseUrl: string) => ({
    grpc: createGrpcTransport({ baseUrl }),
    'grpc json': createGrpcTransport({ baseUrl, useBinaryFormat: false }),
    'grpc-web h1': createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    'grpc-web h2': createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
    connect: createConnectTransport({ baseUrl, httpVersion: '1.1' }),
    'connect proto h2': createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  });
  const request = { ns: 'n', agent: 'a', sessionId: 's' };
  const headers = { authorization: 'Bearer good' };

  test('delivers the same events', async () => {
    for (const [name, transport] of Object.entries(transports(await start(twoThenEnd)))) {
      const cursors: string[] = [];
      for await (const one of createClient(GatewayService, transport).streamSessionParts(request, { headers }))
        cursors.push(one.cursor);
      expect([name, cursors]).toEqual([name, ['c1', 'c2']]);
    }
  });

  test('ends with the same fault', async () => {
    for (const [name, transport] of Object.entries(transports(await start(oneThenFail)))) {
      const cursors: string[] = [];
      const read = async (): Promise<void> => {
        for await (const one of createClient(GatewayService, transport).streamSessionParts(request, { headers }))
          cursors.push(one.cursor);
      };
      await expect(read(), name).rejects.toThrow('[aborted] too slow');
      expect(cursors).toEqual(['c1']);
    }
  });

  test('refuses before the first event alike', async () => {
    for (const [name, transport] of Object.entries(transports(await start(twoThenEnd)))) {
      const read = async (): Promise<void> => {
        for await (const one of createClient(GatewayService, transport).streamSessionParts(request, {}))
          expect(one).toBeUndefined();
      };
      await expect(read(), name).rejects.toThrow('[unauthenticated] no credentials');
    }
  });

  test('says over gRPC where to resume', async () => {
    const transport = createGrpcTransport({ baseUrl: await start(oneThenFail) });
    const read = async (): Promise<void> => {
      for await (const one of createClient(GatewayService, transport).streamSessionParts(request, { headers })) {
        expect(one.cursor).toBe('c1');
      }
    };
    await expect(read()).rejects.toSatisfy((error: ConnectError) => error.metadata.get('svc-cursor') === 'c1');
  });

  test('honours the deadline of the client', async () => {
    const base = await start(async (sink, { signal }) => {
      sink.open();
      clock.advance(20_000);
      await aborted(signal);
    });
    const transport = createGrpcTransport({ baseUrl: base });
    const read = async (): Promise<void> => {
      for await (const one of createClient(GatewayService, transport).streamSessionParts(request, {
        headers,
        timeoutMs: 15_000,
      }))
        expect(one).toBeUndefined();
    };
    await expect(read()).rejects.toThrow('[deadline_exceeded]');
  });

  test('encodes an event once for all readers', async () => {
    let reads = 0;
    const counted = new Proxy(event(5), {
      get: (target, key, self) => {
        if (key === 'sessionId') reads += 1;
        return Reflect.get(target, key, self);
      },
    });
    const base = await start(async (sink) => {
      sink.send(counted, 'c5');
    });
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await get(base)).text()));
    expect(new Set(texts).size).toBe(1);
    expect(reads).toBe(1);
  });
});

describe('shutdown', () => {
  test('ends streams with SHUTTING_DOWN and the cursor and refuses new work', async () => {
    const base = await start(async (sink, { signal }) => {
      sink.send(event(3), 'c3');
      await aborted(signal);
    });
    const reader = readerOf(await get(base));
    await readUntil(reader, 'c3');
    await server?.drain();
    const text = await readUntil(reader, 'SHUTTING_DOWN');
    expect(text).toContain('"metadata":{"cursor":"c3"}');
    const late = await get(base);
    expect([late.status, await late.json()]).toMatchObject([503, { error: { status: 'UNAVAILABLE' } }]);
    expect((await fetch(`${base}/readyz`)).status).toBe(503);
  });

  test('sends GOAWAY and lets a unary call finish', async () => {
    const release = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const base = await start(async (sink) => {
      entered.resolve();
      await release.promise;
      sink.send(event(1), 'c1');
    });
    const session = connect(base);
    const away = new Promise<void>((resolve) => session.on('goaway', () => resolve()));
    const stream = session.request({ ':path': PATH, authorization: 'Bearer good' });
    let body = '';
    stream.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    const ended = new Promise<void>((resolve) => stream.on('close', () => resolve()));
    await entered.promise;
    const drained = server?.drain();
    await away;
    release.resolve();
    await drained;
    await ended;
    expect(body).toContain('SHUTTING_DOWN');
    session.destroy();
  });

  test('gives up waiting after the time to drain', async () => {
    const entered = Promise.withResolvers<void>();
    const base = await start(async (_sink, { signal }) => {
      entered.resolve();
      await aborted(signal);
      await new Promise(() => undefined);
    });
    const answer = get(base).catch(() => undefined);
    await entered.promise;
    const drained = server?.drain();
    clock.advance(30_000);
    await drained;
    await server?.close();
    await answer;
  });
});
