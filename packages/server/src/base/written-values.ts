/** A pair of backslashes, or half a character as JSON.stringify writes it: it escapes lone surrogates and nothing else so. */
const ESCAPES = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g;

/**
 * JSON text with U+FFFD instead of each half of a character (a lone surrogate). Earlier builds stored such halves; neither
 * UTF-8 nor protobuf can represent them, so readers would fail. JSON inside of texts is not changed.
 */
export const withoutHalfCharacters = (json: string): string =>
  json.includes('\\ud') ? json.replace(ESCAPES, (found) => (found === '\\\\' ? found : '\ufffd')) : json;

/**
 * True for a text of more than `max` characters as people count them in limits: code points, so that one outside the basic plane
 * is one. Reads no more of the text than it must.
 */
export const isLongerThan = (text: string, max: number): boolean => {
  if (text.length <= max) return false;
  // At most two units each.
  return text.length > 2 * max || [...text].length > max;
};

const FLOAT_DIGITS_MAX = 9;

/**
 * The double with the fewest digits that equals the same 32-bit float: 0.7 for 0.699999988079071. Binary and text encodings
 * would otherwise carry different digits for the same float.
 */
export const shortestFloat = (value: number): number => {
  const single = Math.fround(value);
  if (!Number.isFinite(single) || Number.isInteger(single)) return single;
  for (let digits = 6; digits < FLOAT_DIGITS_MAX; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  // Nine digits are enough to distinguish all 32-bit floats.
  return Number(single.toPrecision(FLOAT_DIGITS_MAX));
};
