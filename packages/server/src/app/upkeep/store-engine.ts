import { join } from 'node:path';
import { type Clock, Fault, type Log, type Random } from '../../base/index.ts';
import type { BlobStore, StoreDump, StoreLoad } from '../../store/contracts/index.ts';
import type { StoreMigrations } from '../../store/migrations/index.ts';
import { openSqliteDump, openSqliteLoad, openSqliteMigrations } from '../../store/sqlite/index.ts';
import type { Config } from '../config/index.ts';
import { openObjects } from './open-objects.ts';

/** What keeping a store in order needs of the world. */
export interface UpkeepSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Test hook of the crash suites; does nothing in production. */
  readonly faultPoint: (point: string) => void;
}

/** A configured store from the outside: nothing here needs a running server, and each call opens what it uses. */
export interface StoreEngine {
  /**
   * True when the database is a file of the data directory: it is staged and swapped with what else is there, and copied
   * before migrations.
   */
  readonly isEmbedded: boolean;
  /** True when nothing was ever stored. An embedded engine is judged by its files and answers true. */
  isEmpty(): Promise<boolean>;
  /** One state of the store; `scratch` is a path that may be used until the dump is closed. */
  dump(scratch: string): Promise<StoreDump>;
  /** An empty store to be filled: the file of an embedded engine, else the configured database, emptied in the same step. */
  load(file: string): Promise<StoreLoad>;
  migrations(): Promise<StoreMigrations>;
  objects(dir: string): BlobStore;
}

/** The engine of `store.url`. An engine comes in here, and nowhere else in app/upkeep. */
export const storeEngine = (
  config: Config,
  around: Pick<UpkeepSurroundings, 'clock' | 'log' | 'random'>,
): StoreEngine => {
  if (config.store.engine !== 'sqlite')
    throw new Fault(
      'FAILED_PRECONDITION',
      'ENGINE_MISSING',
      'store.url: this build keeps stores of SQLite only; use sqlite:<dataDir>/svc.db or leave store.url out',
    );
  const { clock, log, random } = around;
  const { dataDir } = config;
  return {
    isEmbedded: true,
    isEmpty: async () => true,
    dump: (scratch) => openSqliteDump({ file: join(dataDir, 'svc.db'), copy: scratch }),
    load: async (file) => openSqliteLoad({ file, nowMicros: clock.nowMicros(), log }),
    migrations: () => openSqliteMigrations({ dataDir, clock, log }),
    objects: (dir) => openObjects(config, { random, dir }),
  };
};
