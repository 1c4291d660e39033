/** Where in a YAML text the cursor or the pointer is, told by indentation, so that a text that is being written will do. */
export interface YamlPlace {
  /** Keys around the place, the outermost first; list items are left out. */
  readonly path: readonly string[];
  /** The key whose value is written there; undefined where a key is written. */
  readonly key: string | undefined;
  /** Offsets of the word at the place. */
  readonly from: number;
  readonly to: number;
  /** Column of the keys of the map that is written there. */
  readonly indent: number;
  /** Keys that this map has already. */
  readonly siblings: readonly string[];
}

const LINE = /^(\s*(?:- +)*)(?:(?:"([^"]*)"|([^\s:#"'][^:#]*?))\s*:(?=\s|$))?/;
const WORD = /[\w./-]/;

interface Line {
  readonly indent: number;
  /** Key of the line, '' without one. */
  readonly key: string;
  /** Column behind the colon of the key. */
  readonly valueAt: number;
  /** Column of the first list mark; the item begins there. */
  readonly itemAt: number | undefined;
  readonly isBlank: boolean;
}

const lineOf = (text: string): Line => {
  const [whole = '', before = '', quoted, plain] = LINE.exec(text) ?? [];
  const dash = before.indexOf('-');
  return {
    indent: before.length,
    key: quoted ?? plain ?? '',
    valueAt: whole.length,
    itemAt: dash < 0 ? undefined : dash,
    isBlank: text.trim() === '' || text.trimStart().startsWith('#'),
  };
};

/** The place of an offset in the text; undefined in a comment. */
export const yamlPlace = (text: string, offset: number): YamlPlace | undefined => {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const lines = text.split('\n');
  const index = text.slice(0, start).split('\n').length - 1;
  const current = lines[index] ?? '';
  const column = offset - start;
  if (/(^|\s)#/.test(current.slice(0, column))) return undefined;
  const line = lineOf(current);
  const isValue = line.key !== '' && column > line.valueAt;
  const { from, to } = wordAt(current, column);
  const above = lines.slice(0, index).map(lineOf);
  const below = lines.slice(index + 1).map(lineOf);
  // On a line with nothing on it the cursor tells the depth.
  const indent = current.trim() === '' ? column : line.indent;
  return {
    path: pathAbove(above, { indent, itemAt: line.itemAt }),
    key: isValue ? line.key : undefined,
    from: start + from,
    to: start + to,
    indent,
    siblings: [
      ...siblingKeys(above.toReversed(), indent, line.itemAt !== undefined),
      ...siblingKeys(below, indent, false),
    ],
  };
};

const wordAt = (line: string, column: number): { readonly from: number; readonly to: number } => {
  let from = column;
  let to = column;
  while (from > 0 && WORD.test(line[from - 1] ?? '')) from -= 1;
  while (to < line.length && WORD.test(line[to] ?? '')) to += 1;
  return { from, to };
};

const pathAbove = (above: readonly Line[], here: Pick<Line, 'indent' | 'itemAt'>): readonly string[] => {
  const path: string[] = [];
  let { indent, itemAt } = here;
  for (const line of above.toReversed()) {
    if (line.isBlank) continue;
    // The items of a list may begin as far left as its key.
    const isParent =
      line.key !== '' && (line.indent < indent - (itemAt === undefined ? 0 : 1) || line.indent === itemAt);
    if (isParent && (itemAt === undefined || line.indent <= itemAt)) {
      path.unshift(line.key);
      indent = line.indent;
      itemAt = line.itemAt;
    } else if (itemAt === undefined && line.itemAt !== undefined && line.indent === indent) itemAt = line.itemAt;
    if (indent === 0) break;
  }
  return path;
};

/** Keys of lines at this column, until a line that begins further left; a list mark ends the map that it begins. */
const siblingKeys = (lines: readonly Line[], indent: number, isItem: boolean): readonly string[] => {
  const keys: string[] = [];
  if (isItem) return keys;
  for (const line of lines) {
    if (line.isBlank || line.indent > indent) continue;
    if (line.indent < indent) break;
    keys.push(line.key);
    if (line.itemAt !== undefined) break;
  }
  return keys;
};
