/**
 * store/migrations: the numbered schema of each engine (`<engine>/NNNN_name.sql`) and the rules of applying it (PL-16).
 * Knows no driver: an engine hands in what to do. Expand then contract: the previous release runs on the new schema.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/index.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export type MigrationEngine = 'sqlite' | 'postgres';

const FILE_NAME = /^(\d{4})_([a-z0-9-]+)\.sql$/;

/** Migrations of an engine in order. Throws when numbers repeat or leave a hole: that is a programmer error. */
export const loadMigrations = (engine: MigrationEngine): readonly Migration[] => {
  const folder = join(import.meta.dirname, engine);
  const migrations = readdirSync(folder)
    .sort()
    .flatMap((file): Migration[] => {
      const match = FILE_NAME.exec(file);
      if (match === null) return [];
      return [{ version: Number(match[1]), name: match[2] ?? '', sql: readFileSync(join(folder, file), 'utf8') }];
    });
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) throw new Error(`migration ${index + 1} of ${engine} is missing`);
  });
  return migrations;
};

/**
 * Migrations still to apply. A schema one step ahead is the next release's expansion and is fine; further ahead is
 * Fault FAILED_PRECONDITION SCHEMA_TOO_NEW.
 */
export const pendingMigrations = (known: readonly Migration[], appliedVersion: number): readonly Migration[] => {
  const newest = known.at(-1)?.version ?? 0;
  if (appliedVersion > newest + 1)
    throw new Fault(
      'FAILED_PRECONDITION',
      'SCHEMA_TOO_NEW',
      `the store has schema ${appliedVersion}, this release knows ${newest}: install a newer release, or run \`svc migrate down\` with the newer one`,
      { metadata: { schema: String(appliedVersion), known: String(newest) } },
    );
  return known.filter((migration) => migration.version > appliedVersion);
};
