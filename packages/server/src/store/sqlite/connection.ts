import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { BoundedCache } from '../../base/index.ts';
import type { FaultPoints } from '../contracts/index.ts';
import { toReaderError } from './storage-fault.ts';

/** What SQLite keeps in a column here: micros and counters fit a number exactly (< 2^53). */
export type SqlValue = string | number | null | Uint8Array;

/**
 * A bare `LIMIT ?` makes SQLite plan the statement again at each execution (its planner looks at the bound value), which
 * costs 12 us; an expression does not.
 */
export const LIMIT = 'LIMIT ? + 0';

/** Page cache of one connection, in KiB; grows only as pages are read. */
const CACHE_KIB = 16_384;
/** How long a statement waits for another connection's lock. Only foreign programs can cause such a wait. */
const BUSY_TIMEOUT_MS = 5_000;

export interface ConnectionOptions {
  /** True where a commit may stay in the page cache of the system until the group's own sync; false = never synced (tests). */
  readonly isSynced: boolean;
  /** Only reads: an error of SQLite is the caller's UNAVAILABLE STORAGE. A writer needs the error itself. */
  readonly isReader?: boolean;
  /** Extension that compares vectors, as a file without its ending; absent: none is loaded. */
  readonly vectorExtension?: string;
  /** Called as `store.statement` before each statement; throws to make it fail. */
  readonly faults?: FaultPoints;
}

/** A compiled statement with the names of its columns. */
interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** Without arrays each row would be an object in dictionary mode, from which every later read of a member is slow. */
const compile = (database: DatabaseSync, sql: string): Prepared => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return { statement, columns: statement.columns().map(({ name }) => name) };
};

const toRow = <Row>(columns: readonly string[], values: readonly unknown[]): Row => {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index];
  return row as Row;
};

/** A constant SQL text, for `Connection.of`. `Row` is what it answers. */
export class Sql<Row = never> {
  readonly text: string;
  /** Ties the type of the rows to the text; never set. */
  declare readonly row: Row;

  constructor(text: string) {
    this.text = text;
  }
}

/** A constant SQL text that answers rows of this type. */
export const sql = <Row = never>(text: string): Sql<Row> => new Sql<Row>(text);

/** A text whose parameters are `$1`, `$2`, and so on: numbers where SQLite takes them for names. */
export const numberedSql = <Row = never>(text: string): Sql<Row> => sql<Row>(text.replaceAll('$', '?'));

/** One SQL text on one connection, prepared when first used and kept until the connection closes. */
export class Statement<Row = never> {
  readonly #connection: Connection;
  readonly #sql: string;
  #prepared: Prepared | undefined;

  constructor(connection: Connection, sql: string) {
    this.#connection = connection;
    this.#sql = sql;
  }

