import { searchWords } from '../../../../base/index.ts';

/** Columns in which terms are searched. */
const TEXT_COLUMNS = '{path heading body}';

/**
 * What every word of a namespace begins with in the index: letters and digits only, so that both are one token. Each namespace so has
 * lists of its own, and neither what a search costs nor how it weighs words depends on what others store. Two namespaces may share a
 * mark: what is found is compared by its namespace as well.
 */
const markOf = (namespace: string): string =>
  `${hashOf(namespace).toString(16)}${hashOf(`${namespace}/`).toString(16)}x`;

/** FNV-1a over UTF-16 units. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/** A text of a namespace as the index holds it and as its tokenizer reads it: marked words parted by blanks. */
export const indexText = (namespace: string, text: string): string => {
  const mark = markOf(namespace);
  return searchWords(text)
    .map((word) => mark + word)
    .join(' ');
};

/** The terms as words parted by blanks, each term once; without those that no text can hold. */
export const termsOf = (terms: readonly string[]): readonly string[] =>
  [...new Set(terms.map((term) => searchWords(term).join(' ')))].filter((words) => words !== '');

/** A term as it is written in each of the namespaces, as quoted FTS5 strings: of letters, digits and blanks only. */
const phrasesOf = (term: string, namespaces: readonly string[]): readonly string[] =>
  namespaces.map((namespace) => {
    const mark = markOf(namespace);
    return `"${term
      .split(' ')
      .map((word) => mark + word)
      .join(' ')}"`;
  });

/** FTS5 expression for texts of these namespaces that hold any of the terms; terms as `termsOf` answers them, at least one of each. */
export const anyOf = (terms: readonly string[], namespaces: readonly string[], columns = TEXT_COLUMNS): string =>
  `${columns} : (${terms.flatMap((term) => phrasesOf(term, namespaces)).join(' OR ')})`;

/** The same for texts that hold every term. */
export const allOf = (terms: readonly string[], namespaces: readonly string[], columns = TEXT_COLUMNS): string =>
  terms.map((term) => `(${anyOf([term], namespaces, columns)})`).join(' AND ');
