import { cutToWidth, harmless, textWidth } from './text-width.ts';

const GAP = '   ';
const LEAST_COLUMN = 8;

/**
 * Rows under upper-case headings, columns as wide as their content. When that is wider than the terminal, the widest
 * columns are cut; into a pipe nothing ever is.
 */
export const renderTable = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): string => {
  const lines = [headings, ...rows].map((row) => row.map((cell) => harmless(cell).replace(/\s+/g, ' ')));
  const widths = headings.map((_, index) => Math.max(...lines.map((line) => textWidth(line[index] ?? ''))));
  if (columns !== undefined) shrink(widths, columns - GAP.length * (headings.length - 1));
  return lines.map((line) => `${renderLine(line, widths)}\n`).join('');
};

/** Takes columns from the widest until all fit. */
const shrink = (widths: number[], available: number): void => {
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= LEAST_COLUMN) return;
    widths[widest] = width - 1;
    excess -= 1;
  }
};

const renderLine = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, index) => {
      const width = widths[index] ?? 0;
      const cut = cutToWidth(cell, width);
      return cut + ' '.repeat(Math.max(0, width - textWidth(cut)));
    })
    .join(GAP)
    .trimEnd();
