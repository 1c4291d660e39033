import type { DumpTable } from '../dump-table.ts';
import { DESCRIBED_TABLES, type TableDescription } from './described-tables.ts';
import { columnOf } from './description.ts';

/** A description as a dump needs it. Rows are in the order of their keys. */
const dumpTable = (table: TableDescription): DumpTable => ({
  name: table.name,
  order: table.key.map(columnOf),
  columns: Object.fromEntries(
    Object.entries(table.columns).map(([field, type]) => [columnOf(field), type === 'json' ? 'text' : type]),
  ),
  ...restoredAs(table),
});

/** No process of the restored store holds a lease, or an item that was taken. */
const restoredAs = ({ form }: TableDescription): Pick<DumpTable, 'restored'> => {
  if (form === 'lease') return { restored: 'none' };
  return form === 'queue' ? { restored: { token: '' } } : {};
};

/** Every described table as a dump needs it. */
export const DESCRIBED_DUMPS: readonly DumpTable[] = Object.values(DESCRIBED_TABLES).map(dumpTable);
