import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../base/index.ts';
import type { BlobStore } from '../contracts/index.ts';

export interface BlobsUnderTest {
  readonly blobs: BlobStore;
  /** Changes a byte of the stored object behind the store's back. */
  damage(sha256: string): Promise<void>;
  dispose(): Promise<void>;
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const MISSING = 'ab'.repeat(32);

async function* pieces(bytes: Uint8Array, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

const collect = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const random = (sizeBytes: number): Uint8Array => seededRandom(sizeBytes).fill(new Uint8Array(sizeBytes));
const text = (sizeBytes: number): Uint8Array => Buffer.from('The same line again, and é. '.repeat(sizeBytes / 28));

const samples: readonly (readonly [string, Uint8Array])[] = [
  ['nothing', new Uint8Array(0)],
  ['a short text', Buffer.from('hello')],
  ['a long text', text(500_000)],
  ['a text that hardly gets smaller', Buffer.from(Buffer.from(random(60_000)).toString('base64url'))],
  ['binary', random(300_000)],
];

/** Every method of the blob contract; `make` opens an empty store for each test. */
export const blobConformance = (engine: string, make: () => Promise<BlobsUnderTest>): void => {
  const open = async (): Promise<BlobsUnderTest> => {
    const made = await make();
    onTestFinished(() => made.dispose());
    return made;
  };

  describe(`blob contract on ${engine}`, () => {
    it.each(samples)('gives back %s, put whole or in pieces', async (_name, bytes) => {
      const { blobs } = await open();
      const put = await blobs.put(bytes);
      expect(put).toEqual({ sha256: hashOf(bytes), sizeBytes: bytes.length });
      expect(await blobs.put(pieces(bytes, 7_001))).toEqual(put);
      expect(Buffer.compare(await blobs.read(put.sha256), bytes)).toBe(0);
      expect(Buffer.compare(await collect(blobs.stream(put.sha256)), bytes)).toBe(0);
      expect(await blobs.stat(put.sha256)).toEqual({ sizeBytes: bytes.length });
    });

    it.each(samples)('streams ranges of %s', async (_name, bytes) => {
      const { blobs } = await open();
      const { sha256 } = await blobs.put(bytes);
      const ranges = [
        [0, 1],
        [0, 5_000],
        [1, 4],
        [100, 100],
        [3_000, 1_000_000],
        [0, 1_000_000],
      ] as const;
      for (const [start, end] of ranges) {
        const got = await collect(blobs.stream(sha256, { start, end }));
        expect(Buffer.compare(got, bytes.subarray(start, end))).toBe(0);
      }
    });

    it('refuses more bytes than the limit and keeps nothing of them', async () => {
      const { blobs } = await open();
      const bytes = text(10_000);
      for (const source of [bytes, pieces(bytes, 100)]) {
        const put = blobs.put(source, { limitBytes: bytes.length - 1 });
        await expect(put).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'TOO_LARGE' });
      }
      expect(await blobs.stat(hashOf(bytes))).toBeUndefined();
      await expect(blobs.put(bytes, { limitBytes: bytes.length })).resolves.toBeDefined();
    });

    it('keeps nothing of a source that fails', async () => {
      const { blobs } = await open();
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield text(10_000);
        throw new Error('cut');
      }
      await expect(blobs.put(failing())).rejects.toThrow('cut');
      expect(await blobs.stat(hashOf(text(10_000)))).toBeUndefined();
    });

    it('answers NOT_FOUND for what it does not have, malformed names included', async () => {
      const { blobs } = await open();
      const missing = { code: 'NOT_FOUND', reason: 'OBJECT_NOT_FOUND' };
      for (const name of [MISSING, '../../etc/passwd', '']) {
        await expect(blobs.read(name)).rejects.toMatchObject(missing);
        await expect(collect(blobs.stream(name, { start: 0, end: 1 }))).rejects.toMatchObject(missing);
        expect(await blobs.stat(name)).toBeUndefined();
        await blobs.delete(name);
      }
    });

    it.each(samples.filter(([, bytes]) => bytes.length > 0))(
      'ends a read of damaged bytes: %s',
      async (_name, bytes) => {
        const { blobs, damage } = await open();
        const { sha256 } = await blobs.put(bytes);
        await damage(sha256);
        const damaged = { code: 'DATA_LOSS', reason: 'OBJECT_DAMAGED' };
        await expect(blobs.read(sha256)).rejects.toMatchObject(damaged);
        await expect(collect(blobs.stream(sha256))).rejects.toMatchObject(damaged);
        await blobs.put(bytes);
        expect(Buffer.compare(await blobs.read(sha256), bytes)).toBe(0);
      },
    );

    it('deletes, more than once, and takes the bytes again', async () => {
      const { blobs } = await open();
      const { sha256 } = await blobs.put(text(10_000));
      await blobs.delete(sha256);
      await blobs.delete(sha256);
      expect(await blobs.stat(sha256)).toBeUndefined();
      await blobs.put(text(10_000));
      expect(await blobs.stat(sha256)).toBeDefined();
    });

    it('lists what it has in pages, each object once', async () => {
      const { blobs } = await open();
      expect(await blobs.list('', 10)).toEqual([]);
      const hashes: string[] = [];
      for (let size = 1; size <= 40; size++) hashes.push((await blobs.put(random(size))).sha256);
      hashes.push((await blobs.put(text(28_000))).sha256);
      const listed: string[] = [];
      for (;;) {
        const page = await blobs.list(listed.at(-1) ?? '', 7);
        listed.push(...page);
        if (page.length < 7) break;
      }
      expect(listed).toEqual([...new Set(hashes)].sort());
      await blobs.delete(listed[0] ?? '');
      expect(await blobs.list('', 100)).toEqual(listed.slice(1));
    });

    it('takes equal bytes from many at once', async () => {
      const { blobs } = await open();
      const bytes = text(50_000);
      const puts = await Promise.all(Array.from({ length: 8 }, () => blobs.put(bytes)));
      expect(new Set(puts.map((put) => put.sha256)).size).toBe(1);
      expect(Buffer.compare(await blobs.read(hashOf(bytes)), bytes)).toBe(0);
    });
  });
};
