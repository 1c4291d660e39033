import { type ElementNode, h, type ViewNode } from '../dom/index.ts';
import { inlineNodes } from './inline.ts';
import { beginsTable, tableAt } from './table.ts';

/**
 * Markdown as nodes of the page: paragraphs, headings, lists, quotes, code, tables, rules. Nothing in it can become a script, a style
 * or a request: HTML is text, images are links, and links lead to websites and e-mail addresses only. The end of the text may be
 * missing, as it is while an answer is being written.
 */
export const markdownNodes = (text: string): readonly ViewNode[] => blocks(text.replace(/\r\n?/g, '\n').split('\n'), 0);

/** Lines of one block, and the line after it. */
interface Block {
  readonly node: ElementNode;
  readonly end: number;
}

type BlockReader = (lines: readonly string[], at: number, depth: number) => Block | undefined;

/** Deeper quotes and lists are shown as text. */
const MAX_DEPTH = 8;

const blocks = (lines: readonly string[], depth: number): ViewNode[] => {
  const nodes: ViewNode[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const block = blockAt(lines, at, depth) ?? paragraphAt(lines, at);
    nodes.push(block.node);
    at = block.end;
  }
  return nodes;
};

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

const blockAt: BlockReader = (lines, at, depth) => {
  for (const read of readers) {
    const block = read(lines, at, depth);
    if (block !== undefined) return block;
  }
  return undefined;
};

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

const codeAt: BlockReader = (lines, at) => {
  const [, fence, info = ''] = FENCE.exec(lines[at] ?? '') ?? [];
  if (fence === undefined) return undefined;
  const language = info.trim().split(/\s/)[0];
  const isEnd = (line: string): boolean =>
    line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '';
  const found = lines.findIndex((line, index) => index > at && isEnd(line));
  const end = found < 0 ? lines.length : found;
  const code = lines.slice(at + 1, end).join('\n');
  return { node: h('pre', { 'data-language': language || undefined }, [h('code', {}, [code])]), end: end + 1 };
};

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;

/** Without the signs that may close a heading. */
const withoutClosing = (text: string): string => {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || text[end - 1] === ' ' ? text.slice(0, end).trimEnd() : text;
};

/** Headings are bold lines: a chat has no say in the outline of the page around it. */
const headingAt: BlockReader = (lines, at) => {
  const [, signs, text = ''] = HEADING.exec(lines[at] ?? '') ?? [];
  if (signs === undefined) return undefined;
  const shown = inlineNodes(withoutClosing(text.trim()));
  return { node: h('p', { class: `heading level-${Math.min(signs.length, 4)}` }, shown), end: at + 1 };
};

const isRule = (line: string): boolean => /^([-*_])\1{2,}$/.test(line.replace(/\s/g, ''));

const ruleAt: BlockReader = (lines, at) => (isRule(lines[at] ?? '') ? { node: h('hr'), end: at + 1 } : undefined);

const QUOTE = /^ {0,3}>/;

const quoteAt: BlockReader = (lines, at, depth) => {
  if (depth >= MAX_DEPTH) return undefined;
  let end = at;
  while (QUOTE.test(lines[end] ?? '')) end += 1;
  if (end === at) return undefined;
  const inside = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { node: h('blockquote', {}, blocks(inside, depth + 1)), end };
};

const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:( +)(.*))?$/;

const listAt: BlockReader = (lines, at, depth) => {
  const first = ITEM.exec(lines[at] ?? '');
  if (first === null || depth >= MAX_DEPTH) return undefined;
  const number = first[3];
  const items: ViewNode[] = [];
  let next = at;
  while (next < lines.length) {
    const marker = ITEM.exec(lines[next] ?? '');
    if (marker === null || (marker[3] === undefined) !== (number === undefined)) break;
    const end = itemEnd(lines, next, marker);
    items.push(itemNode(itemLines(lines, next, { marker, end }), depth));
    next = end;
  }
  const start = number === undefined || Number(number) === 1 ? undefined : Number(number);
  return { node: h(number === undefined ? 'ul' : 'ol', { start }, items), end: next };
};

/** Models indent what belongs to an item by two spaces as often as by the width of its marker. */
const indentOf = (marker: RegExpExecArray): number => (marker[1] ?? '').length + 2;

const itemEnd = (lines: readonly string[], at: number, marker: RegExpExecArray): number => {
  const indent = indentOf(marker);
  let end = at + 1;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    const isInside = line.startsWith(' '.repeat(indent));
    // A blank line belongs to the item when more of it follows; a line right below continues its paragraph.
    const continues = isBlank(line) ? isItemLine(lines, end, indent) : isInside || isLazy(lines, end);
    if (!continues) break;
    end += 1;
  }
  return end;
};

const isItemLine = (lines: readonly string[], at: number, indent: number): boolean => {
  const next = lines.slice(at, at + 8).find((line) => !isBlank(line));
  return next !== undefined && (next.startsWith(' '.repeat(indent)) || ITEM.test(next));
};

const isLazy = (lines: readonly string[], at: number): boolean => !isBlank(lines[at - 1]) && !beginsBlock(lines, at);

const itemLines = (
  lines: readonly string[],
  at: number,
  { marker, end }: { readonly marker: RegExpExecArray; readonly end: number },
): string[] => {
  const width = indentOf(marker);
  const full = width + (marker[2]?.length ?? 1) - 1;
  const rest = lines.slice(at + 1, end).map((line) => line.replace(new RegExp(`^ {0,${full}}`), ''));
  return [marker[5] ?? '', ...rest];
};

const itemNode = (lines: readonly string[], depth: number): ViewNode => {
  const task = /^\[([ xX])\] (.*)$/.exec(lines[0] ?? '');
  const box =
    task === null ? [] : [h('span', { class: 'task', 'aria-hidden': 'true' }, [task[1] === ' ' ? '☐' : '☑']), ' '];
  const inside = blocks(task === null ? lines : [task[2] ?? '', ...lines.slice(1)], depth + 1);
  const isTight = !lines.some((line, index) => isBlank(line) && index > 0 && index < lines.length - 1);
  return h('li', {}, [...box, ...(isTight ? inside.flatMap(withoutParagraph) : inside)]);
};

const withoutParagraph = (node: ViewNode): readonly ViewNode[] =>
  typeof node !== 'string' && 'tag' in node && node.tag === 'p' && node.attributes['class'] === undefined
    ? node.children
    : [node];

const readers: readonly BlockReader[] = [codeAt, headingAt, ruleAt, quoteAt, listAt, tableAt];

/** Whether a line ends the paragraph before it; says so without reading the block. */
const beginsBlock = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? '';
  return [FENCE, HEADING, QUOTE, ITEM].some((sign) => sign.test(line)) || isRule(line) || beginsTable(lines, at);
};

const paragraphAt = (lines: readonly string[], at: number): Block => {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]) && !beginsBlock(lines, end)) end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join('\n')
    .trimEnd();
  return { node: h('p', {}, inlineNodes(text)), end };
};
