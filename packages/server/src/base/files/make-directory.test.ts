import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDirectory, pathFault } from './make-directory.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-directory-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const refused = (message: string) => ({ code: 'FAILED_PRECONDITION', reason: 'DIRECTORY_UNUSABLE', message });
const failureOf = (path: string): unknown => {
  try {
    return makeDirectory(path);
  } catch (error) {
    return error;
  }
};

it('makes a directory that its own path names twice', () => {
  expect(makeDirectory(`${root}/a/.`)).toBe(`${root}/a`);
  expect(statSync(`${root}/a`).isDirectory()).toBe(true);
});

it('says that a name is too long for the file system', () => {
  expect(failureOf(join(root, 'n'.repeat(300)))).toMatchObject({
    ...{ code: 'FAILED_PRECONDITION', reason: 'DIRECTORY_UNUSABLE' },
    message: expect.stringContaining('the name is too long'),
  });
});

it('makes what is missing for its owner only, and answers where it began', () => {
  expect(makeDirectory(join(root, 'a', 'b', 'c'))).toBe(join(root, 'a'));
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
  expect(makeDirectory(join(root, 'a', 'b', 'c'))).toBeUndefined();
  symlinkSync(join(root, 'a'), join(root, 'link'));
  expect(makeDirectory(join(root, 'link', 'd'))).toBe(join(root, 'link', 'd'));
});

it('names the file that is in the place of a directory', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  const text = `${file} is a file, not a directory: choose another directory, or move the file`;
  expect(failureOf(file)).toMatchObject(refused(text));
  expect(failureOf(join(file, 'below', 'it'))).toMatchObject(refused(text));
});

it.runIf(existsSync('/proc/self'))('refuses a place where no directory can be made instead of trying for ever', () => {
  const text = 'its file system does not let directories be made there: choose another directory';
  expect(failureOf('/proc/svc-data')).toMatchObject(refused(`/proc/svc-data cannot be used: ${text}`));
  expect(failureOf('/proc/svc-data/below')).toMatchObject(refused(`/proc/svc-data cannot be used: ${text}`));
});

it.runIf(process.getuid?.() !== 0)('says that the right to write is missing', () => {
  mkdirSync(join(root, 'closed'), 0o500);
  expect(failureOf(join(root, 'closed', 'x'))).toMatchObject({
    message: expect.stringContaining('may not write there: give it the right'),
  });
});

it.each([
  ['EACCES', 'DIRECTORY_UNUSABLE', 'may not write there'],
  ['EROFS', 'DIRECTORY_UNUSABLE', 'its file system is read-only'],
  ['ENOSPC', 'STORAGE_FULL', 'the disk of /x is full: make room'],
  ['EIO', 'DIRECTORY_UNUSABLE', 'choose another directory'],
])('says what to do about %s', (code, reason, text) => {
  const fault = pathFault('/x', Object.assign(new Error('told by the system'), { code, errno: -1 }));
  expect(fault).toMatchObject({ reason, message: expect.stringContaining(text) });
});
