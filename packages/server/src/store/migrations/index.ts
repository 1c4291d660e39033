/**
 * store/migrations: the numbered schema of each engine (`<engine>/NNNN_name.sql`, undone by `NNNN_name.down.sql`) and the
 * rules of applying it. Knows no driver: an engine hands in what to do. Expand then contract: the previous release
 * runs on the new schema. A file that begins with `-- contracting` breaks with it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Migration, MigrationStatus } from './migration-rules.ts';

export {
  type Migration,
  type MigrationStatus,
  migrationStatus,
  pendingMigrations,
  requireBackup,
  undoneMigrations,
} from './migration-rules.ts';

export type MigrationEngine = 'sqlite' | 'postgres';

/** The schema of one store, moved by hand (`svc migrate`). Opened under the lock of the store; the caller closes it. */
export interface StoreMigrations {
  status(): Promise<MigrationStatus>;
  /** Applies what is pending; answers the steps. Faults SCHEMA_TOO_NEW and, where no copy is made, BACKUP_NEEDED. */
  up(options: { readonly isAgreed: boolean }): Promise<readonly Migration[]>;
  /** Undoes the newest step, or all above `target`; answers the steps. Faults as `undoneMigrations`, and STORE_IN_USE. */
  down(target?: number): Promise<readonly Migration[]>;
  close(): Promise<void>;
}

const FILE_NAME = /^(\d{4})_([a-z0-9-]+)\.sql$/;
const CONTRACTING = /^-- contracting\b/;

/** Migrations of an engine in order. Throws when numbers repeat or leave a hole: that is a programmer error. */
export const loadMigrations = (engine: MigrationEngine): readonly Migration[] => {
  const folder = join(import.meta.dirname, engine);
  const migrations = readdirSync(folder)
    .sort()
    .flatMap((file): Migration[] => {
      const match = FILE_NAME.exec(file);
      return match === null ? [] : [readMigration(folder, Number(match[1]), match[2] ?? '')];
    });
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) throw new Error(`migration ${index + 1} of ${engine} is missing`);
  });
  return migrations;
};

const readMigration = (folder: string, version: number, name: string): Migration => {
  const base = join(folder, `${String(version).padStart(4, '0')}_${name}`);
  const sql = readFileSync(`${base}.sql`, 'utf8');
  const isContracting = CONTRACTING.test(sql);
  return existsSync(`${base}.down.sql`)
    ? { version, name, sql, isContracting, down: readFileSync(`${base}.down.sql`, 'utf8') }
    : { version, name, sql, isContracting };
};
