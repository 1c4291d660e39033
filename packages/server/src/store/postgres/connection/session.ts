import type { PoolClient } from 'pg';
import { assert } from '../../../base/index.ts';
import type { FaultPoints } from '../../contracts/index.ts';
import type { SilenceGuard } from './silence-guard.ts';
import type { Queries, SqlResult, SqlValue, Statement } from './statement.ts';
import { ConnectionLost, toEngineError } from './storage-fault.ts';
import { toParameter } from './text-escape.ts';

/** Words that open and end transactions; sent as they are. */
export type Command =
  | 'BEGIN'
  | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT step'
  | 'ROLLBACK TO SAVEPOINT step'
  | 'RELEASE SAVEPOINT step';

const onlyRow = <Row>(rows: readonly Row[]): Row => {
  const [row] = rows;
  assert(row !== undefined, 'a statement that always answers a row answered none');
  return row;
};

/** One connection while one caller has it. Statements are sent at once and answered in order. */
export class Session implements Queries {
  readonly #client: PoolClient;
  readonly #guard: SilenceGuard;
  readonly #faults: FaultPoints | undefined;
  #lost: ConnectionLost | undefined;
  readonly #onError = (error: Error): void => {
    this.#lost ??= new ConnectionLost(error);
  };

  constructor(client: PoolClient, guard: SilenceGuard, faults?: FaultPoints) {
    this.#client = client;
    this.#guard = guard;
    this.#faults = faults;
    client.on('error', this.#onError);
  }

  /** Set once the connection is known to be gone. */
  get lost(): ConnectionLost | undefined {
    return this.#lost;
  }

  /** True when the connection was given up because the server sent nothing for too long. */
  get wasSilent(): boolean {
    return this.#guard.wasSilent;
  }

  /** Whether the server may work as long as it likes on a statement. */
  set isPatient(isPatient: boolean) {
    this.#guard.isPatient = isPatient;
  }

  /** Answers the tag: COMMIT of a transaction that had failed is answered by `ROLLBACK`. */
  async command(words: Command): Promise<string> {
    try {
      return (await this.#guard.until(this.#client.query(words))).command;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Runs several statements of a migration. */
  async script(text: string): Promise<void> {
    try {
      await this.#guard.until(this.#client.query(text));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async rows<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#query<Row>(sql, values)).rows;
  }

  async first<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.#query<Row>(sql, values)).rows[0];
  }

  async one<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row> {
    return onlyRow((await this.#query<Row>(sql, values)).rows);
  }

  async run(sql: Statement<unknown>, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#query<unknown>(sql, values)).count;
  }

  /** Gives the connection back; a lost one is thrown away. */
  release(isBroken: boolean): void {
    this.#client.removeListener('error', this.#onError);
    this.#client.release(isBroken || this.#lost !== undefined);
  }

  async #query<Row>(sql: Statement<Row>, values: readonly SqlValue[]): Promise<SqlResult<Row>> {
    this.#faults?.('store.statement');
    try {
      const answer = await this.#guard.until(
        this.#client.query<never>({
          ...(sql.name === undefined ? {} : { name: sql.name }),
          text: sql.text,
          values: values.map(toParameter),
        }),
      );
      return { rows: answer.rows as Row[], count: answer.rowCount ?? 0 };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): Error {
    const failure = toEngineError(error);
    if (failure instanceof ConnectionLost) this.#lost ??= failure;
    return failure;
  }
}
