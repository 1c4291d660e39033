import { composed, Database, type DatabaseOptions, type Session, toCallerError } from '../connection/index.ts';

export type CopyOptions = Pick<DatabaseOptions, 'url' | 'log'>;

/** A copy takes as long as it takes; only the transaction of the copy is freed of the limits. */
const LIMITS_OFF = composed(
  `SELECT set_config(name, '0', true) FROM unnest(ARRAY['statement_timeout', 'idle_in_transaction_session_timeout']) AS l (name)`,
);

/** One connection to a database, in a transaction that may last. */
export class OwnSession {
  readonly database: Database;
  readonly session: Session;
  #isOpen = true;

  private constructor(database: Database, session: Session) {
    this.database = database;
    this.session = session;
  }

  /** `prepare` runs before the transaction begins. Fault UNAVAILABLE STORAGE when it cannot begin. */
  static async begin(
    options: CopyOptions,
    words: 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    prepare: (database: Database) => Promise<void> = async () => undefined,
  ): Promise<OwnSession> {
    const database = new Database({ ...options, poolSize: 1, isSynced: true });
    let session: Session | undefined;
    try {
      await prepare(database);
      session = await database.acquire();
      await session.command(words);
      await session.rows(LIMITS_OFF);
      session.isPatient = true;
      return new OwnSession(database, session);
    } catch (error) {
      // Closing waits for every connection that somebody has.
      session?.release(true);
      await database.close();
      throw toCallerError(error);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async commit(): Promise<void> {
    await this.session.command('COMMIT');
    await this.#close(false);
  }

  /** Undoes what was done; harmless once closed. */
  async rollback(): Promise<void> {
    if (this.#isOpen) await this.#close(true);
  }

  /** A connection that is thrown away takes its transaction with it. */
  async #close(isBroken: boolean): Promise<void> {
    this.#isOpen = false;
    this.session.release(isBroken);
    await this.database.close();
  }
}
