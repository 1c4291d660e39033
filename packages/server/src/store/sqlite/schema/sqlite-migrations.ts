import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, Fault, type Log } from '../../../base/index.ts';
import {
  loadMigrations,
  type Migration,
  type MigrationStatus,
  migrationStatus,
  type StoreMigrations,
} from '../../migrations/index.ts';
import { lockDataDir } from '../data-lock.ts';
import { keepPrivate } from '../private-database.ts';
import { toOpenError } from '../storage-fault.ts';
import { appliedVersion, migrate, migrateDown, type SchemaOptions } from './migrate.ts';

export interface SqliteMigrationsOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests: the schema's steps. */
  readonly migrations?: readonly Migration[];
}

/**
 * The schema of the database in a data directory that no server uses. Faults FAILED_PRECONDITION DATA_DIR_IN_USE,
 * NOT_FOUND STORE_MISSING, and those of `toOpenError`.
 */
export const openSqliteMigrations = async (options: SqliteMigrationsOptions): Promise<StoreMigrations> => {
  const file = join(options.dataDir, 'svc.db');
  if (!existsSync(file))
    throw new Fault(
      'NOT_FOUND',
      'STORE_MISSING',
      `there is no database at ${file}: start a server once, svc up makes it`,
    );
  const lock = lockDataDir(options.dataDir);
  try {
    keepPrivate(file);
    const database = new DatabaseSync(file);
    // The file itself is not read before the first statement.
    database.exec('PRAGMA schema_version');
    return new SqliteMigrations(database, lock, options);
  } catch (error) {
    lock.release();
    throw toOpenError(error, file);
  }
};

/** A copy is made before every step, so that contracting steps need no further yes. */
class SqliteMigrations implements StoreMigrations {
  readonly #database: DatabaseSync;
  readonly #lock: { release(): void };
  readonly #options: SqliteMigrationsOptions;
  readonly #known: readonly Migration[];

  constructor(database: DatabaseSync, lock: { release(): void }, options: SqliteMigrationsOptions) {
    this.#database = database;
    this.#lock = lock;
    this.#options = options;
    this.#known = options.migrations ?? loadMigrations('sqlite');
  }

  async status(): Promise<MigrationStatus> {
    return migrationStatus(this.#known, appliedVersion(this.#database));
  }

  async up(): Promise<readonly Migration[]> {
    return this.#explained(() => migrate(this.#database, { ...this.#schemaOptions(), mode: 'auto' }));
  }

  async down(target?: number): Promise<readonly Migration[]> {
    return this.#explained(() => migrateDown(this.#database, this.#schemaOptions(), target));
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
    this.#lock.release();
  }

  #explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toOpenError(error, join(this.#options.dataDir, 'svc.db'));
    }
  }

  #schemaOptions(): SchemaOptions {
    const { dataDir, clock, log } = this.#options;
    return { migrations: this.#known, backupDir: join(dataDir, 'backups'), nowMicros: clock.nowMicros(), log };
  }
}
