import { describe, expect, it } from 'vitest';
import { searchWords } from './index.ts';
import { porterStem } from './porter-stem.ts';

/** Examples of Porter's paper, step by step; later steps are applied as well where they change the word. */
const PAPER: readonly (readonly [word: string, stem: string])[] = [
  ...([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['ties', 'ti'],
    ['caress', 'caress'],
    ['cats', 'cat'],
  ] as const),
  ...([
    ['feed', 'feed'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['bled', 'bled'],
    ['motoring', 'motor'],
  ] as const),
  ...([
    ['sing', 'sing'],
    ['conflated', 'conflat'],
    ['troubled', 'troubl'],
    ['sized', 'size'],
    ['hopping', 'hop'],
  ] as const),
  ...([
    ['yelling', 'yell'],
    ['enjoying', 'enjoi'],
  ] as const),
  ...([
    ['tanned', 'tan'],
    ['falling', 'fall'],
    ['hissing', 'hiss'],
    ['fizzed', 'fizz'],
    ['failing', 'fail'],
  ] as const),
  ...([
    ['filing', 'file'],
    ['happy', 'happi'],
    ['sky', 'sky'],
    ['relational', 'relat'],
    ['rational', 'ration'],
  ] as const),
  ...([
    ['valenci', 'valenc'],
    ['digitizer', 'digit'],
    ['radicalli', 'radic'],
    ['operator', 'oper'],
  ] as const),
  ...([
    ['vietnamization', 'vietnam'],
    ['feudalism', 'feudal'],
    ['decisiveness', 'decis'],
    ['hopefulness', 'hope'],
  ] as const),
  ...([
    ['callousness', 'callous'],
    ['sensibiliti', 'sensibl'],
    ['triplicate', 'triplic'],
    ['formative', 'form'],
  ] as const),
  ...([
    ['electrical', 'electr'],
    ['goodness', 'good'],
    ['revival', 'reviv'],
    ['allowance', 'allow'],
  ] as const),
  ...([
    ['airliner', 'airlin'],
    ['adjustable', 'adjust'],
    ['replacement', 'replac'],
    ['adoption', 'adopt'],
    ['action', 'action'],
  ] as const),
  ...([
    ['communism', 'commun'],
    ['effective', 'effect'],
    ['probate', 'probat'],
    ['rate', 'rate'],
    ['cease', 'ceas'],
  ] as const),
  ...([
    ['controll', 'control'],
    ['roll', 'roll'],
    ['as', 'as'],
    ['by', 'by'],
    ['toy', 'toi'],
    ['yes', 'ye'],
  ] as const),
];

describe('stems', () => {
  it.each(PAPER)('%s becomes %s', (word, stem) => {
    expect(porterStem(word)).toBe(stem);
  });
});

describe('search words', () => {
  it('are the same for all forms of an English word', () => {
    expect(searchWords('Refund refunds refunded REFUNDING')).toEqual(['refund', 'refund', 'refund', 'refund']);
  });

  it('are without case, accents and special letters', () => {
    expect(searchWords('Straße STRASSE Ærø Łódź Crème brûlée')).toEqual([
      ...['strass', 'strass', 'aero', 'lodz', 'creme', 'brule'],
    ]);
  });

  it('leave other scripts and words with digits as they are, and cut very long ones', () => {
    expect(searchWords('日 本, v2s — привет!')).toEqual(['日', '本', 'v2s', 'привет']);
    expect(searchWords('x1'.repeat(200))[0]).toHaveLength(200);
    expect(searchWords('"*) \0')).toEqual([]);
  });
});
