import { searchWords } from '../../../base/index.ts';

/** Most characters of a snippet, in UTF-16 units. */
export const SNIPPET_MAX = 240;
const LEAD = 80;
const ELLIPSIS = '…';

/** The text around the first of the terms on one line, at most SNIPPET_MAX long; its beginning where it holds none. */
export const snippetOf = (text: string, terms: readonly string[]): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= SNIPPET_MAX) return line;
  const hit = firstHit(line, terms);
  const start = hit <= LEAD ? 0 : wordStart(line, hit - LEAD, hit);
  const room = SNIPPET_MAX - (start > 0 ? 1 : 0);
  if (line.length - start <= room) return ELLIPSIS + line.slice(start);
  const end = wordEnd(line, start + room - 1, hit);
  return `${start > 0 ? ELLIPSIS : ''}${line.slice(start, end).trimEnd()}${ELLIPSIS}`;
};

const firstHit = (line: string, terms: readonly string[]): number => {
  const literals = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', ''));
  if (literals.length === 0) return 0;
  const literal = line.search(new RegExp(literals.join('|'), 'iu'));
  return literal >= 0 ? literal : Math.max(0, firstForm(line, terms));
};

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Where another form of a term is, such as `refunds` for `refund`; -1 for nowhere. */
const firstForm = (line: string, terms: readonly string[]): number => {
  const wanted = new Set(terms.flatMap(searchWords));
  for (const { 0: word, index } of line.matchAll(WORD))
    if (searchWords(word).some((form) => wanted.has(form))) return index;
  return -1;
};

const isLow = (line: string, at: number): boolean => /[\udc00-\udfff]/.test(line.charAt(at));

/** The first beginning of a word at or after `at`, before `limit`. */
const wordStart = (line: string, at: number, limit: number): number => {
  const blank = line.indexOf(' ', at - 1);
  if (blank >= 0 && blank < limit) return blank + 1;
  return isLow(line, at) ? at + 1 : at;
};

/** The last end of a word at or before `at`, well after `hit`. */
const wordEnd = (line: string, at: number, hit: number): number => {
  const blank = line.lastIndexOf(' ', at);
  if (blank > hit + LEAD / 2) return blank;
  return isLow(line, at) ? at - 1 : at;
};
