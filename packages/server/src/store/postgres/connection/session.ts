import process from 'node:process';
import type { PoolClient } from 'pg';
import { assert } from '../../../base/index.ts';
import type { FaultPoints } from '../../contracts/index.ts';
import { type Asked, Piece, Script } from './piece.ts';
import { type Queries, type SqlAnswer, type SqlValue, Statement } from './statement.ts';
import type { ConnectionLost } from './storage-fault.ts';
import { Wire } from './wire.ts';

/** Words that open and end transactions. */
export type Command =
  | 'BEGIN'
  | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT step'
  | 'ROLLBACK TO SAVEPOINT step'
  | 'RELEASE SAVEPOINT step';

const commandOf = (words: Command): Statement<never> => new Statement(words, `svc ${words}`);

const COMMANDS: Readonly<Record<Command, Statement<never>>> = {
  BEGIN: commandOf('BEGIN'),
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY': commandOf('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
  COMMIT: commandOf('COMMIT'),
  ROLLBACK: commandOf('ROLLBACK'),
  'SAVEPOINT step': commandOf('SAVEPOINT step'),
  'ROLLBACK TO SAVEPOINT step': commandOf('ROLLBACK TO SAVEPOINT step'),
  'RELEASE SAVEPOINT step': commandOf('RELEASE SAVEPOINT step'),
};

/** What takes back must be run whatever became of the statements before it. */
const TAKES_BACK: ReadonlySet<Command> = new Set<Command>(['ROLLBACK', 'ROLLBACK TO SAVEPOINT step']);

/** Statements of one piece at most: the server sends nothing before it has worked them off, or has 8 KiB. */
const PIECE_STATEMENTS = 64;
/** The same for statements of many callers, who wait for each other's. */
const SHARED_STATEMENTS = 16;
/** How long a snapshot that was left may stay open, so that its end leaves with what comes next on the connection. */
const LEAVE_MS = 5;

/** The row of a statement that always answers one. */
export const onlyRow = <Row>(rows: readonly Row[]): Row => {
  const [row] = rows;
  assert(row !== undefined, 'a statement that always answers a row answered none');
  return row;
};

/**
 * One connection, for one caller or shared by many. Statements are gathered until the program has nothing else to do, leave
 * as one piece without waiting for each other, and are answered in order.
 */
export class Session implements Queries {
  readonly #client: PoolClient;
  readonly #wire: Wire;
  readonly #faults: FaultPoints | undefined;
  #gathered: Asked[] = [];
  #shared: Asked[] = [];
  /** True while what is gathered may wait for the next statement. */
  #mayWait = false;
  /** Made once; ends the wait when no one comes. */
  #patience: NodeJS.Timeout | undefined;
  readonly #flush = (): void => {
    this.#mayWait = false;
    const asked = this.#gathered;
    this.#gathered = [];
    if (asked.length > 0) this.#wire.send(inPieces(asked, PIECE_STATEMENTS, false));
  };
  readonly #flushShared = (): void => {
    this.#flush();
    const asked = this.#shared;
    this.#shared = [];
    this.#wire.send(inPieces(asked, SHARED_STATEMENTS, true));
  };

  constructor(client: PoolClient, silenceMs: number, faults?: FaultPoints) {
    this.#client = client;
    this.#wire = new Wire(client, silenceMs);
    this.#faults = faults;
  }

  /** Set once the connection is known to be gone. */
  get lost(): ConnectionLost | undefined {
    return this.#wire.lost;
  }

  /** Called when the connection is lost while the caller has it, also when nothing is under way; perhaps more than once. */
  whenLost(notify: () => void): void {
    this.#wire.whenLost = notify;
  }

  /** True when the connection was given up because the server sent nothing for too long. */
  get wasSilent(): boolean {
    return this.#wire.wasSilent;
  }

  /** Whether the server may work as long as it likes on a statement. */
  set isPatient(isPatient: boolean) {
    this.#wire.isPatient = isPatient;
  }

  /** Answers the tag: COMMIT of a transaction that had failed is answered by `ROLLBACK`. */
  async command(words: Command): Promise<string> {
    if (TAKES_BACK.has(words)) this.#flush();
    return (await this.#ask(COMMANDS[words], [])).tag;
  }

  /** Leaves a snapshot: with the next statement of the user that has the connection then, or soon. */
  leaveSnapshot(): void {
    const ignore = (): void => undefined;
    this.#gathered.push({ sql: COMMANDS.ROLLBACK, values: [], resolve: ignore, reject: ignore });
    this.#mayWait = true;
    this.#patience ??= setTimeout(() => this.#mayWait && this.#flush(), LEAVE_MS).unref();
    this.#patience.refresh();
  }

  /** Runs several statements of a migration. */
  script(text: string): Promise<void> {
    this.#flush();
    return new Promise((resolve, reject) => {
      this.#wire.send([new Script(text, { resolve, reject })]);
    });
  }

  async rows<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.query(sql, values)).rows;
  }

  async first<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.query(sql, values)).rows[0];
  }

  async one<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row> {
    return onlyRow((await this.query(sql, values)).rows);
  }

  async run(sql: Statement<unknown>, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.query(sql, values)).count;
  }

  /** Gives the connection back; a lost one is thrown away. */
  release(isBroken: boolean): void {
    this.#wire.whenLost = undefined;
    this.#client.release(isBroken || this.lost !== undefined);
  }

  /** Sends a statement; what may fail before that throws at once, so that nothing more is sent behind it. */
  query<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<SqlAnswer<Row>> {
    this.#faults?.('store.statement');
    return this.#ask(sql, values);
  }

  /**
   * As `query`, for statements of many callers that stand alone and may be repeated: those that come in one turn of the
   * event loop leave as one. Rejects with NotRun when another one of them was refused; `isApart` goes without others.
   */
  queryShared<Row>(
    sql: Statement<Row>,
    values: readonly SqlValue[],
    { isApart = false } = {},
  ): Promise<SqlAnswer<Row>> {
    this.#faults?.('store.statement');
    return new Promise((resolve, reject) => {
      const asked = { sql, values, resolve, reject };
      if (isApart) {
        this.#flush();
        this.#wire.send([new Piece([asked], true)]);
      } else if (this.#shared.push(asked) === 1) setImmediate(this.#flushShared);
    });
  }

  #ask<Row>(sql: Statement<Row>, values: readonly SqlValue[]): Promise<SqlAnswer<Row>> {
    return new Promise((resolve, reject) => {
      const isFirst = this.#gathered.length === 0 || this.#mayWait;
      this.#gathered.push({ sql, values, resolve, reject });
      this.#mayWait = false;
      if (isFirst) process.nextTick(this.#flush);
    });
  }
}

const inPieces = (asked: readonly Asked[], size: number, isWhole: boolean): readonly Piece[] => {
  if (asked.length <= size) return [new Piece(asked, isWhole)];
  const pieces: Piece[] = [];
  for (let at = 0; at < asked.length; at += size) pieces.push(new Piece(asked.slice(at, at + size), isWhole));
  return pieces;
};
