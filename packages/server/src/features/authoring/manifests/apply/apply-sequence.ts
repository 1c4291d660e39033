import { pathParent } from '../../../../resources/index.ts';
import { applyRank } from '../../../../resources/manifest/index.ts';
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
  const depths = new Map<string, number>();
  for (const name of parents.keys()) {
    // Each name is walked once, however long the chain of parents is; one in a circle counts from where the circle was entered.
    const walked = new Set<string>();
    let at: string | undefined = name;
    while (at !== undefined && !depths.has(at) && !walked.has(at)) {
      walked.add(at);
      at = parents.has(at) ? nonEmpty(parents.get(at)) : nonEmpty(pathParent(at));
    }
    let depth = (at === undefined ? undefined : depths.get(at)) ?? -1;
    for (const each of [...walked].reverse()) depths.set(each, ++depth);
  }
  return depths;
};

const nonEmpty = (name: string | undefined): string | undefined => (name === '' ? undefined : name);
