import type { Clock, Log } from '../../base/index.ts';
import {
  loadMigrations,
  type Migration,
  type MigrationStatus,
  migrationStatus,
  pendingMigrations,
  type StoreMigrations,
  undoneMigrations,
} from '../migrations/index.ts';
import { Database, type DatabaseOptions, type Session, toCallerError } from './connection/index.ts';
import {
  appliedVersion,
  applyMigration,
  requireFreshBackup,
  storeMissing,
  undoMigration,
  withMigrationLock,
} from './migrate.ts';
import { requireNoOthers } from './other-programs.ts';

export interface PostgresMigrationsOptions extends Pick<DatabaseOptions, 'url' | 'log'> {
  readonly clock: Clock;
  readonly log: Log;
  /** For tests: the schema's steps. */
  readonly migrations?: readonly Migration[];
}

/** The schema of a database, moved by hand. Fault NOT_FOUND STORE_MISSING for a database without one. */
export const openPostgresMigrations = async (options: PostgresMigrationsOptions): Promise<StoreMigrations> => {
  const database = new Database({ url: options.url, log: options.log, poolSize: 1, isSynced: true });
  const schema = new PostgresMigrations(database, options);
  try {
    const { applied } = await schema.status();
    if (applied > 0) return schema;
    throw storeMissing();
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** Servers may be connected on the way up: each release runs on the schema of the next one, not of the one before. */
class PostgresMigrations implements StoreMigrations {
  readonly #database: Database;
  readonly #options: PostgresMigrationsOptions;
  readonly #known: readonly Migration[];

  constructor(database: Database, options: PostgresMigrationsOptions) {
    this.#database = database;
    this.#options = options;
    this.#known = options.migrations ?? loadMigrations('postgres');
  }

  status(): Promise<MigrationStatus> {
    return this.#alone(async (session) => migrationStatus(this.#known, await appliedVersion(session)));
  }

  up({ isAgreed }: { readonly isAgreed: boolean }): Promise<readonly Migration[]> {
    const { clock, log } = this.#options;
    return this.#locked(async (session) => {
      const pending = pendingMigrations(this.#known, await appliedVersion(session));
      await requireFreshBackup(session, pending, { isAgreed, now: clock.nowMicros() });
      for (const step of pending) {
        await applyMigration(session, step, clock.nowMicros());
        log.info('migration applied', { version: step.version, name: step.name });
      }
      return pending;
    });
  }

  down(target?: number): Promise<readonly Migration[]> {
    return this.#locked(async (session) => {
      const steps = undoneMigrations(this.#known, await appliedVersion(session), target);
      await requireNoOthers(session);
      for (const step of steps) {
        await undoMigration(session, step);
        this.#options.log.info('migration undone', { version: step.version, name: step.name });
      }
      return steps;
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  #locked<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#alone((session) => withMigrationLock(session, () => work(session)));
  }

  async #alone<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#database.acquire();
    let isClean = false;
    try {
      const done = await work(session);
      isClean = true;
      return done;
    } catch (error) {
      throw toCallerError(error);
    } finally {
      session.release(!isClean);
    }
  }
}
