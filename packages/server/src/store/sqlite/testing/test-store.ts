import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import type { Store } from '../../contracts/index.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../sqlite-store.ts';

/** A store in a fresh temporary directory, with a manual clock; `fatal` errors are collected. For tests of this folder. */
export const makeTestStore = async (options: Partial<SqliteStoreOptions>) => {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-store-'));
  const clock = new ManualClock();
  const fatalErrors: unknown[] = [];
  let opened = 0;
  const open = (more: Partial<SqliteStoreOptions> = {}): Promise<Store> =>
    openSqliteStore({
      dataDir,
      clock,
      random: seededRandom(++opened),
      log: silentLog,
      fatal: (error) => fatalErrors.push(error),
      ...options,
      ...more,
    });
  let store = await open();
  return {
    store,
    clock,
    dataDir,
    fatalErrors,
    open,
    reopen: async (): Promise<Store> => {
      await store.close();
      store = await open();
      return store;
    },
    dispose: async (): Promise<void> => {
      await store.close().catch(() => undefined);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
