/**
 * terminal: the look of output: colours, widths, tables, ages, paths into JSON. Knows no command and no server.
 */
export { age, counted, creationMs, localTime, sizeText } from './amounts.ts';
export { readJsonPath } from './json-path.ts';
export { paintPhase, paintStatus, phasePainter, type Style, styleFor } from './style.ts';
export { columnWidths, type PaintCell, renderPaintedTable, renderRow, renderTable } from './table.ts';
export { cutToWidth, harmless, harmlessJson, harmlessYaml, shortLine, textWidth } from './text-width.ts';
