import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServerProcess, until } from '../server-process/index.ts';
import {
  END_HEADERS,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  FRAME,
  frameBytes,
  headerBlock,
  RawHttp2,
} from './http2-frames.ts';
import { FLOOD_MS, residentBytes, withstand } from './watch/index.ts';

const TOKEN = 'a-token-of-this-test';
const CONNECTIONS = 10;
/** A connection sends so many pieces at most, up to 45 KB each. */
const PIECES_MAX = 200;
const CANCEL = Buffer.of(0, 0, 0, constants.NGHTTP2_CANCEL);

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ environment: { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: TOKEN } });
});
afterAll(() => server[Symbol.asyncDispose]());

let attackers = 1;
/** An address that no attack came from so far. */
const newAddress = (): string => {
  attackers += 1;
  return `127.0.0.${attackers}`;
};

const request = headerBlock({
  ...{ ':method': 'GET', ':scheme': 'http', ':authority': '127.0.0.1', ':path': '/v1/namespaces' },
});
const headers = (stream: number, flags: number): Buffer =>
  frameBytes({ type: FRAME.headers, flags, stream, payload: request });
const repeated = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(bytes));

/** `count` pieces of bytes, each made for the next stream of the connection. */
const perStream = (count: number, bytesOf: (stream: number) => Buffer) => {
  let stream = 1;
  return (): Buffer =>
    Buffer.concat(
      Array.from({ length: count }, () => {
        const bytes = bytesOf(stream);
        stream += 2;
        return bytes;
      }),
    );
};

/** What one connection sends: something first, then piece after piece. */
interface Flood {
  readonly first?: Buffer;
  readonly piece: () => Buffer;
}

const floods: Readonly<Record<string, () => Flood>> = {
  'streams that are reset at once': () => ({
    piece: perStream(500, (stream) =>
      Buffer.concat([
        headers(stream, END_HEADERS | END_STREAM),
        frameBytes({ type: FRAME.resetStream, stream, payload: CANCEL }),
      ]),
    ),
  }),
  'requests without a credential': () => ({
    piece: perStream(500, (stream) => headers(stream, END_HEADERS | END_STREAM)),
  }),
  'requests whose body never comes': () => ({ piece: perStream(500, (stream) => headers(stream, END_HEADERS)) }),
  'empty DATA frames': () => ({
    first: headers(1, END_HEADERS),
    piece: () => repeated(1000, frameBytes({ type: FRAME.data, stream: 1 })),
  }),
  'CONTINUATION without end': () => ({
    first: headers(1, 0),
    piece: () => repeated(1000, frameBytes({ type: FRAME.continuation, stream: 1, payload: headerBlock({ a: 'b' }) })),
  }),
};

/** Sends piece after piece and resolves when the server has ended the connection, which it never does by itself so soon. */
const floodUntilCut = async ({ first, piece }: Flood, from: string): Promise<void> => {
  using raw = await RawHttp2.open(server.port, from);
  if (first !== undefined) await raw.send(first);
  for (let pieces = 0; raw.isOpen && pieces < PIECES_MAX; pieces++) await raw.send(piece());
  await raw.ended();
};

describe('a flood of HTTP/2 frames without a credential', () => {
  test.each(Object.keys(floods))('of %s is cut off and does not stall the server', async (name) => {
    const attack = async (): Promise<void> => {
      const from = newAddress();
      const connection = () => floodUntilCut((floods[name] as () => Flood)(), from);
      await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    };
    const seen = await withstand(server, { budgetMs: FLOOD_MS, attack });
    expect(seen.count).toBeGreaterThan(1);
  });

  test.each([
    ['PING', frameBytes({ type: FRAME.ping, payload: Buffer.alloc(8) })],
    ['SETTINGS', frameBytes({ type: FRAME.settings, payload: Buffer.of(0, 4, 0, 1, 0, 0) })],
    ['PRIORITY', frameBytes({ type: FRAME.priority, stream: 1, payload: Buffer.of(0, 0, 0, 3, 1) })],
    ['WINDOW_UPDATE', frameBytes({ type: FRAME.windowUpdate, payload: Buffer.of(0, 0, 0, 1) })],
  ])('of %s frames does not stall the server', async (_, frame) => {
    const piece = repeated(1000, frame);
    const attack = async (): Promise<void> => {
      const from = newAddress();
      const send = async (): Promise<void> => {
        using raw = await RawHttp2.open(server.port, from);
        for (let pieces = 0; raw.isOpen && pieces < PIECES_MAX; pieces++) await raw.send(piece);
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, send));
    };
    await withstand(server, { budgetMs: FLOOD_MS, attack });
  });

  test('is answered with ENHANCE_YOUR_CALM', async () => {
    using raw = await RawHttp2.open(server.port, newAddress());
    // One piece: what is still sent when the server has ended the connection would overtake its last words.
    await raw.send((floods['streams that are reset at once'] as () => Flood)().piece());
    await raw.ended();
    expect(raw.goAwayCode).toBe(ENHANCE_YOUR_CALM);
  });
});

describe('a client with a valid credential', () => {
  test('that sends a body byte by byte takes little memory', async () => {
    using raw = await RawHttp2.open(server.port, newAddress());
    const fields = { ':method': 'POST', ':scheme': 'http', ':authority': '127.0.0.1' };
    const head = {
      ':path': '/v1/ns/default/agents/a/sessions/s/message',
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
    };
    const before = residentBytes(server.pid);
    const block = headerBlock({ ...fields, ...head });
    await raw.send(frameBytes({ type: FRAME.headers, flags: END_HEADERS, stream: 1, payload: block }));
    const pieces = repeated(10_000, frameBytes({ type: FRAME.data, stream: 1, payload: Buffer.of(0x20) }));
    for (let sent = 0; sent < 200 && raw.isOpen; sent++) await raw.send(pieces);
    // An answered ping says that all before it was read.
    await raw.ping();
    expect(raw.isOpen).toBe(true);
    expect(residentBytes(server.pid) - before).toBeLessThan(128 * 1024 * 1024);
  });

  test('may open and cancel many streams on one connection', async () => {
    const session = connect(server.url);
    const opened = { ':path': '/v1/namespaces', authorization: `Bearer ${TOKEN}` };
    for (let round = 0; round < 40; round++) {
      const streams = Array.from({ length: 25 }, () => session.request(opened));
      const closed = streams.map((stream) => once(stream, 'close'));
      for (const stream of streams) stream.on('error', () => undefined).close(constants.NGHTTP2_CANCEL);
      await Promise.all(closed);
    }
    // Cancelled streams count as open until the server has handled them: one that comes too soon is refused, alone.
    const status = await until('a stream is answered', async () => {
      const stream = session.request(opened);
      stream.on('error', () => undefined).resume();
      const answered = once(stream, 'response').then(([head]) => (head as Record<string, unknown>)[':status']);
      return Promise.race([answered, once(stream, 'close').then(() => undefined)]).catch(() => undefined);
    });
    expect([status, session.closed]).toEqual([200, false]);
    session.destroy();
  });
});
