import { BoundedCache } from '../../base/index.ts';
import type { ChangeFeed } from '../../controllers/contract.ts';
import { pathAncestors, pathRoot } from '../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceReads,
  resourcePages,
  type StoredResource,
} from '../../store/contracts/index.ts';
import { PARENT_LABEL } from './namespace-rules.ts';

/** Namespaces that are gone and whose last parent is still known. */
const GONE = 10_000;

/**
 * Ancestors of any namespace name without a read, for authorisation: by the text of the name, and for root names by the parent
 * given at creation. Only the latter are kept in memory. A parent never changes; a missing entry refuses, never allows.
 */
export class NamespaceAncestry {
  readonly #parents = new Map<string, string>();
  readonly #gone = new BoundedCache<string, string>(GONE);
  #stop: () => void = () => undefined;

  /** Learns every root with a parent and follows the changes from there on. */
  async start(resources: ResourceReads, feed: ChangeFeed): Promise<void> {
    const subscription = feed.subscribe((changes) => this.#follow(changes));
    this.#stop = () => subscription.stop();
    const withParent = {
      kind: 'Namespace',
      scope: { type: 'namespace', namespace: '' },
      labels: [{ op: 'notIn', key: PARENT_LABEL, values: [''] }],
    } as const;
    for await (const page of resourcePages(resources, withParent)) for (const record of page) this.note(record);
  }

  close(): void {
    this.#stop();
  }

  /** Takes note of a record as soon as its write is committed. */
  note(record: StoredResource): void {
    const { name } = record.key;
    if (name.includes(':')) return;
    this.#gone.delete(name);
    const parent = record.labels[PARENT_LABEL] ?? '';
    if (parent !== '') this.#parents.set(name, parent);
  }

  /** Takes note that a namespace is gone; a name that comes back may have another parent. */
  forget(record: StoredResource): void {
    const { name } = record.key;
    const parent = record.labels[PARENT_LABEL] ?? '';
    if (!name.includes(':') && parent !== '') this.#gone.set(name, parent);
    this.#parents.delete(name);
  }

  /** Nearest first. */
  ancestors(namespace: string): readonly string[] {
    if (this.#parents.size === 0) return pathAncestors(namespace);
    return chain(namespace, (root) => this.#parents.get(root));
  }

  /**
   * As `ancestors`, with the last parents of namespaces that are gone: whoever follows a subtree has to see what left it.
   * Only for that: access is decided by what is there.
   */
  lastAncestors(namespace: string): readonly string[] {
    if (this.#parents.size === 0 && this.#gone.size === 0) return pathAncestors(namespace);
    return chain(namespace, (root) => this.#parents.get(root) ?? this.#gone.get(root));
  }

  #follow(changes: readonly ResourceChange[]): void {
    for (const { change, resource } of changes) {
      if (resource.key.kind !== 'Namespace') continue;
      if (change === 'deleted') this.forget(resource);
      else this.note(resource);
    }
  }
}

/** Ancestors by the text of the name, then by the parents of roots. */
const chain = (namespace: string, parentOf: (root: string) => string | undefined): readonly string[] => {
  const found = pathAncestors(namespace);
  let parent = parentOf(pathRoot(namespace));
  while (parent !== undefined && !found.includes(parent)) {
    found.push(parent, ...pathAncestors(parent));
    parent = parentOf(pathRoot(parent));
  }
  return found;
};
