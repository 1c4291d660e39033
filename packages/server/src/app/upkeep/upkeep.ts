import { type CheckedArchive, checkArchive, type WrittenArchive } from '../../features/platform/backups/index.ts';
import type { MigrationStatus } from '../../store/migrations/index.ts';
import type { Config } from '../config/index.ts';
import { type FetchedArchive, type FetchOrder, fetchArchive } from './fetch-archive.ts';
import { type BackupOrder, backupOffline, hasStore } from './offline-backup.ts';
import { type Restored, type RestoreOrder, restoreBackup } from './restore.ts';
import { requireWholeDirectory } from './staged-directory.ts';
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

/** A request of `svc migrate`. */
type SchemaMove =
  | { readonly to: 'status' }
  | { readonly to: 'up'; readonly isAgreed: boolean }
  /** Undoes the newest migration, or all above `target`. */
  | { readonly to: 'down'; readonly target?: number };

interface SchemaMoved {
  /** Migrations that were applied or undone, in that order. */
  readonly moved: readonly { readonly version: number; readonly name: string }[];
  readonly status: MigrationStatus;
}

/** Shows or changes the schema of a store that no server is using. Faults as `StoreMigrations`, and DATA_DIR_IN_USE. */
const moveSchema = async (config: Config, host: UpkeepHost, move: SchemaMove): Promise<SchemaMoved> => {
  requireWholeDirectory(config.dataDir);
  const schema = await storeEngine(config, host).migrations();
  try {
    const moved =
      move.to === 'status'
        ? []
        : move.to === 'up'
          ? await schema.up({ isAgreed: move.isAgreed })
          : await schema.down(move.target);
    return { moved, status: await schema.status() };
  } finally {
    await schema.close();
  }
};
