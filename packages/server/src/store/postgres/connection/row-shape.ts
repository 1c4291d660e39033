import { types } from 'pg';
import type { Field } from 'pg-protocol/dist/messages.js';
import { unescaped } from './text-escape.ts';

/** Type numbers of `pg_type`. */
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23]);
const TEXTS: ReadonlySet<number> = new Set([25, 1043]);

interface Column {
  readonly name: string;
  /** Value from its text. */
  readonly read: (text: string) => unknown;
}

/** Integers as numbers (all that svc stores fit one exactly), text without escapes; everything else as the driver reads it. */
const readerOf = (typeId: number): Column['read'] => {
  if (INTEGERS.has(typeId)) return Number;
  return TEXTS.has(typeId) ? unescaped : types.getTypeParser(typeId, 'text');
};

/** The columns of what a statement answers. */
export class RowShape {
  /** Of a statement that answers no rows. */
  static readonly none = new RowShape([]);
  readonly #columns: readonly Column[];

  constructor(fields: readonly Pick<Field, 'name' | 'dataTypeID'>[]) {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) }));
  }

  /** The row of one value per column: its text, or null. */
  row(values: readonly (string | null)[]): unknown {
    const row: Record<string, unknown> = {};
    let at = 0;
    for (const { name, read } of this.#columns) {
      const text = values[at++] ?? null;
      row[name] = text === null ? null : read(text);
    }
    return row;
  }
}
