import { h, textOf, type ViewNode } from '../dom/index.ts';
import { emphasise, type InlineItem } from './emphasis.ts';
import { safeAddress } from './link.ts';

/** A `[` or `![` that waits for its `]`; `at` is its place among the items. */
interface Bracket {
  readonly at: number;
  readonly text: string;
}

interface Reader {
  readonly text: string;
  readonly items: InlineItem[];
  readonly brackets: Bracket[];
  /** Where runs of backticks begin, by their length, last ones first; those that were passed are taken off. */
  readonly ticks: ReadonlyMap<number, number[]>;
  at: number;
}

const MAX_BRACKETS = 64;
const MAX_ADDRESS = 2_048;
const SPECIAL = /[\\`*_~[\]!<&\nh]/g;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** The nodes of one paragraph, heading or cell. HTML in it is text. */
export const inlineNodes = (text: string): ViewNode[] => {
  const reader: Reader = { text, items: [], brackets: [], ticks: tickRuns(text), at: 0 };
  while (reader.at < text.length) {
    SPECIAL.lastIndex = reader.at;
    const at = SPECIAL.exec(text)?.index ?? text.length;
    if (at > reader.at) reader.items.push(text.slice(reader.at, at));
    reader.at = at;
    if (at < text.length) readSpecial(reader);
  }
  return emphasise(reader.items);
};

const readSpecial = (reader: Reader): void => {
  const read = readers[reader.text[reader.at] as string];
  if (read?.(reader) === true) return;
  reader.items.push(reader.text[reader.at] as string);
  reader.at += 1;
};

/** Tries to read one construct; false leaves the character as text. */
type Reading = (reader: Reader) => boolean;

const take = (reader: Reader, item: InlineItem, length: number): true => {
  reader.items.push(item);
  reader.at += length;
  return true;
};

const readEscape: Reading = (reader) => {
  const next = reader.text[reader.at + 1] ?? '';
  if (next === '\n') return take(reader, h('br'), 2);
  return ESCAPABLE.test(next) && take(reader, next, 2);
};

const readCode: Reading = (reader) => {
  const { text, at, ticks } = reader;
  const length = runLength(text, at);
  const runs = ticks.get(length) ?? [];
  while ((runs.at(-1) ?? text.length) <= at) runs.pop();
  const end = runs.at(-1);
  if (end === undefined) return take(reader, text.slice(at, at + length), length);
  const inside = text.slice(at + length, end).replaceAll('\n', ' ');
  const isPadded = /^ .*[^ ].* $/.test(inside);
  return take(reader, h('code', {}, [isPadded ? inside.slice(1, -1) : inside]), end + length - at);
};

const readRun: Reading = (reader) => {
  const { text, at } = reader;
  const character = text[at] as string;
  const count = runLength(text, at);
  const before = around(text, at - 1);
  const after = around(text, at + count);
  const isLeft = after !== 'space' && (after === 'word' || before !== 'word');
  const isRight = before !== 'space' && (before === 'word' || after !== 'word');
  const isInWord = character === '_' && before === 'word' && after === 'word';
  return take(reader, { character, count, canOpen: isLeft && !isInWord, canClose: isRight && !isInWord }, count);
};

const readOpening: Reading = (reader) => {
  const text = reader.text[reader.at] === '!' ? '![' : '[';
  if (!reader.text.startsWith(text, reader.at) || reader.brackets.length >= MAX_BRACKETS) return false;
  reader.brackets.push({ at: reader.items.length, text });
  return take(reader, text, text.length);
};

const readClosing: Reading = (reader) => {
  const bracket = reader.brackets.pop();
  if (bracket === undefined) return false;
  const target = targetAt(reader.text, reader.at + 1);
  if (target === undefined) return false;
  const inside = emphasise(reader.items.splice(bracket.at).slice(1));
  // A link inside a link would be a trap.
  reader.brackets.length = 0;
  const shown = inside.length === 0 ? [target.address] : inside;
  return take(reader, linkNode(target.address, shown), target.end - reader.at);
};

/** A link, or only its text where it may not lead there. Images are links too: showing one would tell its server of the reader. */
const linkNode = (address: string, children: readonly ViewNode[]): ViewNode => {
  const href = safeAddress(address);
  if (href === undefined) return h('span', {}, children);
  const title = children.map(textOf).join('') === href ? undefined : href;
  return h('a', { href, title, target: '_blank', rel: 'noopener noreferrer' }, children);
};

/** `(address "title")` from `at` on. */
const targetAt = (text: string, at: number): { readonly address: string; readonly end: number } | undefined => {
  const source = text.slice(at, at + MAX_ADDRESS);
  const match = /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(source);
  if (match === null) return undefined;
  return { address: (match[1] ?? match[2] ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1'), end: at + match[0].length };
};

const readAngle: Reading = (reader) => {
  const source = reader.text.slice(reader.at, reader.at + MAX_ADDRESS);
  const address = /^<((?:https?:\/\/|mailto:)[^\s<>]*)>/i.exec(source)?.[1];
  return address !== undefined && take(reader, linkNode(address, [address]), address.length + 2);
};

const readBareLink: Reading = (reader) => {
  const { text, at } = reader;
  if (!/^https?:\/\//.test(text.slice(at, at + 8)) || around(text, at - 1) === 'word') return false;
  const found = /^[^\s<>"'`]*/.exec(text.slice(at, at + MAX_ADDRESS))?.[0] ?? '';
  let end = found.length;
  while ('.,:;!?*_~]'.includes(found[end - 1] ?? ' ')) end -= 1;
  if (found[end - 1] === ')' && !found.includes('(')) end -= 1;
  const address = found.slice(0, end);
  return take(reader, linkNode(address, [address]), address.length);
};

const readEntity: Reading = (reader) => {
  const match = /^&(?:#(\d{1,7})|([a-z]{2,4}));/.exec(reader.text.slice(reader.at, reader.at + 12));
  if (match === null) return false;
  const [whole, number, name = ''] = match;
  const code = Number(number);
  const isCharacter = number !== undefined && code > 0 && code <= 0x10_ff_ff;
  const character = isCharacter ? String.fromCodePoint(code) : NAMED[name];
  return character !== undefined && take(reader, character, whole.length);
};

const readBreak: Reading = (reader) => {
  const last = reader.items.at(-1);
  if (typeof last !== 'string' || !last.endsWith('  ')) return false;
  reader.items[reader.items.length - 1] = last.trimEnd();
  return take(reader, h('br'), 1);
};

const readers: Readonly<Record<string, Reading>> = {
  '\\': readEscape,
  '`': readCode,
  '*': readRun,
  _: readRun,
  '~': readRun,
  '[': readOpening,
  '!': readOpening,
  ']': readClosing,
  '<': readAngle,
  '&': readEntity,
  '\n': readBreak,
  h: readBareLink,
};

const runLength = (text: string, at: number): number => {
  let end = at + 1;
  while (text[end] === text[at]) end += 1;
  return end - at;
};

const around = (text: string, at: number): 'space' | 'word' | 'sign' => {
  const character = text[at];
  if (character === undefined || /\s/.test(character)) return 'space';
  return /[\p{P}\p{S}]/u.test(character) ? 'sign' : 'word';
};

const tickRuns = (text: string): ReadonlyMap<number, number[]> => {
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length) ?? [];
    known.push(index);
    runs.set(run.length, known);
  }
  for (const known of runs.values()) known.reverse();
  return runs;
};
