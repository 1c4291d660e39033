import { Buffer } from 'node:buffer';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DumpRow, StoreDump } from '../../../../store/contracts/index.ts';
import { createObjects, tableDump } from '../testing/index.ts';
import { readArchive } from './archive-reader.ts';
import { type ArchiveSource, writeArchive } from './archive-writer.ts';
import { writeSealed } from './sealed-stream.ts';
import { paddingAfter, tarHeader } from './tar.ts';

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-archive-'));
  file = join(dir, 'a.tar.zst');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const facts = { svc: '1.2.3', cluster_id: 'svc', created_at: '2026-03-01T12:00:00.000Z' };
const instance: readonly DumpRow[] = [
  { name: 'epoch', value: 'the epoch' },
  { name: 'note', value: 'line\nbreak, "quotes", 🐦' },
];
const chunk = (sha256: DumpRow | undefined, words: string | null): DumpRow => ({
  ...{ document: 1, ordinal: 0, heading: '', body: `${sha256?.['sha256']}`, words },
});

const objects = createObjects([
  Buffer.from('one'),
  Buffer.alloc(0),
  Buffer.alloc(5_000_000, 'ab'),
  Buffer.alloc(512, 1),
]);
const source = (more: Partial<ArchiveSource> = {}): ArchiveSource => ({
  dump: tableDump({ instance, objects: objects.rows, search_chunks: [chunk(objects.rows[0], null)] }),
  ...{ blobs: objects.blobs, facts },
  ...more,
});

/** Everything that an archive tells, objects by their size. */
const readAll = async (path = file): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for await (const part of readArchive(path)) {
    if (part.kind !== 'object') found.push(part.kind === 'rows' ? [part.table.name, part.rows] : part);
    else found.push([part.sha256, Buffer.concat(await Array.fromAsync(part.bytes)).byteLength]);
  }
  return found;
};
const DAMAGED = { code: 'DATA_LOSS', reason: 'ARCHIVE_DAMAGED' };

describe('an archive', () => {
  it('gives back what was put in, with counts and hashes, as one private file', async () => {
    const keys = Buffer.from('sealed keys');
    const written = await writeArchive(file, source({ keys }));
    expect(written.sizeBytes).toBe(statSync(file).size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['a.tar.zst']);
    const { manifest } = written;
    expect(manifest).toMatchObject({ ...facts, format: 1, engine: 'fake', schema: 7, epoch: 'the epoch' });
    expect(manifest.tables).toEqual({ instance: 2, objects: 4, search_chunks: 1 });
    expect(manifest.objects).toMatchObject({ count: 4, bytes: 5_000_515 });
    expect(await readAll()).toEqual([
      ['instance', instance],
      ['objects', objects.rows],
      ['search_chunks', [chunk(objects.rows[0], null)]],
      ...objects.rows.map((row) => [row['sha256'], row['size_bytes']]),
      { kind: 'keys', sealed: keys },
      { kind: 'manifest', manifest },
    ]);
  });

  it('is checked whole by a reader who takes no bytes of objects', async () => {
    await writeArchive(file, source());
    const kinds = (await Array.fromAsync(readArchive(file))).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'object')).toHaveLength(4);
    expect(kinds.at(-1)).toBe('manifest');
  });

  it('cuts large tables into files, so that none is whole in memory', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ name: `n${index}`, value: 'x'.repeat(100_000) }));
    const { manifest } = await writeArchive(file, source({ dump: tableDump({ instance: rows }) }));
    const names = manifest.files.map(({ name }) => name);
    expect(names).toEqual(['svc-backup.json', ...[1, 2, 3].map((part) => `tables/instance-00000${part}.ndjson`)]);
    const found = (await readAll()).slice(0, -1).flatMap((part) => (part as [string, readonly DumpRow[]])[1]);
    expect(found).toEqual(rows);
  });

  it('names objects that are lost, and does not miss those that nobody refers to', async () => {
    const lost = { sha256: 'f'.repeat(64), size_bytes: 1, unreferenced_at: 0 };
    const collected = { sha256: 'e'.repeat(64), size_bytes: 1, unreferenced_at: 5 };
    const rows = [...objects.rows, collected, lost];
    const { manifest } = await writeArchive(file, source({ dump: tableDump({ objects: rows }) }));
    expect(manifest.lost_objects).toEqual(['f'.repeat(64)]);
    expect(manifest.objects.count).toBe(4);
  });

  it('never replaces a file, and leaves nothing when it fails or is ended', async () => {
    await writeArchive(file, source());
    const before = readFileSync(file);
    await expect(writeArchive(file, source())).rejects.toMatchObject({ reason: 'FILE_EXISTS' });
    expect(readFileSync(file).equals(before)).toBe(true);
    const other = join(dir, 'b');
    const broken: StoreDump = { ...tableDump({}), rows: () => failing() };
    await expect(writeArchive(other, source({ dump: broken }))).rejects.toThrow('the disk is gone');
    const blobs = { stream: () => failing() };
    await expect(writeArchive(other, source({ blobs }))).rejects.toThrow('the disk is gone');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(writeArchive(other, source({ signal }))).rejects.toThrow('enough');
    expect(readdirSync(dir)).toEqual(['a.tar.zst']);
  });
});

