import { Buffer } from 'node:buffer';
import { mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../base/index.ts';
import { blobConformance } from '../../conformance/index.ts';
import { createLocalBlobs } from './index.ts';
import { frameContentSize } from './zstd-frame.ts';

const openBlobs = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-blobs-'));
  return {
    dir,
    blobs: createLocalBlobs({ dir, random: seededRandom(1) }),
    dispose: () => rm(dir, { recursive: true }),
  };
};

const openForTest = async () => {
  const made = await openBlobs();
  onTestFinished(made.dispose);
  return made;
};

/** Files of objects, as paths below the directory. */
const filesOf = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));

const damageLastByte = async (file: string): Promise<void> => {
  const { size } = await stat(file);
  const handle = await open(file, 'r+');
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  await handle.write(Buffer.from([(last[0] ?? 0) ^ 0xff]), 0, 1, size - 1);
  await handle.close();
};

blobConformance('the local directory', async () => {
  const { dir, blobs, dispose } = await openBlobs();
  const damage = async (sha256: string): Promise<void> => {
    const file = (await filesOf(dir)).find((name) => name.includes(sha256));
    await damageLastByte(join(dir, file ?? ''));
  };
  return { blobs, damage, dispose };
});

describe('local blobs', () => {
  it('opened by a reader leave what another process is writing alone', async () => {
    const { dir, blobs } = await openForTest();
    const { sha256 } = await blobs.put(Buffer.from('kept'));
    await writeFile(join(dir, 'tmp', 'being-written'), 'half');
    const reader = createLocalBlobs({ dir, random: seededRandom(2), isReader: true });
    expect(Buffer.from(await reader.read(sha256)).toString()).toBe('kept');
    expect(await filesOf(dir)).toContain('tmp/being-written');
    const none = createLocalBlobs({ dir: join(dir, 'none'), random: seededRandom(2), isReader: true });
    expect(await none.stat(sha256)).toBeUndefined();
  });

  it('keep an object under its hash, and text over 4 KiB compressed', async () => {
    const { dir, blobs } = await openForTest();
    const { sha256: long } = await blobs.put(Buffer.from('line\n'.repeat(2_000)));
    const { sha256: short } = await blobs.put(Buffer.from('line\n'.repeat(800)));
    const { sha256: binary } = await blobs.put(Buffer.alloc(10_000));
    const path = (sha256: string) => `sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
    expect((await filesOf(dir)).sort()).toEqual([`${path(long)}.zst`, path(short), path(binary)].sort());
    expect((await stat(join(dir, `${path(long)}.zst`))).size).toBeLessThan(1_000);
  });

  it('leave text as it is when compressing saves less than a tenth', async () => {
    const { dir, blobs } = await openForTest();
    const { sha256 } = await blobs.put(Buffer.from(hardText(4_100)));
    expect((await filesOf(dir)).map((name) => name.endsWith(sha256))).toEqual([true]);
  });

  it('remove what an earlier process left behind', async () => {
    const { dir } = await openForTest();
    await writeFile(join(dir, 'tmp', 'left'), 'x');
    createLocalBlobs({ dir, random: seededRandom(2) });
    expect(await filesOf(dir)).toEqual([]);
  });

  it('leave what another process may be writing in a shared directory, until it is old', async () => {
    const { dir } = await openForTest();
    await writeFile(join(dir, 'tmp', 'being-written'), 'half');
    const { mtimeMs } = await stat(join(dir, 'tmp', 'being-written'));
    createLocalBlobs({ dir, random: seededRandom(2), leftBeforeMs: mtimeMs });
    expect(await filesOf(dir)).toEqual(['tmp/being-written']);
    createLocalBlobs({ dir, random: seededRandom(2), leftBeforeMs: mtimeMs + 1 });
    expect(await filesOf(dir)).toEqual([]);
  });

  it('say that the disk is full, and leave nothing of what found no room', async () => {
    const { dir, blobs } = await openForTest();
    async function* full(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('the first bytes');
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });
    }
    await expect(blobs.put(full())).rejects.toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_FULL', message: "the server's disk is full" },
    });
    expect(await filesOf(dir)).toEqual([]);
  });

  it('report a full disk once, and once that it has room again', async () => {
    const { dir } = await openForTest();
    const lines: string[] = [];
    let nowMs = 0;
    const log = { error: (text: string) => void lines.push(text), warn: (text: string) => void lines.push(text) };
    const blobs = createLocalBlobs({ dir, random: seededRandom(4), report: { log, monotonicMs: () => nowMs } });
    async function* full(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('the first bytes');
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });
    }
    for (let tries = 0; tries < 2; tries++) await expect(blobs.put(full())).rejects.toThrow('disk is full');
    nowMs = 20_000;
    await blobs.put(Buffer.from('fits'));
    expect(lines).toEqual([
      "the server's disk is full: writes are refused until there is room again, reads continue",
      'the disk has room again: writes are accepted',
    ]);
  });

  it('leave nothing in tmp after refused and accepted puts', async () => {
    const { dir, blobs } = await openForTest();
    await blobs.put(Buffer.from('x'.repeat(9_000)));
    await blobs.put(Buffer.from('y'.repeat(9_000)), { limitBytes: 10 }).catch(() => undefined);
    expect((await filesOf(dir)).filter((name) => name.startsWith('tmp'))).toEqual([]);
  });
});

/** Characters of one and two bytes, mixed evenly: about 7.5 bits in each byte. */
const hardText = (characters: number): string => {
  const random = seededRandom(3);
  const one = (): string => {
    const [first, count] = random.next() < 0.5 ? [1, 127] : [0x80, 0x780];
    return String.fromCodePoint(first + Math.floor(random.next() * count));
  };
  return Array.from({ length: characters }, one).join('');
};

describe('frame header', () => {
  it.each([1, 100, 255, 256, 300, 65_791, 65_792, 70_000, 3_000_000])('tells the plain size of %i bytes', (size) => {
    expect(frameContentSize(zstdCompressSync(Buffer.alloc(size, 'a')).subarray(0, 18))).toBe(size);
  });

  it('is not seen in other bytes', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('hello world'), Buffer.from('28b52ffd', 'hex')])
      expect(frameContentSize(bytes)).toBeUndefined();
  });
});