  /** First row, undefined when there is none. */
  get(...values: SqlValue[]): Row | undefined {
    try {
      const { statement, columns } = this.#prepared ?? this.#prepare();
      const found = statement.get(...values) as readonly unknown[] | undefined;
      return found === undefined ? undefined : toRow<Row>(columns, found);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  all(...values: SqlValue[]): Row[] {
    try {
      const { statement, columns } = this.#prepared ?? this.#prepare();
      const rows = statement.all(...values) as unknown as readonly (readonly unknown[])[];
      return rows.map((found) => toRow<Row>(columns, found));
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  /** Number of rows changed. */
  run(...values: SqlValue[]): number {
    try {
      return Number((this.#prepared ?? this.#prepare()).statement.run(...values).changes);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  /** As `run`, for an INSERT that adds exactly one row; answers its rowid. */
  insert(...values: SqlValue[]): number {
    return Number((this.#prepared ?? this.#prepare()).statement.run(...values).lastInsertRowid);
  }

  /** As `insert`, for one that adds a row or none (ON CONFLICT DO NOTHING); undefined = none. Cheaper than RETURNING. */
  insertNew(...values: SqlValue[]): number | undefined {
    const { changes, lastInsertRowid } = (this.#prepared ?? this.#prepare()).statement.run(...values);
    return Number(changes) === 0 ? undefined : Number(lastInsertRowid);
  }

  #prepare(): Prepared {
    const prepared = this.#connection.prepare(this.#sql);
    // With fault points each use goes through the connection again, so that the n-th statement can be made to fail.
    if (!this.#connection.hasFaultPoints) this.#prepared = prepared;
    return prepared;
  }
}

/** Loads the extension and lets no statement load another one; answers its name and version. */
const loadVectors = (database: DatabaseSync, file: string): string => {
  database.loadExtension(file);
  database.enableLoadExtension(false);
  return `sqlite-vec ${String(database.prepare('SELECT vec_version() AS version').get()?.['version'])}`;
};

/** One connection to the database file. Every statement runs to its end on the calling thread. */
export class Connection {
  readonly database: DatabaseSync;
  /** What compares vectors; undefined without an extension. */
  readonly vectorEngine: string | undefined;
  readonly #faults: FaultPoints | undefined;
  readonly #isReader: boolean;
  readonly #constant = new Map<Sql<unknown>, Statement<unknown>>();
  readonly #composed = new ComposedStatements<unknown>(this);
  /** Only with fault points; otherwise each statement keeps its own. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(file: string, options: ConnectionOptions) {
    this.#faults = options.faults;
    this.#isReader = options.isReader ?? false;
    const { vectorExtension } = options;
    this.database = new DatabaseSync(file, {
      timeout: BUSY_TIMEOUT_MS,
      ...(vectorExtension === undefined ? {} : { allowExtension: true }),
    });
    this.vectorEngine = vectorExtension === undefined ? undefined : loadVectors(this.database, vectorExtension);
    this.database.exec(
      `PRAGMA synchronous = ${options.isSynced ? 'NORMAL' : 'OFF'}; PRAGMA wal_autocheckpoint = 0;
       PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA foreign_keys = OFF`,
    );
  }

  get hasFaultPoints(): boolean {
    return this.#faults !== undefined;
  }

  /** What a failed statement throws. */
  failure(error: unknown): unknown {
    return this.#isReader ? toReaderError(error) : error;
  }

  statement<Row = never>(sql: string): Statement<Row> {
    return new Statement<Row>(this, sql);
  }

  /** The statement of a constant text on this connection: always the same one. */
  of<Row>(constant: Sql<Row>): Statement<Row> {
    let statement = this.#constant.get(constant);
    if (statement === undefined) {
      statement = new Statement<unknown>(this, constant.text);
      this.#constant.set(constant, statement);
    }
    return statement as Statement<Row>;
  }

  /** The statement of a text that is put together at run time. */
  composed<Row>(text: string): Statement<Row> {
    return this.#composed.of(text) as Statement<unknown> as Statement<Row>;
  }

  prepare(sql: string): Prepared {
    if (this.#faults === undefined) return compile(this.database, sql);
    this.#faults('store.statement');
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      prepared = compile(this.database, sql);
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }

  /** False also after an error that made SQLite roll back by itself (disk full, I/O error). */
  get isInTransaction(): boolean {
    return this.database.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.database.close();
  }
}

/** Statements kept for queries that callers put together (label selectors, filters); they may send any number of forms. */
const COMPOSED_STATEMENTS = 256;

/** Statements by their text, for texts that are put together at run time; the one used least recently is forgotten. */
export class ComposedStatements<Row> {
  readonly #connection: Connection;
  readonly #kept = new BoundedCache<string, Statement<Row>>(COMPOSED_STATEMENTS);

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get size(): number {
    return this.#kept.size;
  }

  of(sql: string): Statement<Row> {
    let statement = this.#kept.get(sql);
    if (statement === undefined) {
      statement = this.#connection.statement<Row>(sql);
      this.#kept.set(sql, statement);
    }
    return statement;
  }
}
