import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lockDataDir } from './data-lock.ts';

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
