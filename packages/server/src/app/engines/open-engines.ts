import { join } from 'node:path';
import {
  type Clock,
  createIds,
  type Ids,
  type Log,
  makeDirectory,
  type Random,
  type WrittenLines,
} from '../../base/index.ts';
import { openSecretKeys, type SecretKeys } from '../../features/authoring/secrets/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { BlobStore, Bus, Store } from '../../store/contracts/index.ts';
import { examineSqlite, lockDataDir, openSqliteStore, type StoreExamination } from '../../store/sqlite/index.ts';
import type { Config, LoadedConfig } from '../config/index.ts';
import { type ObjectEngine, openObjects, requireWholeDatabase, requireWholeDirectory } from '../upkeep/index.ts';

/** What the process provides: time, randomness, log. */
export interface ServerHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Lines of `log`, as they come; absent where it is not read. */
  readonly lines?: WrittenLines;
  /** Ends the process at once: what reached the disk is unknown. */
  readonly fatal: (error: unknown) => void;
  /** Test hook of the crash suites; does nothing in production. */
  readonly faultPoint: (point: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How the configuration was found, for the operator who asks; absent where a program made it. */
  readonly loaded?: LoadedConfig;
}

/** Opened engines and what hangs on them. */
export interface Engines extends ServerHost {
  readonly store: Store;
  /** Looks at what the store lies on, for `svc doctor`; ends early when the signal aborts. */
  readonly examineStore: (signal: AbortSignal) => Promise<StoreExamination>;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** The engine behind `blobs`, and what else it offers. */
  readonly objects: ObjectEngine;
  readonly ids: Ids;
  readonly secretKeys: SecretKeys;
}

/** Opens store, bus and object bytes as configured; Fault FAILED_PRECONDITION for an engine this build lacks. */
export const openEngines = async (config: Config, host: ServerHost): Promise<Engines> => {
  const { clock, random, log } = host;
  const directory = holdDirectory(config);
  let opened: OpenedStore | undefined;
  try {
    requireWholeDirectory(config.dataDir);
    opened = await openStore(config, host);
    await requireWholeDatabase(config.dataDir, opened.store);
    // After the store, whose lock keeps other processes away from keys that are made here, and from the directory of objects.
    const secretKeys = await openSecretKeys({
      dataDir: config.dataDir,
      configured: config.settings['secrets.keys'].map(({ id = '', key = '' }) => ({ id, key })),
      random,
      log,
      store: opened.store,
      isShared: config.store.engine !== 'sqlite',
      acceptsLoss: config.settings['secrets.acceptLostKeys'],
    });
    const objects = await openObjects(config, host);
    const { blobs } = objects;
    const close = (): void => {
      objects.close();
      directory.release();
    };
    return {
      ...host,
      ...opened,
      secretKeys,
      blobs,
      objects: { ...objects, close },
      bus: createLocalBus(log),
      ids: createIds(neverBehind(clock, opened.store), random),
    };
  } catch (error) {
    await opened?.store.close();
    directory.release();
    throw error;
  }
};

/**
 * Keys and objects are in the data directory wherever the database is: no restore, and no server with another one, comes to
 * them meanwhile. A store that lies there takes the lock itself, alone.
 */
const holdDirectory = ({ dataDir, store }: Config): { release(): void } => {
  if (store.engine === 'sqlite') return { release: () => undefined };
  makeDirectory(dataDir);
  return lockDataDir(dataDir, 'shared');
};

/** The machine's clock, but never behind what the store has seen: it may have been set back while no process ran. */
const neverBehind = (clock: Clock, store: Pick<Store, 'steadyNow'>): Pick<Clock, 'nowMicros'> => ({
  nowMicros: () => Math.max(clock.nowMicros(), store.steadyNow()),
});

type OpenedStore = Pick<Engines, 'store' | 'examineStore'>;

const openStore = (config: Config, host: ServerHost): Promise<OpenedStore> =>
  config.store.engine === 'sqlite' ? openSqlite(config, host) : openPostgres(config, config.store.url, host);

/** Fault points of the store are handed to it only when one of them is planned, or may be later: they cost at every statement. */
const storeFaults = ({ environment, faultPoint }: ServerHost) =>
  /^(?:store\.|@)/.test(environment['SVC_FAULT_POINT'] ?? '') ? { faults: faultPoint } : {};

const openSqlite = async (config: Config, host: ServerHost): Promise<OpenedStore> => {
  const { clock, random, log, fatal } = host;
  const { dataDir } = config;
  const store = await openSqliteStore({
    dataDir,
    clock,
    random,
    log,
    fatal,
    migrate: config.store.migrate,
    durability: config.store.sync === 'off' ? 'off' : 'group',
    vectors: config.settings['knowledge.embeddings'] !== undefined,
    ...storeFaults(host),
  });
  return { store, examineStore: (signal) => examineSqlite(join(dataDir, 'svc.db'), signal) };
};

/** The driver is imported only here: a start on SQLite loads nothing of it. */
const openPostgres = async (config: Config, url: string, host: ServerHost): Promise<OpenedStore> => {
  const { openPostgresStore, examinePostgres } = await import('../../store/postgres/index.ts');
  const { clock, random, log } = host;
  const { poolSize, sync, busyTimeoutMs: lockTimeoutMs } = config.store;
  const store = await openPostgresStore({
    url,
    poolSize,
    sync,
    lockTimeoutMs,
    clock,
    random,
    log,
    migrate: config.store.migrate,
    vectors: config.settings['knowledge.embeddings'] !== undefined,
    ...storeFaults(host),
  });
  return { store, examineStore: (signal) => examinePostgres({ url, log }, signal) };
};
