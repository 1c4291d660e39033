const scopesOf = (text: string): readonly string[] => text.split(' ').filter((scope) => scope !== '');

/** Every scope of the texts once, separated by spaces. */
export const joinScopes = (...texts: readonly string[]): string => [...new Set(texts.flatMap(scopesOf))].join(' ');

/** True when nothing of `wanted` is missing in `given`. */
export const coversScopes = (given: string, wanted: string): boolean => {
  const known = new Set(scopesOf(given));
  return scopesOf(wanted).every((scope) => known.has(scope));
};
