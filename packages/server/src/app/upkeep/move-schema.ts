import {
  type Migration,
  type MigrationStatus,
  requireBackup,
  type StoreMigrations,
} from '../../store/migrations/index.ts';
import type { Config } from '../config/index.ts';
import { requireWholeDirectory } from './staged-directory.ts';
import { type StoreEngine, storeEngine, type UpkeepSurroundings } from './store-engine.ts';

/** What `svc migrate` is asked for. */
export type SchemaMove =
  | { readonly to: 'status' }
  | { readonly to: 'up'; readonly isAgreed: boolean }
  /** Undoes the newest step, or all above `target`. */
  | { readonly to: 'down'; readonly target?: number };

export interface SchemaMoved {
  /** Steps that were applied or undone, in that order. */
  readonly moved: readonly { readonly version: number; readonly name: string }[];
  readonly status: MigrationStatus;
}

/** Shows or moves the schema of a store that no server uses. Faults as `StoreMigrations`, DATA_DIR_IN_USE, BACKUP_NEEDED. */
export const moveSchema = async (
  config: Config,
  around: UpkeepSurroundings,
  order: SchemaMove & { readonly engine?: StoreEngine },
): Promise<SchemaMoved> => {
  requireWholeDirectory(config.dataDir);
  const engine = order.engine ?? storeEngine(config, around);
  const schema = await engine.migrations();
  try {
    const moved = await moveBy(schema, order, { now: around.clock.nowMicros(), isCopied: engine.isEmbedded });
    return { moved, status: await schema.status() };
  } finally {
    await schema.close();
  }
};

const moveBy = async (
  schema: StoreMigrations,
  move: SchemaMove,
  facts: { readonly now: number; readonly isCopied: boolean },
): Promise<readonly Migration[]> => {
  switch (move.to) {
    case 'status':
      return [];
    case 'down':
      return schema.down(move.target);
    case 'up': {
      const [{ pending }, lastBackupAt] = [await schema.status(), await schema.lastBackupAt()];
      if (!facts.isCopied) requireBackup(pending, { isAgreed: move.isAgreed, lastBackupAt, now: facts.now });
      return schema.up();
    }
  }
};
