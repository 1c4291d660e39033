/** What is shown of a list, and how many rows wait to be shown. */
export interface SteadyRows<T> {
  readonly rows: readonly T[];
  readonly fresh: number;
}

/**
 * Keeps rows where they are while a person reads: known rows are replaced in their place, removed ones go, and new ones wait and are
 * counted. `shown` holds the keys in the order in which they were last shown; undefined shows everything.
 */
export const steadyRows = <T>(
  latest: readonly T[],
  shown: readonly string[] | undefined,
  keyOf: (row: T) => string,
): SteadyRows<T> => {
  if (shown === undefined) return { rows: latest, fresh: 0 };
  const byKey = new Map(latest.map((row) => [keyOf(row), row]));
  const rows = shown.flatMap((key) => byKey.get(key) ?? []);
  return { rows, fresh: latest.length - rows.length };
};
