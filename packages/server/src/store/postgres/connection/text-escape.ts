import type { SqlValue } from './statement.ts';

/**
 * PostgreSQL text holds no NUL. A text with one is stored with a private-use character as escape: U+E000 followed by `0` is
 * NUL, followed by `1` is U+E000 itself. Every other text is stored as it is. Only the byte order of such texts differs.
 */
const MARK = '\u{e000}';

const escaped = (text: string): string => {
  if (!text.includes('\0') && !text.includes(MARK)) return text;
  return text.replaceAll(MARK, `${MARK}1`).replaceAll('\0', `${MARK}0`);
};

/** The text that was stored, from what a text column holds. */
export const unescaped = (text: string): string => {
  if (!text.includes(MARK)) return text;
  return text.replaceAll(`${MARK}0`, '\0').replaceAll(`${MARK}1`, MARK);
};

/** A parameter as PostgreSQL takes it. */
export const toParameter = (value: SqlValue): SqlValue => {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? escaped(item) : item));
  return value;
};
