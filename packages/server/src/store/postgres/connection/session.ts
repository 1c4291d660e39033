import process from 'node:process';
import type { PoolClient } from 'pg';
import { assert } from '../../../base/index.ts';
import type { FaultPoints } from '../../contracts/index.ts';
import { PreparedQuery, type Shapes } from './prepared-query.ts';
import type { SilenceGuard } from './silence-guard.ts';
import { composed, type Queries, type SqlResult, type SqlValue, type Statement } from './statement.ts';
import { ConnectionLost, toEngineError } from './storage-fault.ts';

/** Words that open and end transactions; sent as they are. */
export type Command =
  | 'BEGIN'
  | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT step'
  | 'ROLLBACK TO SAVEPOINT step'
  | 'RELEASE SAVEPOINT step';

const COMMANDS: Readonly<Record<Command, Statement<unknown>>> = {
  BEGIN: composed('BEGIN'),
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY': composed('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
  COMMIT: composed('COMMIT'),
  ROLLBACK: composed('ROLLBACK'),
  'SAVEPOINT step': composed('SAVEPOINT step'),
  'ROLLBACK TO SAVEPOINT step': composed('ROLLBACK TO SAVEPOINT step'),
  'RELEASE SAVEPOINT step': composed('RELEASE SAVEPOINT step'),
};

/** What the driver's client keeps of its connection: the socket. */
interface WithStream {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}

/** Shapes of the answers of prepared statements by the client that prepared them. */
const shapesOf = (client: PoolClient & { svcShapes?: Shapes }): Shapes => {
  client.svcShapes ??= new Map();
  return client.svcShapes;
};

const onlyRow = <Row>(rows: readonly Row[]): Row => {
  const [row] = rows;
  assert(row !== undefined, 'a statement that always answers a row answered none');
  return row;
};

/**
 * One connection while one caller has it. Statements are sent together at the end of the step of the program that asked for
 * them, without waiting for each other, and answered in order.
 */
export class Session implements Queries {
  readonly #client: PoolClient;
  readonly #guard: SilenceGuard;
  readonly #faults: FaultPoints | undefined;
  readonly #shapes: Shapes;
  #isCorked = false;
  #lost: ConnectionLost | undefined;
  #notifyLost: (() => void) | undefined;
  readonly #onError = (error: Error): void => {
    this.#lost ??= new ConnectionLost(error);
    this.#notifyLost?.();
  };

  constructor(client: PoolClient, guard: SilenceGuard, faults?: FaultPoints) {
    this.#client = client;
    this.#guard = guard;
    this.#faults = faults;
    this.#shapes = shapesOf(client);
    client.on('error', this.#onError);
  }

  /** Set once the connection is known to be gone. */
  get lost(): ConnectionLost | undefined {
    return this.#lost;
  }

  /** Called when the connection is lost while the caller has it, also when nothing is under way; perhaps more than once. */
  whenLost(notify: () => void): void {
    this.#notifyLost = notify;
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
    return (await this.#sent(COMMANDS[words], undefined)).tag;
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
    return (await this.query<Row>(sql, values)).rows;
  }

  async first<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.query<Row>(sql, values)).rows[0];
  }

  async one<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row> {
    return onlyRow((await this.query<Row>(sql, values)).rows);
  }

  async run(sql: Statement<unknown>, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.query<unknown>(sql, values)).count;
  }

  /** Gives the connection back; a lost one is thrown away. */
  release(isBroken: boolean): void {
    this.#client.removeListener('error', this.#onError);
    this.#client.release(isBroken || this.#lost !== undefined);
  }

  /** Sends a statement; what may fail before that throws at once, so that nothing more is sent behind it. */
  query<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<SqlResult<Row>> {
    this.#faults?.('store.statement');
    return this.#sent(sql, values);
  }

  #sent<Row>(
    sql: Statement<Row>,
    values: readonly SqlValue[] | undefined,
  ): Promise<SqlResult<Row> & { readonly tag: string }> {
    return this.#guard.until(
      new Promise((resolve, reject) => {
        this.#cork();
        const outcome = { resolve, reject: (error: unknown) => reject(this.#failure(error)) };
        this.#client.query(new PreparedQuery(sql, values, { shapes: this.#shapes, outcome }) as never);
      }),
    );
  }

  /** Messages of this step of the program leave together. */
  #cork(): void {
    if (this.#isCorked) return;
    const { stream } = (this.#client as unknown as WithStream).connection;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  #failure(error: unknown): Error {
    const failure = toEngineError(error);
    if (failure instanceof ConnectionLost) this.#lost ??= failure;
    return failure;
  }
}
