import type { ChangeFeed } from '../../controllers/contract.ts';
import { pathAncestors, pathRoot } from '../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceReads,
  resourcePages,
  type StoredResource,
} from '../../store/contracts/index.ts';
import { PARENT_LABEL } from './namespace-rules.ts';

/**
 * Ancestors of any namespace name without a read, for authorisation: by the text of the name, and for root names by the parent
 * given at creation. Only the latter are kept in memory. A parent never changes; a missing entry refuses, never allows.
 */
export class NamespaceAncestry {
  readonly #parents = new Map<string, string>();
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
    const parent = record.labels[PARENT_LABEL] ?? '';
    if (name.includes(':') || parent === '') return;
    this.#parents.set(name, parent);
  }

  forget(name: string): void {
    this.#parents.delete(name);
  }

  /** Nearest first. */
  ancestors(namespace: string): readonly string[] {
    if (this.#parents.size === 0) return pathAncestors(namespace);
    const found = pathAncestors(namespace);
    let parent = this.#parents.get(pathRoot(namespace));
    while (parent !== undefined && !found.includes(parent)) {
      found.push(parent, ...pathAncestors(parent));
      parent = this.#parents.get(pathRoot(parent));
    }
    return found;
  }

  #follow(changes: readonly ResourceChange[]): void {
    for (const { change, resource } of changes) {
      if (resource.key.kind !== 'Namespace') continue;
      if (change === 'deleted') this.forget(resource.key.name);
      else this.note(resource);
    }
  }
}
