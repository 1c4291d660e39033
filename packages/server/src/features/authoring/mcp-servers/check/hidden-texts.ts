/** Shorter values are words that occur anyway. */
const LENGTH_MIN = 8;
const HIDDEN = '***';

/**
 * Makes a text safe to show of a server that repeats what it was sent: each value, and each word of a value such as `Bearer abc`, is replaced, also
 * within JSON.
 */
export const withoutValues = (values: readonly string[]): ((text: string) => string) => {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  const forms = words.filter(({ length }) => length >= LENGTH_MIN).flatMap((word) => [word, inJson(word)]);
  // A value that contains another one goes first.
  const hidden = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((shown, value) => shown.replaceAll(value, HIDDEN), text);
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
