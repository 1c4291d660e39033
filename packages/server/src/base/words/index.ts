/**
 * words: how searches compare text: words, folded and stemmed, the same for every index and every query; and lists of
 * names in a sentence.
 */
export { firstNames } from './first-names.ts';
export { SEARCH_WORDS_FORM, searchWords } from './search-words.ts';
