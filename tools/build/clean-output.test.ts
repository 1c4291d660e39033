import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cleanOutput } from './clean-output.mjs';

const folderWith = (...files: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  return folder;
};

const filesOf = (folder: string): readonly string[] =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

it('takes away what an earlier build made and nothing else', () => {
  const made = ['packages/api/a.js', 'packages/cli/b.js', 'svc-0.1.0.tgz', 'svc-api-0.1.0.tgz', '.emitted-Xy/c.js'];
  const others = ['letters.txt', 'photos.tgz', 'svc-notes.tgz', 'packages/mine/d.js', 'lib/e.js'];
  const out = folderWith(...made, ...others);
  cleanOutput(out, folderWith());
  expect(filesOf(out)).toEqual(['d.js', 'e.js', 'letters.txt', 'photos.tgz', 'svc-notes.tgz']);
});

it('makes the folder', () => {
  const out = join(folderWith(), 'new', 'dist');
  cleanOutput(out, folderWith());
  writeFileSync(join(out, 'f'), '');
  expect(filesOf(out)).toEqual(['f']);
});

it('refuses the checkout, by any of its names', () => {
  const root = folderWith('packages/api/source.ts');
  const link = join(folderWith(), 'link');
  symlinkSync(root, link);
  for (const out of [root, link]) expect(() => cleanOutput(out, root)).toThrow('holds the sources');
  expect(filesOf(root)).toEqual(['source.ts']);
});
