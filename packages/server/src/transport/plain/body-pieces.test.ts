import { createHash } from 'node:crypto';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../base/index.ts';
import type { HttpRoute } from '../../operations/index.ts';
import type { FinishedCall, TransportServer } from '../contract.ts';
import { createTransport } from '../create-transport.ts';
import { testParts } from '../testing/transport-parts.ts';
import { until } from '../testing/until.ts';

const PATH = '/v1/up';
const LIMIT = 1_000_000;
const BYTES = Buffer.from(seededRandom(5).fill(new Uint8Array(600_000)));
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let server: TransportServer;
let base: string;
let parts: ReturnType<typeof testParts>;
let told: FinishedCall[];
let taken: Uint8Array[];
/** What the reader does before it asks for the next piece. */
let pause: () => Promise<void>;
/** How the reader was left: 'end', or what was thrown at it. */
let left: PromiseWithResolvers<unknown>;

const route: HttpRoute = {
  ...{ method: 'PUT', pattern: PATH, authenticated: false },
  handle: async (exchange) => {
    try {
      for await (const piece of exchange.pieces({ bytes: LIMIT })) {
        taken.push(Uint8Array.from(piece));
        await pause();
      }
      left.resolve('end');
    } catch (error) {
      left.resolve(error);
      throw error;
    }
    exchange.answer(200, {}, hashOf(Buffer.concat(taken)));
  },
};

beforeEach(async () => {
  [told, taken, pause, left] = [[], [], async () => undefined, Promise.withResolvers()];
  parts = testParts({ routes: [route], onCall: (call) => void told.push(call) });
  server = await createTransport(parts);
  base = `http://127.0.0.1:${server.port}`;
});
afterEach(() => server.close());

const put = (body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(base + PATH, { method: 'PUT', headers, body: new Uint8Array(body) });

const putOverHttp2 = (body: Uint8Array, headers: Record<string, string> = {}): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const session = connectHttp2(base);
    const stream = session.request({ ':method': 'PUT', ':path': PATH, ...headers });
    let status = 0;
    let text = '';
    stream.on('response', (head) => {
      status = Number(head[':status']);
    });
    stream.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    stream.on('error', reject);
    stream.on('close', () => {
      session.close();
      resolve([status, text]);
    });
    stream.end(body);
  });

