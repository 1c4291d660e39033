/** How a column travels: `integer` and `real` as JSON numbers (integers below 2^53), `text` as JSON text. */
export type DumpColumnType = 'text' | 'integer' | 'real';

/** One table as every engine keeps it: same name, same column names. */
export interface DumpTable {
  readonly name: string;
  /** Columns that order the rows of a dump, byte by byte; together they are unique. */
  readonly order: readonly string[];
  readonly columns: Readonly<Record<string, DumpColumnType>>;
  /** What of its rows a restored store gets, where that is not all of them: none, or all with these values. */
  readonly restored?: 'none' | Readonly<Record<string, string | number>>;
}
