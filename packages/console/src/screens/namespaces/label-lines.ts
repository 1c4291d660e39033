/** Labels as lines of `key=value`. */
export const labelLines = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([key]) => !key.startsWith('svc/'))
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');

/** Reads `labelLines` back; undefined when a line is not a label. */
export const labelsOf = (lines: string): Readonly<Record<string, string>> | undefined => {
  const pairs = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => /^([^=\s]+)=(\S*)$/.exec(line));
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value]))
    : undefined;
};
