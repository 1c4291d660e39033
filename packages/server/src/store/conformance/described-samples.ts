import {
  DESCRIBED_TABLES,
  type DescribedName,
  type KeyedTable,
  type RowOf,
  type TableDescription,
  type TableFacts,
  type WriteTx,
} from '../contracts/index.ts';

/** The described tables with their names in a transaction. */
export const describedTables = Object.entries(DESCRIBED_TABLES) as [DescribedName, TableDescription][];

/** A row in which every field has a value of its own; `same`: fields that have one value in all rows of a group. */
export const sampleRow = <Table extends TableFacts>(
  table: Table,
  number: number,
  same: { readonly fields?: readonly string[]; readonly group?: number } = {},
): RowOf<Table> => {
  const { fields = [], group = 1 } = same;
  const sampleOf = (field: string, type: string): string | number => {
    const value = fields.includes(field) ? group : number;
    if (type === 'integer') return value * 10;
    return type === 'json' ? `{"${field}":${value}}` : `${field}-${String(value).padStart(4, '0')}`;
  };
  const row = Object.fromEntries(Object.entries(table.columns).map(([field, type]) => [field, sampleOf(field, type)]));
  return row as RowOf<Table>;
};

/** These fields of a row. */
export const pick = (row: RowOf<TableFacts>, fields: readonly string[]): RowOf<KeyedTable> =>
  Object.fromEntries(fields.map((field) => [field, row[field] as string | number]));

/** Rows in every described table. */
export const fillDescribed = async (tx: WriteTx): Promise<void> => {
  for (const [name, table] of describedTables)
    for (const number of [2, 1]) {
      const handle = tx[name];
      if (table.form === 'queue' && 'take' in handle) await handle.put({ ...sampleRow(table, number), attempts: 0 });
      if (table.form === 'lease' && 'acquire' in handle)
        await handle.acquire(`name-${number}`, 'me', tx.steadyNow(), 1_000_000);
      if ('page' in handle) await (handle.put as (row: unknown) => Promise<void>)(sampleRow(table, number));
      if (table.form === 'expiring' && 'insert' in handle) {
        const row = { ...sampleRow(table, number), [table.expiry]: tx.steadyNow() + 1_000_000 };
        await (handle.insert as (row: unknown) => Promise<void>)(row);
      }
    }
};
