import { assert } from '../../../base/index.ts';
import type { Database, Queries, Session, SqlValue, Statement } from '../connection/index.ts';

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** The statements of one snapshot, taken by the first of them: a function that asks nothing costs nothing. */
export class SnapshotScope implements Queries {
  readonly #database: Database;
  #session: Promise<Session> | undefined;
  #isOpen = true;
  #wasAnswered = false;
  #isLost = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** True when the connection was gone before a statement was answered: another may do better, and nothing was seen. */
  get wasGone(): boolean {
    return this.#isLost && !this.#wasAnswered;
  }

  rows<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#ask((session) => session.rows(sql, values));
  }

  first<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#ask((session) => session.first(sql, values));
  }

  one<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row> {
    return this.#ask((session) => session.one(sql, values));
  }

  run(sql: Statement<unknown>, values?: readonly SqlValue[]): Promise<number> {
    return this.#ask((session) => session.run(sql, values));
  }

  /** The function has ended: its handle may not be used any more. */
  close(): void {
    this.#isOpen = false;
    void this.#session?.then(leave, () => undefined);
  }

  async #ask<T>(ask: (session: Session) => Promise<T>): Promise<T> {
    assert(this.#isOpen, 'a transaction handle was used after its function ended');
    this.#session ??= this.#begin();
    const session = await this.#session;
    try {
      const answer = await ask(session);
      this.#wasAnswered = true;
      return answer;
    } finally {
      this.#isLost ||= session.lost !== undefined && !session.wasSilent;
    }
  }

  async #begin(): Promise<Session> {
    const session = await this.#database.acquire();
    // The caller that awaits the first statement learns of a failure.
    session.command(BEGIN).catch(() => undefined);
    return session;
  }
}

/** The connection goes back at once: whatever is asked on it next comes behind the end of the snapshot. */
const leave = (session: Session): void => {
  session.leaveSnapshot();
  session.release(false);
};
