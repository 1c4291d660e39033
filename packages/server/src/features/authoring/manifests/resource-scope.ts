import { requireNamespace } from '../../../controllers/facade-contract.ts';
import type { ReadTx, ResourceQuery, ResourceReads, StoredResource } from '../../../store/contracts/index.ts';

/** Names a request may give for every namespace. */
export const ALL_NAMESPACES = '-';

export interface ScopeRequest {
  readonly ns: string;
  readonly recursive: boolean;
  /** Empty = all. */
  readonly kind: string;
}

/** Which rows a list reads and which of them it shows: a namespace's own record counts as lying in that namespace. */
export interface ListScope {
  readonly scope: ResourceQuery['scope'];
  readonly keep: (row: StoredResource) => boolean;
}

export type DescendantsOf = (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;

/** Throws NAMESPACE_NOT_FOUND for a namespace that has no record; `-` always passes. */
export const requireScope = async (reads: Pick<ReadTx, 'resources'>, ns: string): Promise<void> => {
  if (ns !== ALL_NAMESPACES) await requireNamespace(reads, ns);
};

/** The scope of a list or watch over one namespace, those below it too with `recursive`, or all of them with `-`. */
export const listScope = async (
  reads: Pick<ReadTx, 'resources'>,
  request: ScopeRequest,
  descendantsOf: DescendantsOf,
): Promise<ListScope> => {
  const { ns, recursive, kind } = request;
  if (ns === ALL_NAMESPACES) return { scope: { type: 'all' }, keep: () => true };
  const below = recursive ? await descendantsOf(reads.resources, ns) : [];
  const names = new Set([ns, ...below]);
  const keep = (row: StoredResource): boolean => row.key.kind !== 'Namespace' || names.has(row.key.name);
  if (kind === 'Namespace') return { scope: { type: 'namespace', namespace: '' }, keep };
  const namespaces = kind === '' ? ['', ...names] : [...names];
  return { scope: { type: 'namespaces', namespaces }, keep };
};
