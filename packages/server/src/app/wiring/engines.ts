import { type Clock, createIds, Fault, type Ids, type Log, type Random } from '../../base/index.ts';
import { openSecretKeys, type SecretKeys } from '../../features/secrets/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { BlobStore, Bus, Store } from '../../store/contracts/index.ts';
import { openSqliteStore } from '../../store/sqlite/index.ts';
import type { Config, LoadedConfig } from '../config/index.ts';
import { type ObjectEngine, openObjects, requireWholeDirectory } from '../upkeep/index.ts';

/** The world as the process gives it: time, chance, log. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Ends the process at once: what reached the disk is unknown (architecture 4). */
  readonly fatal: (error: unknown) => void;
  /** Test hook of the crash suites; does nothing in production. */
  readonly faultPoint: (point: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How the configuration was found, for the operator who asks; absent where a program made it. */
  readonly loaded?: LoadedConfig;
}

/** Opened engines and what hangs on them. */
export interface Engines extends Surroundings {
  readonly store: Store;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** The engine behind `blobs`, and what it offers besides. */
  readonly objects: ObjectEngine;
  readonly ids: Ids;
  readonly secretKeys: SecretKeys;
}

/** Opens store, bus and object bytes as configured; Fault FAILED_PRECONDITION for an engine this build lacks. */
export const openEngines = async (config: Config, around: Surroundings): Promise<Engines> => {
  const { clock, random, log, fatal, environment } = around;
  if (config.store.engine !== 'sqlite') {
    throw new Fault(
      'FAILED_PRECONDITION',
      'ENGINE_MISSING',
      'store.url: this build runs on SQLite only; use sqlite:<dataDir>/svc.db or leave store.url out',
    );
  }
  requireWholeDirectory(config.dataDir);
  const secretKeys = await openSecretKeys({
    dataDir: config.dataDir,
    configured: config.settings['secrets.keys'].map(({ id = '', key = '' }) => ({ id, key })),
    random,
  });
  const store = await openSqliteStore({
    dataDir: config.dataDir,
    clock,
    random,
    log,
    fatal,
    durability: config.store.sync === 'off' ? 'off' : 'group',
    migrate: config.store.migrate,
    ...(environment['SVC_FAULT_POINT']?.startsWith('store.') ? { faults: around.faultPoint } : {}),
  });
  try {
    // After the store, whose lock keeps other processes out of the directory of objects.
    const objects = await openObjects(config, around);
    const { blobs } = objects;
    return { ...around, secretKeys, store, blobs, objects, bus: createLocalBus(log), ids: createIds(clock, random) };
  } catch (error) {
    await store.close();
    throw error;
  }
};
