import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Place, Places } from './testing/index.ts';

const PASSPHRASE = 'a passphrase of the test';

let places: Places;
beforeEach(() => {
  places = new Places();
});
afterEach(() => places.dispose());

/** A place with a store, and an archive of it as a running server writes one. */
const backedUp = async (): Promise<{ readonly place: Place; readonly file: string }> => {
  const place = places.place();
  const { store } = await place.open();
  await store.close();
  const file = join(places.root, 'first.tar.zst');
  await place.upkeep.backup({ file });
  return { place, file };
};

describe('a backup that a server wrote on this machine', () => {
  it('is taken over whole, to a new name, for its owner only', async () => {
    const { place, file: from } = await backedUp();
    const file = join(places.root, 'mine.tar.zst');
    const before = readFileSync(from);
    const sha256 = createHash('sha256').update(before).digest('hex');
    const fetch = (to: string, hash = sha256) =>
      place.upkeep.fetch({ write: async () => ({ from, file: to, sha256: hash }) });
    writeFileSync(file, 'something else');
    await expect(fetch(file)).rejects.toMatchObject({ reason: 'FILE_EXISTS' });
    await expect(fetch(join(places.root, 'none', 'x'))).rejects.toThrow('ENOENT');
    await expect(fetch(`${file}.2`, '0'.repeat(64))).rejects.toMatchObject({ reason: 'ARCHIVE_DAMAGED' });
    expect(readFileSync(from).equals(before)).toBe(true);
    expect(await fetch(`${file}.2`)).toEqual({ file: `${file}.2`, sha256, sizeBytes: before.byteLength });
    expect(readFileSync(`${file}.2`).equals(before)).toBe(true);
    expect(statSync(`${file}.2`).mode & 0o777).toBe(0o600);
    expect(existsSync(from)).toBe(false);
    expect(filesOf(places.root)).toEqual(['mine.tar.zst', 'mine.tar.zst.2']);
  });

  it('stays where it is when it was given up, and nothing of the copy is left', async () => {
    const { place, file: from } = await backedUp();
    const sha256 = createHash('sha256').update(readFileSync(from)).digest('hex');
    const order = { write: async () => ({ from, file: join(places.root, 'mine'), sha256 }) };
    await expect(place.upkeep.fetch({ ...order, signal: AbortSignal.abort(new Error('given up')) })).rejects.toThrow(
      'given up',
    );
    expect(filesOf(places.root)).toEqual(['first.tar.zst']);
  });
});

/** Names of the files that were made beside the data directories. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

describe('a backup with keys that fails', () => {
  const prepared = async () => {
    const { place, file: from } = await backedUp();
    mkdirSync(join(place.dataDir, 'keys'), { recursive: true });
    writeFileSync(join(place.dataDir, 'keys', 'master.json'), '{"keys":[]}');
    const sha256 = createHash('sha256').update(readFileSync(from)).digest('hex');
    return { place, from, sha256 };
  };

  it('leaves neither the archive of the server nor a part of its own', async () => {
    const ends = [
      { more: { signal: AbortSignal.abort(new Error('given up')) }, name: 'mine', text: 'given up' },
      { more: {}, name: join('none', 'mine'), text: 'ENOENT' },
    ];
    for (const { more, name, text } of ends) {
      const { place, from, sha256 } = await prepared();
      const write = async () => ({ from, file: join(places.root, name), sha256 });
      await expect(place.upkeep.fetch({ write, passphrase: PASSPHRASE, ...more })).rejects.toThrow(text);
      expect(filesOf(places.root)).toEqual([]);
      rmSync(place.dataDir, { recursive: true });
    }
  });

  it('does not have the server write when its keys or its passphrase are refused', async () => {
    const { place } = await prepared();
    let written = 0;
    const write = () => {
      written += 1;
      return Promise.reject(new Error('never asked'));
    };
    await expect(place.upkeep.fetch({ write, passphrase: 'short' })).rejects.toMatchObject({ reason: 'PASSPHRASE' });
    rmSync(join(place.dataDir, 'keys'), { recursive: true });
    await expect(place.upkeep.fetch({ write, passphrase: PASSPHRASE })).rejects.toMatchObject({ reason: 'KEY_FILE' });
    expect(written).toBe(0);
  });

  it('keeps what is not the archive of the server', async () => {
    const { place, from } = await prepared();
    const write = async () => ({ from, file: join(places.root, 'mine'), sha256: '0'.repeat(64) });
    await expect(place.upkeep.fetch({ write, passphrase: PASSPHRASE })).rejects.toMatchObject({
      reason: 'ARCHIVE_DAMAGED',
    });
    expect(filesOf(places.root)).toEqual(['first.tar.zst']);
  });

  it('of a stopped server leaves nothing, also of the copy of its database', async () => {
    const { place, from } = await prepared();
    const order = { file: join(places.root, 'mine'), passphrase: PASSPHRASE };
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(place.upkeep.backup({ ...order, signal })).rejects.toThrow('given up');
    expect(filesOf(places.root)).toEqual(['first.tar.zst']);
    rmSync(from);
  });
});