/** A stream that fails at once. */
// biome-ignore lint/correctness/useYield: it fails before
async function* failing(): AsyncGenerator<never> {
  throw new Error('the disk is gone');
}

describe('a changed archive', () => {
  it('is refused whichever byte was flipped', async () => {
    await writeArchive(file, source({ dump: tableDump({ instance }) }));
    const whole = readFileSync(file);
    expect(await readAll()).toHaveLength(2);
    const places = [...Array.from({ length: 60 }, (_, at) => Math.floor((at * whole.length) / 60)), whole.length - 1];
    const ends = Array.from({ length: 60 }, (_, at) => whole.length - 60 + at);
    for (const place of new Set([...Array.from({ length: 24 }, (_, at) => at), ...places, ...ends])) {
      const changed = Buffer.from(whole);
      changed[place] = (whole[place] ?? 0) ^ 0x10;
      writeFileSync(file, changed);
      await expect(readAll(), `byte ${place}`).rejects.toMatchObject(DAMAGED);
    }
  });

  it('is refused when its end is missing', async () => {
    await writeArchive(file, source());
    for (const bytes of [statSync(file).size - 1, 300, 20]) {
      truncateSync(file, bytes);
      await expect(readAll()).rejects.toMatchObject(DAMAGED);
    }
  });

  it('is told from what never was one', async () => {
    const unknown = { code: 'INVALID_ARGUMENT', reason: 'ARCHIVE_UNKNOWN' };
    await expect(readAll(join(dir, 'none'))).rejects.toMatchObject(unknown);
    for (const text of ['', 'apiVersion: svc/v1\nkind: Agent\n', 'x'.repeat(5_000)]) {
      writeFileSync(file, text);
      await expect(readAll()).rejects.toMatchObject(unknown);
    }
  });
});

