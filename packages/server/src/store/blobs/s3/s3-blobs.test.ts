import { Buffer } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../base/index.ts';
import { blobConformance } from '../../conformance/index.ts';
import { collect, hashOf, keyOf, openForTest, openPlace } from './testing/s3-places.ts';
import { flipLastBit, S3Server } from './testing/s3-server.ts';

let server: S3Server;

beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server[Symbol.asyncDispose]());

blobConformance('an S3 service', async () => {
  const { blobs, prefix, dispose } = await openPlace(server);
  const damage = (sha256: string): Promise<void> => server.change(keyOf(prefix, sha256), flipLastBit);
  return { blobs, damage, dispose };
});

const random = (sizeBytes: number): Buffer =>
  Buffer.from(seededRandom(sizeBytes).fill(new Uint8Array(sizeBytes)).buffer);

async function* pieces(bytes: Uint8Array, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

describe('S3 blobs', () => {
  it('lie under the keys of the local layout, behind the prefix, as they came', async () => {
    const { blobs, prefix } = await openForTest(server);
    const { sha256 } = await blobs.put(Buffer.from('the same line\n'.repeat(1_000)));
    expect(await server.keys(prefix)).toEqual([keyOf(prefix, sha256)]);
  });

  it('pass over what others put between them', async () => {
    const { blobs, prefix } = await openForTest(server);
    const { blobs: foreign } = await openForTest(server, { prefix: `${prefix}objects/sha256/` });
    await foreign.put(random(10));
    const { sha256 } = await blobs.put(random(20));
    for (const limit of [1, 2, 10]) expect(await blobs.list('', limit)).toEqual([sha256]);
  });

  it('are never wrong when bytes changed on the server: not a bit, not the length, not the last piece', async () => {
    const { blobs, prefix } = await openForTest(server);
    const bytes = random(500_000);
    const damages: readonly ((stored: Buffer) => Buffer)[] = [
      flipLastBit,
      (stored) => stored.subarray(0, -1),
      (stored) => Buffer.concat([stored, stored]),
      () => Buffer.alloc(0),
    ];
    for (const damage of damages) {
      const { sha256 } = await blobs.put(bytes);
      await server.change(keyOf(prefix, sha256), damage);
      const got: Uint8Array[] = [];
      const reading = async (): Promise<void> => {
        for await (const chunk of blobs.stream(sha256, { start: 0, end: 10_000_000 })) got.push(chunk);
      };
      await expect(reading()).rejects.toMatchObject({ code: 'DATA_LOSS', reason: 'OBJECT_DAMAGED' });
      expect(hashOf(Buffer.concat(got))).not.toBe(sha256);
      await expect(blobs.read(sha256)).rejects.toMatchObject({ reason: 'OBJECT_DAMAGED' });
    }
  });

  it('show nothing in the spool, on their way, afterwards, nor when refused', async () => {
    const { blobs, spoolDir } = await openForTest(server);
    const seen: (readonly string[])[] = [];
    async function* watched(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces(random(100_000), 30_000)) {
        seen.push(await readdir(spoolDir));
        yield piece;
      }
    }
    const { sizeBytes } = await blobs.put(watched());
    await expect(blobs.put(watched(), { limitBytes: 10 })).rejects.toMatchObject({ reason: 'TOO_LARGE' });
    expect([sizeBytes, seen.flat(), await readdir(spoolDir)]).toEqual([100_000, [], []]);
  });

  it('say UNAVAILABLE while the server is gone, in the middle of a stream as well, and work again once it is back', async () => {
    const { blobs, reach } = await openForTest(server);
    const bytes = random(30_000_000);
    const { sha256 } = await blobs.put(pieces(bytes, 1_000_000));
    const unavailable = { code: 'UNAVAILABLE', reason: 'STORAGE', message: 'the object store cannot be reached' };
    const cut = blobs.stream(sha256)[Symbol.asyncIterator]();
    await cut.next();
    await server.stop();
    const rest = async (): Promise<void> => {
      for (let next = await cut.next(); next.done !== true; ) next = await cut.next();
    };
    await expect(rest()).rejects.toMatchObject(unavailable);
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => blobs.put(random(10)),
      () => blobs.put(pieces(random(10), 3)),
      () => blobs.read(sha256),
      () => blobs.stat(sha256),
      () => blobs.delete(sha256),
      () => blobs.list('', 10),
      () => reach(),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject(unavailable);
    await server.start();
    await reach();
    expect(Buffer.compare(await collect(blobs.stream(sha256)), bytes)).toBe(0);
    expect(await blobs.stat(hashOf(random(10)))).toBeUndefined();
  });

  it('end a read whose reader left, without reading on', async () => {
    const { blobs } = await openForTest(server);
    const { sha256 } = await blobs.put(pieces(random(5_000_000), 1_000_000));
    for await (const chunk of blobs.stream(sha256)) {
      expect(chunk.length).toBeLessThan(5_000_000);
      break;
    }
    expect(await blobs.stat(sha256)).toEqual({ sizeBytes: 5_000_000 });
  });
});
