import { shortestFloat } from '../../base/index.ts';

const SCAN_LIMIT = 48;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters JSON escapes
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A JSON string literal; short texts without escapes skip JSON.stringify. */
export const quote = (text: string): string => {
  const length = text.length;
  if (length > SCAN_LIMIT) return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff))
      return JSON.stringify(text);
  }
  return `"${text}"`;
};

/** Shortest decimal that reads back as the same 32-bit float; non-finite values as the words of the JSON mapping. */
export const floatText = (value: number): string => {
  return Number.isFinite(value) ? JSON.stringify(shortestFloat(value)) : nonFinite(value);
};

export const doubleText = (value: number): string =>
  Number.isFinite(value) ? JSON.stringify(value) : nonFinite(value);

const nonFinite = (value: number): string => {
  if (Number.isNaN(value)) return '"NaN"';
  return value > 0 ? '"Infinity"' : '"-Infinity"';
};
