/** What is shown of a list, and how many rows wait to be shown. */
export interface SteadyRows<T> {
  readonly rows: readonly T[];
  readonly fresh: number;
}

/**
 * Keeps rows where they are while a person reads: known rows are replaced in their place, removed ones go, those of a further page
 * come below, and new ones before or between them wait and are counted. `shown` holds the keys in the order in which they were last shown; undefined shows everything.
 */
export const steadyRows = <T>(
  latest: readonly T[],
  shown: readonly string[] | undefined,
  keyOf: (row: T) => string,
): SteadyRows<T> => {
  if (shown === undefined) return { rows: latest, fresh: 0 };
  const byKey = new Map(latest.map((row) => [keyOf(row), row]));
  const rows: T[] = shown.flatMap((key) => byKey.get(key) ?? []);
  const isShown = new Set(shown);
  // What a further page brought below moves nothing.
  const later = latest.slice(latest.findLastIndex((row) => isShown.has(keyOf(row))) + 1);
  return { rows: [...rows, ...later], fresh: latest.length - rows.length - later.length };
};
