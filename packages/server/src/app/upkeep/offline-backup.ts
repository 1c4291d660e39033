import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, makeDirectory } from '../../base/index.ts';
import { sealKeys, type WrittenArchive, writeArchive } from '../../features/platform/backups/index.ts';
import type { StoreDump } from '../../store/contracts/index.ts';
import { lockDataDir } from '../../store/sqlite/index.ts';
import type { Config } from '../config/index.ts';
import { readKeyFiles } from './key-files.ts';
import { databaseUnfinished, requireWholeDirectory } from './staged-directory.ts';
import { type StoreEngine, storeEngine, type UpkeepHost } from './store-engine.ts';

export interface BackupOrder {
  /** Absolute path of the archive to write; must not exist yet. */
  readonly file: string;
  /** Encrypts the key files of the data directory into it. */
  readonly passphrase?: string;
  /** Cancels the backup with its reason; nothing of it is left. */
  readonly signal?: AbortSignal;
}

interface Opened {
  readonly config: Config;
  readonly host: UpkeepHost;
  readonly engine: StoreEngine;
}

/** True when the data directory has a store to back up. */
export const hasStore = (config: Config): boolean =>
  config.store.engine !== 'sqlite' || existsSync(join(config.dataDir, 'svc.db'));

/**
 * Backs up a store that no server is using. Faults: DATA_DIR_IN_USE, RESTORE_UNFINISHED, STORE_MISSING, KEY_FILE, PASSPHRASE,
 * FILE_EXISTS.
 */
export const backupOffline = async (config: Config, host: UpkeepHost, order: BackupOrder): Promise<WrittenArchive> => {
  if (!hasStore(config))
    throw new Fault(
      'NOT_FOUND',
      'STORE_MISSING',
      `there is no database in ${config.dataDir}: start a server once, svc up makes it`,
    );
  const engine = storeEngine(config, host);
  // A database elsewhere can be backed up even if no server ever ran on this machine.
  makeDirectory(config.dataDir);
  const lock = lockDataDir(config.dataDir);
  try {
    requireWholeDirectory(config.dataDir);
    if ((await engine.restoring()) !== undefined) throw databaseUnfinished();
    const startedAt = host.clock.nowMicros();
    const written = await dumpToFile({ config, host, engine }, order);
    // A user who may only read the database still gets a complete backup; migrations can then be run with `--yes`.
    await engine.noteBackup(startedAt).catch((error: unknown) => {
      host.log.warn('the backup could not be noted in the database', { problem: String(error) });
    });
    return written;
  } finally {
    lock.release();
  }
};

/** Writes the archive; the store is open to no one else. */
export const dumpToFile = async (
  { config, host, engine }: Opened,
  { file, passphrase, signal }: BackupOrder,
): Promise<WrittenArchive> => {
  const keys = passphrase === undefined ? undefined : await sealedKeys(config, host, passphrase);
  const objects = await engine.objects(join(config.dataDir, 'objects'), 'read');
  let dump: StoreDump | undefined;
  try {
    dump = await engine.dump(`${file}.scratch`);
    const created = new Date(Math.floor(host.clock.nowMicros() / 1000)).toISOString();
    return await writeArchive(file, {
      dump,
      blobs: objects.blobs,
      facts: { svc: config.transport.version, cluster_id: config.clusterId, created_at: created },
      ...(keys === undefined ? {} : { keys }),
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    await dump?.close();
    objects.close();
  }
};

/** The key files of the data directory, encrypted. Faults: KEY_FILE, PASSPHRASE. */
export const sealedKeys = async (config: Config, host: UpkeepHost, passphrase: string): Promise<Uint8Array> =>
  sealKeys(await readKeyFiles(config.dataDir), passphrase, host.random);
