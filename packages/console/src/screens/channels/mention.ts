/** A mention that is being written. */
export interface OpenMention {
  /** Place of its `@`. */
  readonly from: number;
  /** What is written of the name so far. */
  readonly start: string;
}

/** The mention that ends at the cursor, if one does. An address such as `a@b` is none. */
export const openMention = (text: string, cursor: number): OpenMention | undefined => {
  const found = /(?<![\p{L}\p{Nd}@/\\<])@([\p{L}\p{Nd}_\-.:]*)$/u.exec(text.slice(0, cursor));
  return found === null ? undefined : { from: found.index, start: found[1] ?? '' };
};

/** Names that fit what is written, those that begin with it first. */
export const fitting = (names: readonly string[], { start }: OpenMention): readonly string[] => {
  const wanted = start.toLowerCase();
  const found = [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted)).sort();
  const begins = (name: string): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((name) => !begins(name))];
};

/** The text with the mention completed, and where the cursor is then. */
export const completed = (
  text: string,
  mention: OpenMention,
  name: string,
): { readonly text: string; readonly cursor: number } => {
  const before = `${text.slice(0, mention.from)}@${name} `;
  const rest = text.slice(mention.from + 1 + mention.start.length);
  return { text: before + rest.replace(/^ /, ''), cursor: before.length };
};
