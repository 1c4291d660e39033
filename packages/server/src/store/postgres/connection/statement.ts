import { createHash } from 'node:crypto';

/** What a parameter may be; arrays become PostgreSQL arrays. Micros and counters fit a number exactly (< 2^53). */
export type SqlValue = string | number | null | readonly (string | number | null)[];

/** One SQL text, prepared on a connection when first used there. `Row` is what it answers. */
export class Statement<Row = never> {
  /** Name of the prepared statement; absent for texts put together at run time, which are planned at each use. */
  readonly name: string | undefined;
  readonly text: string;
  /** True for what may answer much: no one else's statement waits behind it. */
  readonly mayBeLong: boolean;
  /** Ties the type of the rows to the statement; never set. */
  declare readonly row: Row;

  constructor(text: string, name?: string, mayBeLong = name === undefined) {
    this.text = text;
    this.name = name;
    this.mayBeLong = mayBeLong;
  }
}

const nameOf = (text: string): string => `svc_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;

/** A constant statement: its name comes from its text, so that two texts never share one. */
export const statement = <Row = never>(text: string): Statement<Row> => new Statement<Row>(text, nameOf(text));

/** As `statement`, for lists: one of few texts, which are prepared like constant ones. */
export const listing = <Row = never>(text: string): Statement<Row> => new Statement<Row>(text, nameOf(text), true);

/** A text put together at run time (label selectors, filters). */
export const composed = <Row>(text: string): Statement<Row> => new Statement<Row>(text);

export interface SqlAnswer<Row> {
  readonly rows: readonly Row[];
  /** Rows answered or changed. */
  readonly count: number;
  /** What the server calls it, such as `INSERT 0 1`; COMMIT of a transaction that had failed is answered by `ROLLBACK`. */
  readonly tag: string;
}

/** Runs statements: of one transaction, or each alone. */
export interface Queries {
  rows<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** First row, undefined when there is none. */
  first<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined>;
  /** The row of a statement that always answers one. */
  one<Row>(sql: Statement<Row>, values?: readonly SqlValue[]): Promise<Row>;
  /** Number of rows changed. */
  run(sql: Statement<unknown>, values?: readonly SqlValue[]): Promise<number>;
}

/** Runs statements of a write transaction. */
export interface WriteQueries extends Queries {
  /**
   * Sends a statement whose answer no one needs and continues. When it fails the transaction does: the next answer that is
   * awaited, or the commit, rejects with its error.
   */
  later(sql: Statement<unknown>, values?: readonly SqlValue[]): void;
  /**
   * As `later`, for a statement that the server refuses when something that is nearly always so is not. Then the function runs
   * again, carefully. False, and nothing sent, in a careful run: ask, and wait for the answer.
   */
  assume(sql: Statement<unknown>, values?: readonly SqlValue[]): boolean;
}
