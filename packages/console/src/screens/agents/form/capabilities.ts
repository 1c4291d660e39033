/** One granted action of a capability. */
export interface Grant {
  readonly capability: string;
  readonly action: string;
  /** `allow` where nothing is said. */
  readonly approval: string;
  readonly namespaces: readonly string[];
}

/** Grants of the capabilities in a spec, in its order; entries that mean nothing are left out, as the server does. */
export const grantsOf = (capabilities: unknown): readonly Grant[] =>
  Object.entries(isObject(capabilities) ? capabilities : {}).flatMap(([capability, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: unknown): readonly Grant[] => {
      if (typeof entry === 'string') return [{ capability, action: entry, approval: 'allow', namespaces: [] }];
      if (!isObject(entry) || typeof entry['action'] !== 'string') return [];
      const { action, approval, namespaces } = entry;
      return [
        {
          capability,
          action,
          approval: typeof approval === 'string' ? approval : 'allow',
          namespaces: Array.isArray(namespaces) ? namespaces.filter((name) => typeof name === 'string') : [],
        },
      ];
    }),
  );

/** The capabilities of a spec for grants, each entry in its shortest form. */
export const capabilitiesOf = (grants: readonly Grant[]): Readonly<Record<string, readonly unknown[]>> => {
  const capabilities: Record<string, unknown[]> = {};
  for (const { capability, action, approval, namespaces } of grants) {
    const entry =
      approval === 'allow' && namespaces.length === 0
        ? action
        : {
            action,
            ...(approval !== 'allow' && { approval }),
            ...(namespaces.length > 0 && { namespaces }),
          };
    capabilities[capability] = [...(capabilities[capability] ?? []), entry];
  }
  return capabilities;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
