import { porterStem } from './porter-stem.ts';

/** Longest word kept; an index refuses very long ones, and no one searches for them. */
const WORD_CHARS = 200;

const WORDS = /[\p{L}\p{N}\p{Co}]+/gu;
const MARKS = /\p{M}+/gu;
const ENGLISH = /^[a-z]+$/;

/** Letters that are not an accented base letter, and how they are written without them. */
const FOLDED = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ſ: 's',
} as const;
const FOLDABLE = /[ßæœøđðþłħıŋſ]/g;

/** A text without case, accents and letters of single languages: `Straße` becomes `strasse`. */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(FOLDABLE, (letter) => FOLDED[letter as keyof typeof FOLDED]);

/**
 * The words of a text as searches compare them, in order: folded, English ones by their stem, separated by everything that is
 * neither letter nor digit. Every index and every query uses this one function, so that no dictionary, stop word or locale of a database
 * decides what is found. A change of its result needs a new value of SEARCH_WORDS_FORM.
 */
export const searchWords = (text: string): readonly string[] =>
  (folded(text).match(WORDS) ?? []).map((word) => {
    const cut = word.slice(0, WORD_CHARS);
    return ENGLISH.test(cut) ? porterStem(cut) : cut;
  });

/** Names the form of words; an index with another form is rebuilt when its store is opened. */
export const SEARCH_WORDS_FORM = '2';
