import { assert } from '../../../base/index.ts';
import type { Session, SqlAnswer, SqlValue, Statement, WriteQueries } from '../connection/index.ts';
import { isConflict, onlyRow, refusalOf } from '../connection/index.ts';

/** A savepoint of one transaction; it is set when the first statement behind it is sent. */
export interface Savepoint {
  isSet: boolean;
  /** First error before it. */
  readonly failure: unknown;
}

/**
 * The statements of one write transaction, until its function has ended. Unless it is careful it waits for no answer that is
 * nearly always the same: when the answer would have been another one the transaction fails as a whole, and the function is
 * to run again carefully.
 */
export class TransactionScope implements WriteQueries {
  readonly #session: Session;
  readonly #isCareful: boolean;
  readonly #savepoints: Savepoint[] = [];
  /** Statements sent that no one waits for. */
  readonly #unanswered = new Set<Promise<unknown>>();
  #isOpen = true;
  #hasConflict = false;
  #hasAssumed = false;
  #failure: unknown;
  #hasWritten = false;

  constructor(session: Session, { isCareful = false } = {}) {
    this.#session = session;
    this.#isCareful = isCareful;
    // The caller that awaits the first statement learns of a failure: without BEGIN none succeeds.
    this.#watch(session.command('BEGIN'));
  }

  /** True when the database ended the transaction because of another one, whatever the function made of it. */
  get hasConflict(): boolean {
    return this.#hasConflict;
  }

  /** The first error of a statement that no savepoint took back. */
  get failure(): unknown {
    return this.#failure;
  }

  /** True when something that was taken for granted was not so, or may not have been. */
  get wasMistaken(): boolean {
    return this.#hasAssumed && this.#failure !== undefined && this.#session.lost === undefined;
  }

  async rows<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<readonly Row[]> {
    return (await this.#answer(sql, values)).rows;
  }

  async first<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#answer(sql, values)).rows[0];
  }

  async one<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row> {
    return onlyRow((await this.#answer(sql, values)).rows);
  }

  async run(sql: Statement<unknown>, values?: readonly SqlValue[]): Promise<number> {
    return (await this.#answer(sql, values)).count;
  }

  later(sql: Statement<unknown>, values?: readonly SqlValue[]): void {
    this.#watch(this.#send(() => this.#query(sql, values)));
  }

  assume(sql: Statement<unknown>, values?: readonly SqlValue[]): boolean {
    if (this.#isCareful) return false;
    this.later(sql, values);
    this.#hasAssumed = true;
    return true;
  }

  /** True once a statement was sent that may change rows. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** False once the function has ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Throws when the function that the transaction belongs to has ended. */
  enter(): void {
    assert(this.#isOpen, 'a transaction handle was used after its function ended');
  }

  /** The function has ended: its handle may not be used any more. */
  close(): void {
    this.#isOpen = false;
  }

  /** Opens a savepoint; nothing is sent for one in which nothing is asked. */
  savepoint(): Savepoint {
    this.enter();
    const savepoint = { isSet: false, failure: this.#failure };
    this.#savepoints.push(savepoint);
    return savepoint;
  }

  /** Keeps what was written since; a careful one rejects with what a statement that no one waited for came to. */
  async release(savepoint: Savepoint): Promise<void> {
    this.enter();
    assert(this.#savepoints.at(-1) === savepoint, 'savepoints of one transaction overlap');
    if (this.#isCareful) await this.settled();
    else if (this.#unanswered.size > 0) this.#hasAssumed = true;
    if (this.#failure !== savepoint.failure) throw this.#failure;
    this.#savepoints.pop();
    if (savepoint.isSet) this.#watch(this.#session.command('RELEASE SAVEPOINT step'));
  }

  /** Takes back what was written since, and an error that came of it. */
  async undo(savepoint: Savepoint): Promise<void> {
    this.enter();
    const place = this.#savepoints.indexOf(savepoint);
    // One that overlapped with another was taken back with it.
    if (place === -1 || this.#session.lost !== undefined) return;
    await this.settled();
    this.#savepoints.length = place;
    // What failed may have been before the savepoint: only the whole can be taken back.
    if (this.wasMistaken) return;
    if (!savepoint.isSet) return;
    await this.#session.command('ROLLBACK TO SAVEPOINT step');
    await this.#session.command('RELEASE SAVEPOINT step');
    this.#failure = savepoint.failure;
  }

  /** Resolves when everything that was sent is answered. */
  async settled(): Promise<void> {
    if (this.#unanswered.size > 0) await Promise.all(this.#unanswered);
  }

  #query<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<SqlAnswer<Row>> {
    this.#hasWritten ||= !sql.text.startsWith('SELECT');
    return this.#session.query(sql, values);
  }

  /** Behind the savepoints that were opened and not set yet. */
  #send<T>(send: () => Promise<T>): Promise<T> {
    this.enter();
    for (const savepoint of this.#savepoints) {
      if (savepoint.isSet) continue;
      savepoint.isSet = true;
      this.#watch(this.#session.command('SAVEPOINT step'));
    }
    return send();
  }

  async #answer<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<SqlAnswer<Row>> {
    const sent = this.#send(() => this.#query(sql, values));
    try {
      return await sent;
    } catch (error) {
      this.#note(error);
      // Behind a statement that failed the server refuses all others: what counts is why the first one did.
      throw this.#failure;
    }
  }

  #watch(sent: Promise<unknown>): void {
    const watched: Promise<unknown> = sent.then(
      () => this.#unanswered.delete(watched),
      (error: unknown) => {
        this.#unanswered.delete(watched);
        this.#note(error);
      },
    );
    this.#unanswered.add(watched);
  }

  #note(error: unknown): void {
    const refusal = refusalOf(error);
    this.#failure ??= refusal;
    if (isConflict(refusal)) this.#hasConflict = true;
  }
}
