import { searchWords } from '../../../../base/index.ts';

/** Columns in which terms are searched. */
const TEXT_COLUMNS = '{path heading body}';

/** Token that stands for a namespace in the column `scope`: letters and digits only, so that it is one word. */
export const scopeToken = (namespace: string): string => `n${Buffer.from(namespace).toString('hex')}`;

/** A text as the index holds it and as its tokenizer reads it: words parted by blanks. */
export const indexText = (text: string): string => searchWords(text).join(' ');

/** A quoted FTS5 string; of letters, digits and blanks only. */
const quoted = (words: string): string => `"${words}"`;

/** FTS5 expression for chunks of these namespaces that hold any of the terms; undefined when nothing can match. */
export const matchExpression = (terms: readonly string[], namespaces: readonly string[]): string | undefined => {
  const phrases = terms.map(indexText).filter((words) => words !== '');
  if (phrases.length === 0 || namespaces.length === 0) return undefined;
  const scope = namespaces.map((namespace) => quoted(scopeToken(namespace))).join(' OR ');
  const words = phrases.map(quoted).join(' OR ');
  return `scope : (${scope}) AND ${TEXT_COLUMNS} : (${words})`;
};
