import type { ExpiringReads, ExpiringTable, ExpiringWrites } from '../../../contracts/index.ts';
import { type DescribedRow, expiringTexts, rowReader, valuesOf } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { type Statement, statement } from '../../connection/index.ts';

/** The statements of an expiring table, and what makes rows of what they answer. */
export interface ExpiringSql {
  readonly table: ExpiringTable;
  readonly find: Statement<DescribedRow>;
  readonly insert: Statement;
  readonly trim: Statement;
  readonly read: (row: DescribedRow) => DescribedRow;
}

/** The statements of a description; made once. */
export const expiringSql = (table: ExpiringTable): ExpiringSql => {
  const { find, insert, trim } = expiringTexts(table);
  return { table, find: statement(find), insert: statement(insert), trim: statement(trim), read: rowReader(table) };
};

/** `ExpiringReads` of any description: of one snapshot, or each read alone. */
export class ExpiringReadHandle implements ExpiringReads<ExpiringTable> {
  readonly #access: Access;
  protected readonly sql: ExpiringSql;

  constructor(access: Access, sql: ExpiringSql) {
    this.#access = access;
    this.sql = sql;
  }

  async find(key: string, now: number): Promise<DescribedRow | undefined> {
    const row = await this.#access.sql.first(this.sql.find, [key, now]);
    return row === undefined ? undefined : this.sql.read(row);
  }
}

/** `ExpiringWrites` of any description inside one write transaction. */
export class ExpiringWriteHandle extends ExpiringReadHandle implements ExpiringWrites<ExpiringTable> {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess, sql: ExpiringSql) {
    super(access, sql);
    this.#access = access;
  }

  override async find(key: string, now: number) {
    const found = await super.find(key, now);
    if (found === undefined) this.#access.reads.sawMissing(this.#idOf(key));
    return found;
  }

  /** Waits for another transaction that inserts the same key; one that read the record before reads it again. */
  async insert(row: DescribedRow) {
    const { table, insert } = this.sql;
    const { sql, steadyNow, reads } = this.#access;
    const written = await sql.run(insert, [...valuesOf(Object.keys(table.columns), row), steadyNow]);
    if (written === 1) return;
    const id = this.#idOf(String(row[table.key[0]]));
    throw reads.isMissing(id) ? reads.stale(id) : table.taken();
  }

  async trim(now: number, limit: number) {
    return this.#access.sql.run(this.sql.trim, [now, limit]);
  }

  #idOf(key: string): string {
    return JSON.stringify([this.sql.table.name, key]);
  }
}
