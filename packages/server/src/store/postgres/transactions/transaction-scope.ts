import { assert } from '../../../base/index.ts';
import type { Queries, Session, SqlValue, Statement } from '../connection/index.ts';
import { isConflict, ServerError } from '../connection/index.ts';

/** The statements of one transaction, until its function has ended. */
export class TransactionScope implements Queries {
  readonly #session: Session;
  /** The opening statement, sent but not waited for. */
  readonly #begun: Promise<unknown>;
  #isOpen = true;
  #hasConflict = false;
  #wasAnswered = false;
  #failure: unknown;

  constructor(session: Session, begin: 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY') {
    this.#session = session;
    this.#begun = session.command(begin);
    // Whoever awaits the first statement learns of it: without BEGIN none succeeds.
    this.#begun.catch((error: unknown) => this.#note(error));
  }

  /** True when the database ended the transaction because of another one, whatever the function made of it. */
  get hasConflict(): boolean {
    return this.#hasConflict;
  }

  /** True once a statement was answered: until then the function has seen nothing. */
  get wasAnswered(): boolean {
    return this.#wasAnswered;
  }

  /** The first error of a statement. */
  get failure(): unknown {
    return this.#failure;
  }

  rows<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#send(() => this.#session.rows(sql, values));
  }

  first<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#send(() => this.#session.first(sql, values));
  }

  one<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row> {
    return this.#send(() => this.#session.one(sql, values));
  }

  run(sql: Statement<unknown>, values?: readonly SqlValue[]): Promise<number> {
    return this.#send(() => this.#session.run(sql, values));
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

  async #send<T>(send: () => Promise<T>): Promise<T> {
    this.enter();
    try {
      const answer = await send();
      this.#wasAnswered = true;
      return answer;
    } catch (error) {
      this.#note(error);
      throw error;
    }
  }

  #note(error: unknown): void {
    this.#failure ??= error;
    if (error instanceof ServerError && isConflict(error)) this.#hasConflict = true;
  }
}
