/**
 * terminal: the look of output: colours, widths, tables, ages, paths into JSON. Knows no command and no server.
 */
export { age, creationMs, localTime } from './age.ts';
export { counted } from './counted.ts';
export { readJsonPath } from './json-path.ts';
export { paintPhase, paintStatus, phasePainter } from './phase-style.ts';
export { sizeText } from './size.ts';
export { type Style, styleFor } from './style.ts';
export { columnWidths, type PaintCell, renderPaintedTable, renderRow, renderTable } from './table.ts';
export { cutToWidth, harmless, harmlessJson, harmlessYaml, textWidth } from './text-width.ts';
