/** `@token`, not directly after a letter, digit, `@`, `/`, `\` or `<`. */
const TOKEN = /(?<![\p{L}\p{Nd}@/\\<])@([\p{L}\p{Nd}_\-.:]+)/gu;
/** `<@name>` or `<@name|shown>`. */
const BRACKETED = /<@([^|<>\s]+)(?:\|[^>]*)?>/gu;
const PUNCTUATION = /^[.:_-]*$/;

/** What a text mentions: tokens as written behind `@`, and exact names in angle brackets. */
export interface Mentions {
  readonly tokens: readonly string[];
  readonly names: readonly string[];
}

/** Reads every mention out of a text; Markdown is not interpreted, case counts. */
export const findMentions = (content: string): Mentions => {
  const text = content.normalize('NFC');
  // Without what no bracket closes: looking for its end from each `<@` would take the square of the text's length.
  const closed = text.slice(0, text.lastIndexOf('>') + 1);
  const found = (from: string, pattern: RegExp): string[] =>
    Array.from(from.matchAll(pattern), ([, name = '']) => name);
  return { tokens: found(text, TOKEN), names: found(closed, BRACKETED) };
};

/** True when the mentions name `name`: exactly, or as a token with nothing but sentence punctuation behind it. */
export const isMentioned = (mentions: Mentions, name: string): boolean => {
  const wanted = name.normalize('NFC');
  if (wanted === '') return false;
  return (
    mentions.names.includes(wanted) ||
    mentions.tokens.some((token) => token.startsWith(wanted) && PUNCTUATION.test(token.slice(wanted.length)))
  );
};
