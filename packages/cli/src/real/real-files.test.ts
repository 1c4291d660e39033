import fs, { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { explain } from '../failure.ts';
import { realFiles } from './real-files.ts';

const directory = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'svc-files-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
};

it('writes files with their mode at once, making directories, leaving no draft', () => {
  const root = directory();
  const path = join(root, 'a', 'b.json');
  realFiles.writeText(path, 'one', 0o600);
  realFiles.writeText(path, 'two', 0o600);
  expect(realFiles.readText(path)).toBe('two');
  expect(realFiles.facts(path)).toEqual({ isDirectory: false, mode: 0o600, sizeBytes: 3 });
  expect(realFiles.facts(join(root, 'a'))).toMatchObject({ isDirectory: true, mode: 0o700 });
  expect(readdirSync(join(root, 'a'))).toEqual(['b.json']);
});

it('answers undefined for what is not there and throws for what cannot be read', () => {
  const root = directory();
  expect(realFiles.readText(join(root, 'gone'))).toBeUndefined();
  expect(realFiles.readBytes(join(root, 'gone'))).toBeUndefined();
  expect(realFiles.facts(join(root, 'gone'))).toBeUndefined();
  expect(realFiles.freeBytes(join(root, 'gone'))).toBeUndefined();
  expect(realFiles.freeBytes(root)).toBeGreaterThan(0);
  expect(() => realFiles.readText(root)).toThrow();
});

it('refuses text of another encoding, which reading would change', () => {
  const path = join(directory(), 'latin');
  writeFileSync(path, Uint8Array.of(0x61, 0xe4, 0x0a));
  expect(() => realFiles.readText(path)).toThrow('latin is not UTF-8 text');
  writeFileSync(path, '\uFEFFä');
  expect(realFiles.readText(path)).toBe('\uFEFFä');
});

it('tells whether a place can be written', () => {
  const root = directory();
  writeFileSync(join(root, 'f'), '');
  expect(realFiles.isWritable(root)).toBe(true);
  expect(realFiles.isWritable(join(root, 'gone'))).toBe(false);
  chmodSync(join(root, 'f'), 0o600);
  expect(realFiles.readBytes(join(root, 'f'))).toEqual(new Uint8Array());
  realFiles.makeDirectory(join(root, 'd'), 0o700);
  expect(realFiles.facts(join(root, 'd'))?.isDirectory).toBe(true);
});

it('writes pieces whole or not at all, and reads them as a blob', async () => {
  const root = directory();
  const path = join(root, 'new', 'f');
  const encoder = new TextEncoder();
  await realFiles.writePieces(path, ReadableStream.from([encoder.encode('on'), encoder.encode('e')]), 0o600);
  expect(await (await realFiles.openBlob(path))?.text()).toBe('one');
  expect(realFiles.facts(path)?.mode).toBe(0o600);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield encoder.encode('half');
    throw new Error('broke off');
  }
  await expect(realFiles.writePieces(path, broken(), 0o600)).rejects.toThrow('broke off');
  expect([readdirSync(join(root, 'new')), realFiles.readText(path)]).toEqual([['f'], 'one']);
  expect(await realFiles.openBlob(join(root, 'none'))).toBeUndefined();
});

it('makes directories for this person only and removes them with all in them', () => {
  const path = realFiles.makeTemporaryDirectory();
  expect(realFiles.facts(path)).toMatchObject({ isDirectory: true, mode: 0o700 });
  writeFileSync(join(path, 'f'), '');
  realFiles.remove(path);
  realFiles.remove(path);
  expect(realFiles.facts(path)).toBeUndefined();
});

it('names the file in the place of a directory, and does not try for ever where none can be made', () => {
  const root = directory();
  const file = join(root, 'f');
  writeFileSync(file, '');
  const linesOf = (work: () => void): readonly string[] => {
    try {
      work();
    } catch (error) {
      return explain(error)?.lines ?? [];
    }
    return [];
  };
  expect(linesOf(() => realFiles.makeDirectory(file, 0o700))).toEqual([`${file} is a file, not a directory`]);
  expect(linesOf(() => realFiles.writeText(join(file, 'x'), '', 0o600))).toEqual([
    `${file} is a file, not a directory`,
  ]);
  expect(linesOf(() => realFiles.makeDirectory(join(file, 'below', 'it'), 0o700))).toEqual([
    `${join(file, 'below')}: a part of the path is a file, not a directory (ENOTDIR)`,
  ]);
  if (process.platform === 'linux')
    expect(linesOf(() => realFiles.makeDirectory('/proc/svc/below', 0o700))).toEqual([
      '/proc/svc: it is not there (ENOENT)',
    ]);
});

it('uses a directory that another process makes at the same moment', () => {
  const make = fs.mkdirSync.bind(fs);
  const making = vi.spyOn(fs, 'mkdirSync').mockImplementation((path, mode) => {
    make(path, mode);
    return make(path, mode);
  });
  onTestFinished(() => {
    making.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  const path = join(directory(), 'a', 'b');
  realFiles.makeDirectory(path, 0o700);
  expect(realFiles.facts(path)?.isDirectory).toBe(true);
  expect(making).toHaveBeenCalledTimes(2);
});
