import { type ElementNode, h, type ViewNode } from '../dom/index.ts';
import { inlineNodes } from './inline.ts';

const MAX_COLUMNS = 50;

/** A table that begins at a line, and the line after it. */
export const tableAt = (
  lines: readonly string[],
  at: number,
): { readonly node: ElementNode; readonly end: number } | undefined => {
  const sides = sidesAt(lines, at);
  if (sides === undefined) return undefined;
  let end = at + 2;
  while ((lines[end] ?? '').includes('|')) end += 1;
  const row = (line: string, tag: string): ViewNode => {
    const shown = cells(line);
    return h(
      'tr',
      {},
      sides.map((side, index) => h(tag, { class: side || undefined }, inlineNodes(shown[index] ?? ''))),
    );
  };
  const body = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  const table = h('table', {}, [h('thead', {}, [row(lines[at] ?? '', 'th')]), body.length > 0 && h('tbody', {}, body)]);
  // Wide tables scroll by themselves; readers without a mouse have to reach them for that.
  return { node: h('div', { class: 'table', tabindex: 0, role: 'group' }, [table]), end };
};

/** Whether a table begins at a line. */
export const beginsTable = (lines: readonly string[], at: number): boolean => sidesAt(lines, at) !== undefined;

/** How the columns are aligned of a table that begins at a line. */
const sidesAt = (lines: readonly string[], at: number): readonly string[] | undefined => {
  const head = lines[at] ?? '';
  const rule = lines[at + 1] ?? '';
  if (!head.includes('|') || !rule.includes('-') || /[^\s|:-]/.test(rule)) return undefined;
  const sides = cells(rule).map(sideOf);
  const known = sides.filter((side) => side !== undefined);
  const isTable = known.length === cells(head).length && known.length === sides.length && known.length <= MAX_COLUMNS;
  return isTable ? known : undefined;
};

/** The cells of a line; `\|` is a bar in a cell. */
const cells = (line: string): string[] => {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
};

/** How a column is aligned; undefined when the cell is not a rule. */
const sideOf = (cell: string): string | undefined => {
  const match = /^(:?)-+(:?)$/.exec(cell);
  if (match === null) return undefined;
  if (match[2] === ':') return match[1] === ':' ? 'center' : 'right';
  return '';
};
