import type { ChangeFeed } from '../../controllers/contract.ts';
import { pathAncestors, pathRoot } from '../../resources/index.ts';
import type { ResourceChange, ResourceReads, StoredResource } from '../../store/contracts/index.ts';
import { PARENT_LABEL } from './namespace-rules.ts';

const PAGE = 500;

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
    let after: StoredResource['key'] | undefined;
    for (;;) {
      const page = await resources.list({
        kind: 'Namespace',
        scope: { type: 'namespace', namespace: '' },
        labels: [{ op: 'notIn', key: PARENT_LABEL, values: [''] }],
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const record of page) this.note(record);
      after = page.at(-1)?.key;
      if (page.length < PAGE) return;
    }
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
