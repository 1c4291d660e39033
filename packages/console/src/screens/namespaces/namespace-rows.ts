import type { Namespace } from '@svc/api/resources';

/** One line of the tree. */
export interface NamespaceRow {
  readonly name: string;
  readonly depth: number;
  readonly namespace: Namespace;
}

/** Namespaces with children directly below their parents, by name; with `find`, those whose name has it and what is above them. */
export const namespaceRows = (namespaces: readonly Namespace[], find = ''): readonly NamespaceRow[] => {
  const byName = new Map(namespaces.map((namespace) => [namespace.metadata?.name ?? '', namespace]));
  const parentOf = (name: string): string => byName.get(name)?.spec?.parent ?? '';
  const kept = new Set<string>();
  for (const name of byName.keys()) {
    if (!name.includes(find)) continue;
    for (let at = name; byName.has(at) && !kept.has(at); at = parentOf(at)) kept.add(at);
  }
  const below = (parent: string, depth: number): readonly NamespaceRow[] =>
    [...byName]
      .filter(([name]) => kept.has(name) && (parentOf(name) === parent || (depth === 0 && !byName.has(parentOf(name)))))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([name, namespace]) => [{ name, depth, namespace }, ...below(name, depth + 1)]);
  return below('', 0);
};
