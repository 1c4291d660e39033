/**
 * words: what searches compare: words of a text, folded and stemmed, the same for every index and every query.
 */
export { SEARCH_WORDS_FORM, searchWords } from './search-words.ts';
