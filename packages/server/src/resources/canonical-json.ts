/** A value that JSON can hold. */
export type JsonData = null | boolean | number | string | readonly JsonData[] | { readonly [key: string]: JsonData };
export type JsonMap = { readonly [key: string]: JsonData };

export const isJsonMap = (value: JsonData | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compact JSON with the keys of every object sorted: equal values are equal texts (PL-1.2). */
export const canonicalJson = (value: JsonData): string => JSON.stringify(sorted(value));

const sorted = (value: JsonData): JsonData => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
};

/** JSON Merge Patch (RFC 7396): objects merge by key, null removes, everything else replaces. */
export const mergePatch = (target: JsonData, patch: JsonData): JsonData => {
  if (!isJsonMap(patch)) return patch;
  const merged: Record<string, JsonData> = isJsonMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key] ?? null, value);
  }
  return merged;
};

/** Text as a JSON object, undefined for anything else. */
export const parseJsonMap = (text: string): JsonMap | undefined => {
  try {
    const value = JSON.parse(text) as JsonData;
    return isJsonMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
