import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../base/index.ts';
import { draft } from '../conformance/index.ts';
import { makeTestStore } from './testing/test-store.ts';

/** Rounds of writes after which a log that was never truncated is a failure. */
const MOST_ROUNDS = 5_000;

const limits = { passiveBytes: 64 * 1024, truncateBytes: 512 * 1024 };

/** Writes until `isDone` says so of the size of the log; fails when it never does. */
const writeUntil = async (
  made: Awaited<ReturnType<typeof makeTestStore>>,
  prefix: string,
  isDone: (logBytes: number) => boolean,
): Promise<number> => {
  let written = 0;
  for (let round = 0; ; round++) {
    expect(round).toBeLessThan(MOST_ROUNDS);
    const writes = Array.from({ length: 20 }, () =>
      made.store.write((tx) => tx.resources.insert(draft(`${prefix}${written++}`, { spec: 'x'.repeat(2_000) }))),
    );
    await Promise.all(writes);
    if (isDone(statSync(join(made.dataDir, 'svc.db-wal')).size)) return written;
  }
};

/** True once the size has fallen that often. */
const hasFallen = (times: number): ((size: number) => boolean) => {
  let falls = 0;
  let before = 0;
  return (size) => {
    if (size < before) falls++;
    before = size;
    return falls >= times;
  };
};

it('truncates the log again and again under constant writes', async () => {
  const made = await makeTestStore({ checkpoint: limits });
  onTestFinished(made.dispose);
  const written = await writeUntil(made, 'r', hasFallen(3));
  const store = await made.reopen();
  expect((await store.direct.resources.versionRange()).newest).toBe(written);
  expect(made.fatalErrors).toEqual([]);
});

it('goes on writing while a foreign reader keeps the log from being truncated', async () => {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const made = await makeTestStore({ checkpoint: limits, log });
  onTestFinished(made.dispose);
  await writeUntil(made, 'before', (size) => size > 100 * 1024);
  const reader = new DatabaseSync(join(made.dataDir, 'svc.db'), { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM resources');
  await writeUntil(made, 'during', () => warnings.length > 0);
  reader.exec('COMMIT');
  reader.close();
  await writeUntil(made, 'after', hasFallen(1));
  expect(warnings[0]).toContain('a checkpoint did not finish');
  expect(made.fatalErrors).toEqual([]);
});
