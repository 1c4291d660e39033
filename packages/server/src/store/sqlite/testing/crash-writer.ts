import process from 'node:process';
import { silentLog, systemClock, systemRandom } from '../../../base/index.ts';
import { openSqliteStore } from '../index.ts';

/** Writes without end into the directory named by the first argument, printing the name of every acknowledged write. */
const [dataDir = '', prefix = ''] = process.argv.slice(2);
const CALLERS = 16;

const store = await openSqliteStore({
  dataDir,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  fatal: () => process.exit(3),
  checkpoint: { passiveBytes: 128 * 1024, truncateBytes: 1024 * 1024 },
});
let next = 0;
const caller = async (): Promise<void> => {
  for (;;) {
    const name = `${prefix}-${next++}`;
    await store.write(async (tx) => {
      await tx.resources.insert({
        key: { kind: 'Agent', namespace: 'default', parent: '', name },
        ...{ apiVersion: 'svc/v1', uid: name, generation: 1, createdAt: tx.now(), labels: {}, annotations: {} },
        ...{ owners: [], finalizers: [], spec: JSON.stringify({ name, fill: 'x'.repeat(900) }), status: '{}' },
      });
      await tx.instance.setValue(name, name);
      tx.afterCommit(() => process.stdout.write(`${name}\n`));
    });
  }
};
await Promise.all(Array.from({ length: CALLERS }, caller));
