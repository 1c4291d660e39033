import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { MemoryFolder } from './memory-folder.ts';

const memoryOf = (): string => {
  const memory = mkdtempSync(join(tmpdir(), 'svc-memory-'));
  onTestFinished(() => rmSync(memory, { recursive: true }));
  return memory;
};

it('a run has an empty folder that others may pass through, and that goes with all it holds', () => {
  const memory = memoryOf();
  const folder = new MemoryFolder(memory, 1);
  const path = folder.path ?? '';
  expect(readdirSync(memory)).toEqual([basename(path)]);
  expect(readdirSync(path)).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o755);
  mkdirSync(join(path, 'left'));
  writeFileSync(join(path, 'left', 'behind'), '');
  folder[Symbol.dispose]();
  expect(readdirSync(memory)).toEqual([]);
});

it('goes with the checks that made it, however they end by themselves', () => {
  const memory = memoryOf();
  const folderModule = JSON.stringify(new URL('memory-folder.ts', import.meta.url).href);
  const script = `
    import { writeFileSync } from 'node:fs';
    import { MemoryFolder } from ${folderModule};
    const { path } = new MemoryFolder(${JSON.stringify(memory)}, 1);
    writeFileSync(path + '/left', '');
    process.exit(path.startsWith(${JSON.stringify(memory)}) ? 130 : 1);`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  expect([status, readdirSync(memory)]).toEqual([130, []]);
});

it('a run has none where there is too little room, or no file system in memory', () => {
  const memory = memoryOf();
  using small = new MemoryFolder(memory, Number.POSITIVE_INFINITY);
  using absent = new MemoryFolder(join(memory, 'none'), 1);
  expect([small.path, absent.path]).toEqual([undefined, undefined]);
  expect(readdirSync(memory)).toEqual([]);
});
