/** A map as lines of `key=value`. */
export const valueLines = (map: Readonly<Record<string, string>>): string =>
  Object.entries(map)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Lines of `key=value` as a map; a line without `=` has an empty value. */
export const valuesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf('=');
        return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