describe('an archive that was put together by hand', () => {
  const FORMAT = ['svc-backup.json', '{"format":1,"svc":"1"}'] as const;
  const emptyList = { count: 0, bytes: 0, sha256: '' };
  const manifest = JSON.stringify({ format: 1, tables: {}, files: [], objects: emptyList, lost_objects: [] });

  const tar = (entries: readonly (readonly [string, string])[], end = Buffer.alloc(1024)): Buffer =>
    Buffer.concat([
      ...entries.flatMap(([name, text]) => {
        const bytes = Buffer.from(text);
        const padding = Buffer.alloc(paddingAfter(bytes.byteLength));
        return [tarHeader({ name, sizeBytes: bytes.byteLength }, 0), bytes, padding];
      }),
      end,
    ]);
  const seal = async (bytes: Buffer): Promise<void> => {
    rmSync(file, { force: true });
    await writeSealed(
      file,
      (async function* () {
        yield bytes;
      })(),
    );
  };

  it.each([
    ['no manifest', [FORMAT]],
    ['an entry behind the manifest', [FORMAT, ['manifest.json', manifest], ['tables/turns-000001.ndjson', '']]],
    ['two beginnings', [FORMAT, FORMAT]],
    ['a file of its own', [FORMAT, ['notes.txt', 'x']]],
    ['a table that nobody knows', [FORMAT, ['tables/secrets-000001.ndjson', '{}\n']]],
    ['rows that are none', [FORMAT, ['tables/turns-000001.ndjson', '{"a":\n']]],
    ['an object of another name', [FORMAT, [`objects/${'0'.repeat(64)}`, 'x']]],
    ['no format', [['svc-backup.json', '{}']]],
    ['a beginning that is no JSON', [['svc-backup.json', '{']]],
    ['a beginning that is no object', [['svc-backup.json', 'null']]],
    ['an incomplete manifest', [FORMAT, ['manifest.json', '{"tables":{},"files":[],"objects":{}}']]],
    ['a manifest of other files', [FORMAT, ['manifest.json', manifest]]],
  ] as const)('is refused with %s', async (_what, entries) => {
    await seal(tar(entries));
    await expect(readAll()).rejects.toMatchObject(DAMAGED);
  });

  it('is refused when a part was changed and sealed again', async () => {
    await writeArchive(file, source({ keys: Buffer.from('sealed keys') }));
    const { zstdDecompressSync } = await import('node:zlib');
    const plain = zstdDecompressSync(readFileSync(file).subarray(0, -44));
    const at = (text: string): number => plain.indexOf(text);
    const places = {
      header: at('tables/instance'),
      rows: at('the epoch'),
      object: at(`objects/${objects.hashes.at(-1)}`) + 512,
      keys: at('sealed keys'),
      manifest: at('"instance": 2') + 12,
      padding: at('the epoch') + 400,
      end: plain.length - 1,
    };
    for (const [part, place] of Object.entries(places)) {
      const changed = Buffer.from(plain);
      changed[place] = (plain[place] ?? 0) ^ 1;
      await seal(changed);
      await expect(readAll(), part).rejects.toMatchObject(DAMAGED);
    }
    await seal(plain.subarray(0, plain.length - 1024));
    await expect(readAll()).rejects.toMatchObject(DAMAGED);
    await seal(plain.subarray(0, at('the epoch')));
    await expect(readAll()).rejects.toMatchObject(DAMAGED);
    await seal(plain);
    expect(await readAll()).toHaveLength(9);
  });

  it('is refused when rows or objects are missing, whatever else fits', async () => {
    const whole = await writeArchive(file, source({ dump: tableDump({}) }));
    const { zstdDecompressSync } = await import('node:zlib');
    const plain = zstdDecompressSync(readFileSync(file).subarray(0, -44)).toString('latin1');
    const told = JSON.stringify(whole.manifest, undefined, 2);
    for (const other of [
      { ...whole.manifest, tables: { ...whole.manifest.tables, turns: 1 } },
      { ...whole.manifest, objects: { ...whole.manifest.objects, count: 1 } },
      { ...whole.manifest, files: [...whole.manifest.files, { name: 'tables/x', bytes: 0, sha256: '' }] },
    ]) {
      const first = plain.slice(0, plain.indexOf('manifest.json'));
      expect(plain).toContain(told);
      const end = tar([['manifest.json', JSON.stringify(other)]]);
      await seal(Buffer.concat([Buffer.from(first, 'latin1'), end]));
      await expect(readAll()).rejects.toMatchObject({
        ...DAMAGED,
        message: expect.stringContaining('missing from it'),
      });
    }
  });

  it('begins with what it is, and is refused when it is of a later release', async () => {
    await seal(tar([['notes.txt', 'x']]));
    await expect(readAll()).rejects.toMatchObject({ reason: 'ARCHIVE_UNKNOWN' });
    await seal(tar([['svc-backup.json', '{"format":2,"svc":"9.0.0"}']]));
    await expect(readAll()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'ARCHIVE_TOO_NEW' });
  });

  it('holds only what a header can tell', () => {
    expect(() => tarHeader({ name: 'a b', sizeBytes: 1 }, 0)).toThrow('cannot be a name');
    expect(() => tarHeader({ name: 'x'.repeat(101), sizeBytes: 1 }, 0)).toThrow('cannot be a name');
    expect(() => tarHeader({ name: 'a', sizeBytes: 8 ** 11 }, 0)).toThrow('holds files up to');
  });
});
