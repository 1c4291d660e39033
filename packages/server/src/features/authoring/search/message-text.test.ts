import { expect, it } from 'vitest';
import { shareOf, snippetOf, textOf, wordsOf } from './message-text.ts';

const shown = (text: string, query: string): string =>
  snippetOf(text, wordsOf(query))
    .map((piece) => (piece.isFound ? `[${piece.text}]` : piece.text))
    .join('');

it('takes the different words of a query, in lower case, at most 32', () => {
  expect(wordsOf('One, two; ONE?')).toEqual(['one', 'two']);
  expect(wordsOf('?! "" --')).toEqual([]);
  expect(wordsOf(Array.from({ length: 40 }, (_, at) => `w${at}`).join(' '))).toHaveLength(32);
});

it('weighs a text by the share of the words that it holds', () => {
  expect(shareOf('Red and green.', wordsOf('red blue green black'))).toBe(0.5);
  expect(shareOf('Red', wordsOf('red'))).toBe(1);
  expect(shareOf('Red', wordsOf('?'))).toBe(0);
});

it('finds a letter however its accent is written', () => {
  expect(shareOf('Cafe\u0301', wordsOf('CAF\u00c9'))).toBe(1);
});

it('shows every place of every word, also where they overlap', () => {
  expect(shown('An apple, apples and a pineapple', 'apple pine')).toBe('An [apple], [apple]s and a [pineapple]');
});

it('marks the right place behind a character whose lower case is longer', () => {
  expect(shown('\u0130\u0130 the Harbour', 'harbour')).toBe('\u0130\u0130 the [Harbour]');
});

it('shows 240 characters from 80 before the first word, on one line', () => {
  const line = snippetOf(`${'a'.repeat(100)}\n\nsea ${'b'.repeat(300)}`, ['sea']);
  expect(line.map(({ text }) => text)).toEqual([`${'a'.repeat(79)} `, 'sea', ` ${'b'.repeat(156)}`]);
});

it('is what was said, and nothing of tools and reasoning', () => {
  const parts = [
    { id: '0', type: 1, content: 'one' },
    { id: '1', type: 2, content: 'thought' },
    { id: '2', type: 4, content: 'of a tool', payload: { output: 'of a tool' } },
    { id: '3', type: 1, content: 'two' },
    { id: '4', type: 1 },
  ];
  expect(textOf({ parts: JSON.stringify(parts) })).toBe('one\ntwo\n');
});
