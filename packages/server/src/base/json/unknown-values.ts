/** True for an object with members, as JSON has it; lists and null are not. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text itself, '' for a value of another type. */
export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The number itself, undefined for a value of another type. */
export const numberOrUndefined = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** What a caught value says: its message where it is an error. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * JSON without blanks, members in the order of their code units, those that are undefined left out: equal values are equal texts,
 * whatever the order of their members. Stored resources have a form of their own, `canonicalJson`.
 */
export const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${sortedJson(value[name])}`);
  return `{${members.join(',')}}`;
};
