import { hashOf } from './match-expression.ts';

/** Length of the parts that the index holds; the tokenizer `trigram` cuts by characters, not by UTF-16 units. */
const GRAM = 3;
/** Most parts of one text that are searched for: more would hardly leave out any path. */
const GRAMS_MAX = 12;
/** Characters for private use, of which no path is made. */
const MARK_BASE = 0xe000;
const MARK_SPAN = 6_400;

/** Three characters that stand for a namespace. Two namespaces may share them: what is found is compared by its namespace as well. */
const scopeMark = (namespace: string): string => {
  const hash = hashOf(namespace);
  const digits = [hash % MARK_SPAN, Math.floor(hash / MARK_SPAN) % MARK_SPAN, hashOf(`${namespace}/`) % MARK_SPAN];
  return digits.map((digit) => String.fromCharCode(MARK_BASE + digit)).join('');
};

/** A path in lower case as the index of paths holds it. */
export const indexPath = (namespace: string, folded: string): string => `${scopeMark(namespace)}${folded}`;

/** The parts of a text that a path which holds the text has as well; none for a text that is too short. */
const gramsOf = (text: string): readonly string[] => {
  const letters = [...text];
  const grams = letters.slice(GRAM - 1).map((_, index) => letters.slice(index, index + GRAM).join(''));
  return [...new Set(grams)].filter((gram) => gram.isWellFormed() && !gram.includes('\0')).slice(0, GRAMS_MAX);
};

const quoted = (gram: string): string => `"${gram.replaceAll('"', '""')}"`;

/** FTS5 expression for the paths of these namespaces that may hold every part (in lower case). */
export const pathExpression = (parts: readonly string[], namespaces: readonly string[]): string => {
  const scope = namespaces.map((namespace) => quoted(scopeMark(namespace))).join(' OR ');
  return [`(${scope})`, ...parts.flatMap(gramsOf).map(quoted)].join(' AND ');
};
