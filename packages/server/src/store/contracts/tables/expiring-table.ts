import type { Fault } from '../../../base/index.ts';
import type { Columns, RowOf, TableFacts } from './description.ts';

/** Records that count until a time and are written once: while one counts, no other takes its key. */
export interface ExpiringTable extends TableFacts {
  readonly form: 'expiring';
  readonly key: readonly [string];
  /** Field of the time, by the clock of the store, from which the record counts no more. */
  readonly expiry: string;
  /** The error for a caller whose key is taken. */
  readonly taken: () => Fault;
}

/** Describes an expiring table; the compiler checks that every field it names is a column. */
export const expiringTable = <const C extends Columns, const Field extends keyof C & string>(table: {
  readonly name: string;
  readonly columns: C;
  readonly key: readonly [Field];
  readonly expiry: Field;
  readonly taken: () => Fault;
}) => ({ form: 'expiring', ...table }) as const;

export interface ExpiringReads<Table extends ExpiringTable> {
  /** Undefined once it has expired. */
  find(key: string, now: number): Promise<RowOf<Table> | undefined>;
}

export interface ExpiringWrites<Table extends ExpiringTable> extends ExpiringReads<Table> {
  /**
   * Inserts the record, over an expired one where there is one; the Fault of the description when one that counts has its key. A
   * function that did not find the record before runs again instead.
   */
  insert(row: RowOf<Table>): Promise<void>;
  /** Removes expired records, oldest first, at most `limit`; answers how many went. */
  trim(now: number, limit: number): Promise<number>;
}
