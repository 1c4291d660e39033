import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { draft } from '../conformance/index.ts';
import { makeTestStore } from './test-store.ts';

/** Rounds of writes after which a log that was never truncated is a failure. */
const MOST_ROUNDS = 5_000;

it('truncates the log again and again under constant writes', { timeout: 60_000 }, async () => {
  const made = await makeTestStore({ checkpoint: { passiveBytes: 64 * 1024, truncateBytes: 512 * 1024 } });
  onTestFinished(made.dispose);
  let truncations = 0;
  let sizeBefore = 0;
  let written = 0;
  for (let round = 0; truncations < 3; round++) {
    expect(round).toBeLessThan(MOST_ROUNDS);
    const fill = { spec: 'x'.repeat(2_000) };
    const writes = Array.from({ length: 20 }, () =>
      made.store.write((tx) => tx.resources.insert(draft(`r${written++}`, fill))),
    );
    await Promise.all(writes);
    const { size } = statSync(join(made.dataDir, 'svc.db-wal'));
    if (size < sizeBefore) truncations++;
    sizeBefore = size;
  }
  const store = await made.reopen();
  expect((await store.direct.resources.versionRange()).newest).toBe(written);
  expect(made.fatalErrors).toEqual([]);
});
