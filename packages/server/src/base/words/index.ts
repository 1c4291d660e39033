/**
 * words: how searches compare text: words, folded and stemmed, the same for every index and every query; lists of names in a
 * sentence; texts in HTML.
 */
export { firstNames } from './first-names.ts';
export { htmlText } from './html-text.ts';
export { SEARCH_WORDS_FORM, searchWords } from './search-words.ts';
