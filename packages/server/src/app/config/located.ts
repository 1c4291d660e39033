/** Where a value was written: the source for `config show` and the label at the start of error texts. */
export interface Origin {
  readonly source: 'flag' | 'environment' | 'file' | 'default';
  /** `svc.yaml:3:5`, `SVC_SERVER_LISTEN` or `flag server.listen`. */
  readonly label: string;
  /** Relative paths in the value are relative to this directory. */
  readonly directory: string;
}

/** A parsed value that remembers where each of its parts was written, for error texts. */
export type Located =
  | { readonly kind: 'scalar'; readonly origin: Origin; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly origin: Origin; readonly items: readonly Located[] }
  | { readonly kind: 'map'; readonly origin: Origin; readonly entries: ReadonlyMap<string, LocatedEntry> };

export interface LocatedEntry {
  /** Position of the key itself, for unknown keys. */
  readonly keyOrigin: Origin;
  readonly value: Located;
}

export type LocatedMap = Extract<Located, { kind: 'map' }>;

/** One error or warning in the configuration; errors stop the start, warnings do not. */
export interface ConfigFault {
  readonly severity: 'error' | 'warning';
  readonly label: string;
  readonly key: string;
  readonly text: string;
}

/** Collects errors; parsing continues after one, so that all are listed at once. */
export type Report = (fault: ConfigFault) => void;

/** `svc.yaml:3:5: server.listen: text`. */
export const faultLine = (fault: ConfigFault): string =>
  [fault.label, fault.key, fault.text].filter((piece) => piece !== '').join(': ');

/** Plain JSON data, all of one origin. */
export const locate = (value: unknown, origin: Origin): Located => {
  if (Array.isArray(value)) return { kind: 'list', origin, items: value.map((item) => locate(item, origin)) };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]): [string, LocatedEntry] => [
      key,
      { keyOrigin: origin, value: locate(item, origin) },
    ]);
    return { kind: 'map', origin, entries: new Map(entries) };
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', origin, value };
  }
  return { kind: 'scalar', origin, value: null };
};

/** Merges `over` into `base`: maps merge by key, everything else is replaced. Implements `extends`. */
export const overlay = (base: LocatedMap, over: LocatedMap): LocatedMap => {
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    const isMerge = below?.value.kind === 'map' && entry.value.kind === 'map';
    entries.set(key, isMerge ? { ...entry, value: overlay(below.value, entry.value) } : entry);
  }
  return { kind: 'map', origin: over.origin, entries };
};