describe('a body that is taken piece by piece', () => {
  it('comes whole over both versions of HTTP, packed or not', async () => {
    for (const [encoding, packed] of [
      ['identity', BYTES],
      ['gzip', gzipSync(BYTES)],
      ['br', brotliCompressSync(BYTES)],
    ] as const) {
      taken = [];
      const answer = await put(packed, { 'content-encoding': encoding });
      expect([encoding, answer.status, await answer.text()]).toEqual([encoding, 200, hashOf(BYTES)]);
      taken = [];
      expect(await putOverHttp2(packed, { 'content-encoding': encoding })).toEqual([200, hashOf(BYTES)]);
    }
    expect(taken.length).toBeGreaterThan(1);
  });

  it('may be empty, packed too', async () => {
    for (const headers of [{}, { 'content-encoding': 'gzip' }])
      expect(await (await put(new Uint8Array(0), headers)).text()).toBe(hashOf(new Uint8Array(0)));
    expect(await putOverHttp2(new Uint8Array(0), { 'content-encoding': 'gzip' })).toEqual([
      200,
      hashOf(new Uint8Array(0)),
    ]);
  });

  it('is refused above the limit, whether it says so or not, packed or not', async () => {
    const large = Buffer.alloc(LIMIT + 1);
    const declared = await put(large);
    expect([declared.status, taken.length]).toEqual([413, 0]);
    const chunked = new ReadableStream<Uint8Array>({
      start: (to) => {
        to.enqueue(large.subarray(0, 10));
        to.enqueue(large.subarray(10));
        to.close();
      },
    });
    const silent = await fetch(base + PATH, { method: 'PUT', body: chunked, duplex: 'half' } as RequestInit);
    const packed = await put(gzipSync(large), { 'content-encoding': 'gzip' });
    expect([silent.status, packed.status]).toEqual([413, 413]);
    expect(await packed.text()).toContain('"TOO_LARGE"');
    expect((await putOverHttp2(large))[0]).toBe(413);
  });

  it('is refused when it cannot be unpacked', async () => {
    const damaged = await put(gzipSync(BYTES).subarray(0, 5_000), { 'content-encoding': 'gzip' });
    expect([damaged.status, await damaged.text()]).toEqual([400, expect.stringContaining('not valid gzip')]);
    const noise = await put(BYTES, { 'content-encoding': 'br' });
    expect([noise.status, await noise.text()]).toEqual([400, expect.stringContaining('not valid br')]);
    expect((await put(BYTES, { 'content-encoding': 'zip' })).status).toBe(415);
  });

  it('is not taken faster than its reader wants it', async () => {
    const gate = Promise.withResolvers<void>();
    pause = () => gate.promise;
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const lines = [`PUT ${PATH} HTTP/1.1`, 'host: a', `content-length: ${LIMIT}`, 'connection: close', '', ''];
    socket.write(lines.join('\r\n'));
    await new Promise((resolve) => socket.write(Buffer.alloc(64 * 1024), resolve));
    await until(() => taken.length > 0);
    const [first] = taken;
    expect([taken.length, (first?.length ?? 0) < LIMIT]).toEqual([1, true]);
    gate.resolve();
    socket.write(Buffer.alloc(LIMIT - 64 * 1024));
    expect(await left.promise).toBe('end');
    socket.destroy();
  });

  it('throws at its reader when the sender goes away half-way, packed or not', async () => {
    for (const encoding of ['identity', 'gzip']) {
      left = Promise.withResolvers();
      taken = [];
      const socket = connect(server.port, '127.0.0.1');
      const head = [`PUT ${PATH} HTTP/1.1`, 'host: a', `content-encoding: ${encoding}`, `content-length: ${LIMIT}`];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(gzipSync(BYTES).subarray(0, 300_000));
      await until(() => taken.length > 0);
      socket.destroy();
      expect(await left.promise).toMatchObject({ code: 'CANCELLED', reason: 'CLIENT_GONE' });
    }
    left = Promise.withResolvers();
    taken = [];
    const session = connectHttp2(base);
    const stream = session.request({ ':method': 'PUT', ':path': PATH });
    stream.on('error', () => undefined);
    stream.write(BYTES);
    await until(() => taken.length > 0);
    stream.close(constants.NGHTTP2_CANCEL);
    expect(await left.promise).toMatchObject({ code: 'CANCELLED', reason: 'CLIENT_GONE' });
    session.destroy();
    await until(() => told.length === 3);
    expect(told.map(({ reason }) => reason)).toEqual(['CLIENT_GONE', 'CLIENT_GONE', 'CLIENT_GONE']);
  });

  it('is given up when its sender falls silent', async () => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString();
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(`PUT ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nfirst`);
    await until(() => taken.length > 0 && parts.manual.pendingTimers > 0);
    parts.manual.advance(59_999);
    expect(text).toBe('');
    parts.manual.advance(1);
    expect(await left.promise).toMatchObject({ code: 'DEADLINE_EXCEEDED', reason: 'DEADLINE' });
    await until(() => text.includes('"DEADLINE"'));
    expect(text).toMatch(/^HTTP\/1\.1 504 /);
    socket.end();
    await closed;
  });

  it('may be left by its reader, who still answers', async () => {
    pause = () => Promise.reject(new Error('enough'));
    const answer = await put(BYTES);
    expect([answer.status, taken.length]).toEqual([500, 1]);
    taken = [];
    expect((await putOverHttp2(BYTES))[0]).toBe(500);
  });
});
