import { pathParent } from '../../../resources/index.ts';
import { applyRank } from '../../../resources/manifest/index.ts';
import type { InputDocument } from './manifest-input.ts';

/**
 * The order in which documents are applied: by rank of their kind, parents of namespaces first, else as they came.
 * Documents that could not be read come first: nothing is applied before what is wrong with them is known.
 */
export const inOrder = (documents: readonly InputDocument[]): readonly InputDocument[] => {
  const depths = namespaceDepths(documents);
  const rank = (document: InputDocument): number => (document.kind === '' ? -1 : applyRank(document.kind));
  const depth = (document: InputDocument): number =>
    document.kind === 'Namespace' ? (depths.get(document.name) ?? 0) : 0;
  return [...documents].sort(
    (left, right) => rank(left) - rank(right) || depth(left) - depth(right) || left.index - right.index,
  );
};

/** How many namespaces of the same call are above each. */
const namespaceDepths = (documents: readonly InputDocument[]): ReadonlyMap<string, number> => {
  const parents = new Map<string, string>();
  for (const { kind, name, resource } of documents) {
    if (kind !== 'Namespace') continue;
    const { parent = '' } = (resource?.spec ?? {}) as { readonly parent?: string };
    parents.set(name, parent === '' ? pathParent(name) : parent);
  }
  const depthOf = (name: string): number => {
    const seen = new Set<string>();
    for (let at = parents.get(name); at !== undefined && !seen.has(at); at = parents.get(at) ?? above(at)) seen.add(at);
    return seen.size;
  };
  return new Map([...parents.keys()].map((name) => [name, depthOf(name)]));
};

const above = (name: string): string | undefined => (pathParent(name) === '' ? undefined : pathParent(name));
