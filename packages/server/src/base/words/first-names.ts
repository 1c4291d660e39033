/** The first names of a list, and how many more there are: `a, b, c and 4 more`. */
export const firstNames = (names: readonly string[], most = 3): string => {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};
