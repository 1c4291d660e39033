import type { MigrationStatus } from '../../store/migrations/index.ts';
import type { Config } from '../config/index.ts';
import { requireWholeDirectory } from './staged-directory.ts';
import { storeEngine, type UpkeepHost } from './store-engine.ts';

/** A request of `svc migrate`. */
export type SchemaMove =
  | { readonly to: 'status' }
  | { readonly to: 'up'; readonly isAgreed: boolean }
  /** Undoes the newest migration, or all above `target`. */
  | { readonly to: 'down'; readonly target?: number };

export interface SchemaMoved {
  /** Migrations that were applied or undone, in that order. */
  readonly moved: readonly { readonly version: number; readonly name: string }[];
  readonly status: MigrationStatus;
}

/** Shows or changes the schema of a store that no server is using. Faults as `StoreMigrations`, and DATA_DIR_IN_USE. */
export const moveSchema = async (config: Config, host: UpkeepHost, move: SchemaMove): Promise<SchemaMoved> => {
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
