import { type CheckedArchive, checkArchive, type WrittenArchive } from '../../features/platform/backups/index.ts';
import type { Config } from '../config/index.ts';
import { type FetchedArchive, type FetchOrder, fetchArchive } from './fetch-archive.ts';
import { moveSchema, type SchemaMove, type SchemaMoved } from './move-schema.ts';
import { type BackupOrder, backupOffline, hasStore } from './offline-backup.ts';
import { type Restored, type RestoreOrder, restoreBackup } from './restore.ts';
import { storeEngine, type UpkeepHost } from './store-engine.ts';

/** What an operator does to the configured store. Every path is absolute; failures are Faults. */
export interface Upkeep {
  /** True while a server, or another command, has the store open. */
  isInUse(): Promise<boolean>;
  hasStore(): boolean;
  /** Of a store that no server uses. */
  backup(order: BackupOrder): Promise<WrittenArchive>;
  /** Takes over what CreateBackup wrote, with the keys of the data directory when there is a passphrase. */
  fetch(order: FetchOrder): Promise<FetchedArchive>;
  /** Reads every byte of an archive, and opens its keys when there is a passphrase. */
  check(file: string, passphrase?: string): Promise<CheckedArchive>;
  restore(order: RestoreOrder): Promise<Restored>;
  moveSchema(move: SchemaMove): Promise<SchemaMoved>;
}

/** Opens nothing before it is asked. */
export const createUpkeep = (config: Config, host: UpkeepHost): Upkeep => ({
  isInUse: () => storeEngine(config, host).isInUse(),
  hasStore: () => hasStore(config),
  backup: (order) => backupOffline(config, host, order),
  fetch: (order) => fetchArchive(config, host, order),
  check: checkArchive,
  restore: (order) => restoreBackup(config, host, order),
  moveSchema: (move) => moveSchema(config, host, move),
});
