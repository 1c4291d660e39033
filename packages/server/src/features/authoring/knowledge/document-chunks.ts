import type { SearchChunk } from '../../../store/contracts/index.ts';
import { indexWords } from './search-words.ts';

/** Length of a chunk aimed at, and how much of its end the next one repeats, in UTF-16 units. */
export const CHUNK_LENGTH = 1_200;
export const OVERLAP_LENGTH = 180;
/** A heading begins a new chunk once the current one is this long; shorter sections share one. */
const SECTION_LENGTH = 600;

const HEADING = /^(#{1,6})[ \t]+/;
const TITLE_LENGTH = 200;
const FENCE = /^ {0,3}(?:```|~~~)/;

interface Block {
  readonly text: string;
  readonly isHeading: boolean;
  /** Headings above it, itself included, joined by ` > `. */
  readonly heading: string;
}

/**
 * A document in pieces of about CHUNK_LENGTH, cut at headings, paragraphs, sentences or, where there are none, anywhere;
 * pieces of one section overlap. Every document has at least one chunk.
 */
export const chunkDocument = (content: string): readonly SearchChunk[] => {
  const chunks: SearchChunk[] = [];
  let heading = '';
  let text = '';
  const close = (): void => {
    if (text.trim() !== '') chunks.push(chunkOf(heading, text));
  };
  for (const block of blocksOf(content)) {
    const isSection = block.isHeading && text.length >= SECTION_LENGTH;
    if (isSection || (text !== '' && text.length + block.text.length + 2 > CHUNK_LENGTH)) {
      close();
      text = isSection || block.isHeading ? '' : overlapOf(text, CHUNK_LENGTH - block.text.length - 2);
      heading = block.heading;
    } else if (text === '') heading = block.heading;
    text = text === '' ? block.text : `${text}\n\n${block.text}`;
  }
  close();
  return chunks.length > 0 ? chunks : [chunkOf('', '')];
};

const chunkOf = (heading: string, text: string): SearchChunk => ({ heading, text, words: indexWords(text) });

/** Headings and paragraphs in order, each no longer than a chunk. */
const blocksOf = (content: string): readonly Block[] => {
  const blocks: Block[] = [];
  const titles: string[] = [];
  let lines: string[] = [];
  let isFenced = false;
  const heading = (): string => titles.filter((title) => title !== '').join(' > ');
  const close = (): void => {
    const text = lines.join('\n').trimEnd();
    lines = [];
    if (text.trim() !== '')
      blocks.push(...splitLong(text).map((piece) => ({ text: piece, isHeading: false, heading: heading() })));
  };
  for (const line of content.split(/\r\n|\r|\n/)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const found = isFenced ? null : HEADING.exec(line);
    if (found !== null) {
      close();
      const depth = (found[1] ?? '').length;
      titles.length = Math.min(titles.length, depth - 1);
      while (titles.length < depth - 1) titles.push('');
      titles.push(titleOf(line.slice(found[0].length)));
      for (const [index, text] of splitLong(line).entries())
        blocks.push({ text, isHeading: index === 0, heading: heading() });
    } else if (line.trim() === '' && !isFenced) close();
    else lines.push(line);
  }
  close();
  return blocks;
};

/** A heading without the marks that may close it; a loop, because a pattern may take the square of a line's length. */
const titleOf = (text: string): string => {
  let end = text.length;
  while (end > 0 && ' \t#'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, Math.min(end, TITLE_LENGTH));
};

/** Pieces no longer than a chunk less its overlap: cut after a sentence, else between words, else between characters. */
const splitLong = (text: string): readonly string[] => {
  const longest = CHUNK_LENGTH - OVERLAP_LENGTH;
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > longest) {
    const end = cutBefore(rest, longest);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  pieces.push(rest);
  return pieces.filter((piece) => piece !== '');
};

const SENTENCE_END = /[.!?]["')\]]?(?=\s)|[\u3002\uff01\uff1f\n]/gu;

/** Where to cut a text so that the first piece has at most `longest` units; above 0. */
const cutBefore = (text: string, longest: number): number => {
  const head = text.slice(0, longest);
  let end = 0;
  for (const found of head.matchAll(SENTENCE_END)) end = found.index + found[0].length;
  if (end < longest / 2) end = Math.max(end, head.search(/\s\S*$/) + 1);
  if (end < longest / 2) end = longest;
  return isInsidePair(text, end) ? end - 1 : end;
};

const isInsidePair = (text: string, at: number): boolean => /[\ud800-\udbff]/.test(text.charAt(at - 1));

/** The end of a chunk that the next one repeats, from the beginning of a word; '' where there is no room. */
const overlapOf = (text: string, room: number): string => {
  const length = Math.min(OVERLAP_LENGTH, room);
  if (length <= 0) return '';
  const tail = text.slice(-length);
  const start = text.length <= length ? 0 : tail.search(/\s/) + 1;
  const overlap = tail.slice(start).trim();
  return start === 0 && text.length > length ? '' : overlap;
};
