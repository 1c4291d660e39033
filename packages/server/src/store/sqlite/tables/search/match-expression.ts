/** Columns that terms are looked for in. */
const TEXT_COLUMNS = '{path heading body}';

/** Token that stands for a namespace in the column `scope`: letters and digits only, so that it is one word. */
export const scopeToken = (namespace: string): string => `n${Buffer.from(namespace).toString('hex')}`;

/** A quoted FTS5 string; whatever the text holds, it is no syntax. NUL would end the expression. */
const quoted = (text: string): string => `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`;

/** FTS5 expression for chunks of these namespaces that hold any of the terms; undefined when nothing can match. */
export const matchExpression = (terms: readonly string[], namespaces: readonly string[]): string | undefined => {
  if (terms.length === 0 || namespaces.length === 0) return undefined;
  const scope = namespaces.map((namespace) => quoted(scopeToken(namespace))).join(' OR ');
  const words = terms.map(quoted).join(' OR ');
  return `scope : (${scope}) AND ${TEXT_COLUMNS} : (${words})`;
};
