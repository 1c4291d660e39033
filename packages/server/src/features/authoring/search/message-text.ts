import { PART, type Part } from '../../../runtime/contract.ts';
import type { MessageRow } from '../../../store/contracts/index.ts';

const SNIPPET_CHARS = 240;
const LEAD_CHARS = 80;
/** Different words of a query that count. */
const WORDS_MAX = 32;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** A piece of an excerpt: words of the query, or the text between them. */
export interface SnippetPiece {
  readonly text: string;
  readonly isFound: boolean;
}

/** What people and the model said; nothing of tools. */
export const textOf = ({ parts }: Pick<MessageRow, 'parts'>): string =>
  (JSON.parse(parts) as readonly Part[])
    .filter(({ type }) => type === PART.TEXT)
    .map(({ content = '' }) => content)
    .join('\n');

/** The different words of a query, at most 32, as `shareOf` and `snippetOf` want them. */
export const wordsOf = (query: string): readonly string[] =>
  [...new Set(foldCase(query.normalize('NFC')).match(WORD) ?? [])].slice(0, WORDS_MAX);

/** How many of the words are in the text, of all: 0 to 1. */
export const shareOf = (text: string, words: readonly string[]): number => {
  if (words.length === 0) return 0;
  const folded = foldCase(text.normalize('NFC'));
  return words.filter((word) => folded.includes(word)).length / words.length;
};

/** The text around the first of the words, on one line, cut where words of the query begin and end. */
export const snippetOf = (text: string, words: readonly string[]): readonly SnippetPiece[] => {
  const line = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  const folded = foldCase(line);
  const hits = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...hits, line.length) - LEAD_CHARS);
  return cutAtWords(line.slice(start, start + SNIPPET_CHARS).toWellFormed(), words);
};

const cutAtWords = (line: string, words: readonly string[]): readonly SnippetPiece[] => {
  const folded = foldCase(line);
  const isFound = new Array<boolean>(line.length).fill(false);
  for (const word of words)
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      isFound.fill(true, at, at + word.length);
  const pieces: SnippetPiece[] = [];
  let start = 0;
  for (let at = 1; at <= line.length; at++) {
    if (at < line.length && isFound[at] === isFound[start]) continue;
    pieces.push({ text: line.slice(start, at), isFound: isFound[start] === true });
    start = at;
  }
  return pieces;
};

/** In lower case, every character at its place: the few whose lower case is longer stay as they are. */
const foldCase = (text: string): string => {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  const folded = Array.from(text, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char));
  return folded.join('');
};
