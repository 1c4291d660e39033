import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, isFault, type Log, type Random } from '../../base/index.ts';
import type { StoreDump, StoreLoad } from '../../store/contracts/index.ts';
import type { StoreMigrations } from '../../store/migrations/index.ts';
import { lockDataDir, openSqliteDump, openSqliteLoad, openSqliteMigrations } from '../../store/sqlite/index.ts';
import type { Config } from '../config/index.ts';
import { type ObjectEngine, openObjects } from './open-objects.ts';

/** What keeping a store in order needs of its host. */
export interface UpkeepHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Test hook of the crash suites; does nothing in production. */
  readonly faultPoint: (point: string) => void;
}

/** A configured store from the outside: nothing here needs a running server, and each call opens what it uses. */
export interface StoreEngine {
  /** True when the database is a file of the data directory: it is staged and swapped with what else is there. */
  readonly isEmbedded: boolean;
  /** True while a server, or another command, has the store open. */
  isInUse(): Promise<boolean>;
  /** True when nothing was ever stored, or only by a restore that was cut off. An embedded engine, judged by its files, answers true. */
  isEmpty(): Promise<boolean>;
  /** The word for a restore into a database of its own that is not complete; undefined for none, and for an embedded engine. */
  restoring(): Promise<string | undefined>;
  /** What every restore gives a new value to; undefined for a database without a schema, and for an embedded engine. */
  epoch(): Promise<string | undefined>;
  /** The data directory is restored too: servers may start on the database. */
  endRestore(): Promise<void>;
  /** One state of the store; `scratch` is a path that may be used until the dump is closed. */
  dump(scratch: string): Promise<StoreDump>;
  /** Notes a backup that was written whole, where migrations ask for one: an embedded engine makes a copy itself. */
  noteBackup(atMicros: number): Promise<void>;
  /** An empty store to be filled: the file of an embedded engine, else the configured database, emptied in the same step. */
  load(file: string): Promise<StoreLoad>;
  migrations(): Promise<StoreMigrations>;
  /** Object bytes as configured; those of the local backend are in `dir`: read while others use them, or put into a new one. */
  objects(dir: string, use: 'read' | 'fill'): Promise<ObjectEngine>;
}

type StoreHost = Pick<UpkeepHost, 'clock' | 'log' | 'random'>;

/** The engine of `store.url`. An engine comes in here, and nowhere else in app/upkeep. */
export const storeEngine = (config: Config, host: StoreHost): StoreEngine => {
  const objects = (dir: string, use: 'read' | 'fill') =>
    openObjects(config, { ...host, dir, isReader: use === 'read' });
  return config.store.engine === 'sqlite'
    ? { ...sqliteEngine(config, host), objects }
    : { ...postgresEngine(config.store.url, host), objects };
};

const sqliteEngine = ({ dataDir }: Config, { clock, log }: StoreHost): Omit<StoreEngine, 'objects'> => ({
  isEmbedded: true,
  isInUse: async () => isDataDirInUse(dataDir),
  isEmpty: async () => true,
  restoring: async () => undefined,
  epoch: async () => undefined,
  endRestore: async () => undefined,
  dump: (scratch) => openSqliteDump({ file: join(dataDir, 'svc.db'), copy: scratch }),
  noteBackup: async () => undefined,
  load: async (file) => openSqliteLoad({ file, nowMicros: clock.nowMicros(), log }),
  migrations: () => openSqliteMigrations({ dataDir, clock, log }),
});

/** The driver is imported only when something is asked of it. */
const postgresEngine = (url: string, { clock, log }: StoreHost): Omit<StoreEngine, 'objects'> => {
  const postgres = () => import('../../store/postgres/index.ts');
  return {
    isEmbedded: false,
    isInUse: async () => (await postgres()).isPostgresInUse({ url, log }),
    isEmpty: async () => (await postgres()).isPostgresEmpty({ url, log }),
    restoring: async () => (await postgres()).postgresRestoring({ url, log }),
    epoch: async () => (await postgres()).postgresEpoch({ url, log }),
    endRestore: async () => (await postgres()).endPostgresRestore({ url, log }),
    dump: async () => (await postgres()).openPostgresDump({ url, log }),
    noteBackup: async (atMicros) => (await postgres()).notePostgresBackup({ url, log }, atMicros),
    load: async () => (await postgres()).openPostgresLoad({ url, log, nowMicros: clock.nowMicros() }),
    migrations: async () => (await postgres()).openPostgresMigrations({ url, clock, log }),
  };
};

const isDataDirInUse = (dataDir: string): boolean => {
  if (!existsSync(join(dataDir, 'lock.db'))) return false;
  try {
    lockDataDir(dataDir).release();
    return false;
  } catch (error) {
    if (!isFault(error) || error.reason !== 'DATA_DIR_IN_USE') throw error;
    return true;
  }
};
