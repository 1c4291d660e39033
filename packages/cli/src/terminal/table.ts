import { cutToWidth, harmless, textWidth } from './text-width.ts';

const GAP = '   ';
const LEAST_COLUMN = 8;
/** Columns that people copy from: they keep twice the width of others. */
const COPIED: ReadonlySet<string> = new Set(['NAMESPACE', 'NAME', 'ID', 'PATH', 'KEY', 'SESSION']);

/** A shortened id is useless: such a column is never cut, even if lines wrap. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Rows under upper-case headings, columns as wide as their content. If that is wider than the terminal, the widest
 * columns are cut; nothing is cut in a pipe.
 */
export const renderTable = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): string => renderPaintedTable({ headings, rows, columns });

/** Colours a cell that has been cut to its column already. */
export type PaintCell = (cell: string, heading: string) => string;

interface PaintedTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Width of the terminal; undefined means no limit. */
  readonly columns: number | undefined;
  readonly paint?: PaintCell | undefined;
}

/** As renderTable, in colours. If even narrow columns do not fit into the terminal, each row becomes a block of lines. */
export const renderPaintedTable = ({ headings, rows, columns, paint }: PaintedTable): string => {
  const widths = columnWidths(headings, rows, columns);
  const isTooWide =
    columns !== undefined && rows.length > 0 && sumOf(widths) + GAP.length * (widths.length - 1) > columns;
  if (isTooWide) return rows.map((row) => renderBlock({ headings, row, columns, paint })).join('\n');
  return renderRow(headings, widths) + rows.map((row) => renderRow(row, widths, { headings, paint })).join('');
};

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/** One row as a block: a line for each column that is not empty. */
const renderBlock = (block: Omit<PaintedTable, 'rows'> & { readonly row: readonly string[] }): string => {
  const { headings, row, columns = Number.POSITIVE_INFINITY, paint } = block;
  const width = Math.max(...headings.map(textWidth));
  const lines = headings.flatMap((heading, index) => {
    const cell = oneLine(row[index] ?? '');
    if (cell === '' || cell === '-') return [];
    const room = Math.max(LEAST_COLUMN, columns - width - GAP.length);
    const cut = UUID.test(cell) || COPIED.has(heading) ? cell : cutToWidth(cell, room);
    return [`${heading.padEnd(width)}${GAP}${paint?.(cut, heading) ?? cut}\n`];
  });
  return lines.join('');
};

/** Widths of the columns of a table, fitted into a terminal of so many columns; undefined means no limit. */
export const columnWidths = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): readonly number[] => {
  const cells = [headings, ...rows].map((row) => row.map(oneLine));
  const widths = headings.map((_, index) => Math.max(...cells.map((row) => textWidth(row[index] ?? ''))));
  if (columns === undefined) return widths;
  const available = columns - GAP.length * (headings.length - 1);
  const isWhole = headings.map((_, index) => {
    const column = rows.flatMap((row) => row[index] ?? []);
    return column.length > 0 && column.every((cell) => UUID.test(cell));
  });
  shrink(widths, available, (index) => {
    if (isWhole[index] === true) return Number.POSITIVE_INFINITY;
    return COPIED.has(headings[index] ?? '') ? 2 : 1;
  });
  return widths;
};

const oneLine = (cell: string): string => harmless(cell).replace(/\s+/g, ' ');

/** Narrows the widest columns, by weight, until all fit, as far as possible. */
const shrink = (widths: number[], available: number, weightOf: (index: number) => number): void => {
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const weighed = widths.map((width, index) => (width <= LEAST_COLUMN ? 0 : width / weightOf(index)));
    const index = weighed.indexOf(Math.max(...weighed));
    if (weighed[index] === 0) return;
    widths[index] = (widths[index] ?? 0) - 1;
    excess -= 1;
  }
};

/** One row of a table with its line feed; a cell wider than its column is cut. */
export const renderRow = (
  row: readonly string[],
  widths: readonly number[],
  { headings, paint }: Partial<Pick<PaintedTable, 'headings' | 'paint'>> = {},
): string => {
  const cells = row.map((cell, index) => {
    const width = widths[index] ?? 0;
    const cut = cutToWidth(oneLine(cell), width);
    const isLast = index === row.length - 1;
    const painted = paint?.(cut, headings?.[index] ?? '') ?? cut;
    return isLast ? painted : painted + ' '.repeat(Math.max(0, width - textWidth(cut)));
  });
  return `${cells.join(GAP).trimEnd()}\n`;
};
