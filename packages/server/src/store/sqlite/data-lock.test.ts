import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lockDataDir } from './data-lock.ts';
import { isBusy, toOpenError } from './storage-fault.ts';

it('a data directory is held by one that is alone, or by several that share it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const inUse = expect.objectContaining({ reason: 'DATA_DIR_IN_USE' });
  const [first, second] = [lockDataDir(dir, 'shared'), lockDataDir(dir, 'shared')];
  first.release();
  expect(() => lockDataDir(dir)).toThrow(inUse);
  second.release();
  const alone = lockDataDir(dir);
  expect(() => lockDataDir(dir, 'shared')).toThrow(inUse);
  expect(() => lockDataDir(dir)).toThrow(inUse);
  alone.release();
  lockDataDir(dir, 'shared').release();
});

it('a disk that refuses the lock is not taken for another server', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'lock.db'));
  const message = expect.stringContaining('lock.db cannot be used: ');
  expect(() => lockDataDir(dir)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE', reason: 'STORAGE', message }));
});

it('what SQLite says at the start becomes words, and what is wrong with the program stays as it is', () => {
  const error = (errcode: number): Error => Object.assign(new Error('no'), { errcode });
  const shown = (code: number) => toOpenError(error(code), '/data/svc.db');
  expect(shown(13)).toMatchObject({ reason: 'STORAGE_FULL', message: 'the disk of /data/svc.db is full: make room' });
  expect(shown(8 + 256)).toMatchObject({
    reason: 'STORAGE',
    message: '/data/svc.db cannot be used: no: give the user of this process the right to write it and its directory',
  });
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', errno: -13 });
  expect(toOpenError(refused, '/data/svc.db')).toMatchObject({
    reason: 'DIRECTORY_UNUSABLE',
    message: expect.stringContaining('/data/svc.db cannot be used: the user of this process may not write there'),
  });
  expect(shown(26)).toMatchObject({ reason: 'STORE_DAMAGED' });
  for (const other of [error(1), new Error('no')])
    expect([toOpenError(other, 'f'), isBusy(other)]).toEqual([other, false]);
});
