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

/** An item of an array as its literal quotes it. */
const itemText = (item: string | number | null): string => {
  if (item === null) return 'NULL';
  if (typeof item === 'number') return String(item);
  return `"${escaped(item).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};

/** A parameter as PostgreSQL takes it: its text, an array as the literal of one. */
export const parameterText = (value: SqlValue): string | null => {
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return value === null ? null : `{${value.map(itemText).join(',')}}`;
};
