import { BoundedCache } from '../../../base/index.ts';
import type { ChangeFeed } from '../../../controllers/contract.ts';
import { pathAncestors, pathRoot } from '../../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceReads,
  resourcePages,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { PARENT_LABEL } from './namespace-rules.ts';

/** Namespaces that are gone and whose last parents are still known. */
const GONE = 10_000;
/** Lives of one name that are remembered. */
const LIVES = 16;

/** A root namespace that is gone, or was there before the present one of its name. */
export interface PastLife {
  readonly uid: string;
  /** '' for none. */
  readonly parent: string;
  /** Version of its removal; infinite until the change log tells it. */
  readonly until: number;
}

/**
 * Ancestors of any namespace name without a read, for authorisation: by the text of the name, and for root names by the parent
 * given at creation. Only the latter are kept in memory. A parent never changes; a missing entry refuses, never allows.
 */
export class NamespaceAncestry {
  readonly #parents = new Map<string, string>();
  readonly #gone = new BoundedCache<string, readonly PastLife[]>(GONE);
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
    const parent = record.labels[PARENT_LABEL] ?? '';
    if (parent !== '') this.#parents.set(name, parent);
  }

  /** Takes note that a namespace is gone; a name that comes back may have another parent. `until`: version of the removal. */
  forget(record: StoredResource, until = Number.POSITIVE_INFINITY): void {
    const { name } = record.key;
    if (name.includes(':')) return;
    this.#parents.delete(name);
    const lives = this.#gone.get(name) ?? [];
    // The change log tells with the version what a commit of this process has told before, or tells yet.
    const known = lives.find(({ uid }) => uid === record.uid);
    if (known !== undefined && known.until <= until) return;
    const others = lives.filter((life) => life !== known);
    const life = { uid: record.uid, parent: record.labels[PARENT_LABEL] ?? '', until };
    this.#gone.set(name, [...others, life].sort(byEnd).slice(-LIVES));
  }

  /** Nearest first. */
  ancestors(namespace: string): readonly string[] {
    if (this.#parents.size === 0) return pathAncestors(namespace);
    return chain(namespace, (root) => this.#parents.get(root));
  }

  /**
   * As `ancestors`, with the parents that namespaces had when the change of this version was written: a reader that follows a
   * subtree has to see what left it. Only for that: access is decided by what is there, as here without a version.
   */
  ancestorsAt(namespace: string, version?: number): readonly string[] {
    if (this.#parents.size === 0 && this.#gone.size === 0) return pathAncestors(namespace);
    return chain(namespace, (root) => this.parentAt(root, version));
  }

  /** Parent of a root namespace at a version or now, as far as this process remembers; undefined or '' for none. */
  parentAt(root: string, version?: number): string | undefined {
    if (version === undefined) return this.#parents.get(root);
    return livingAt(this.#gone.get(root) ?? [], version)?.parent ?? this.#parents.get(root);
  }

  #follow(changes: readonly ResourceChange[]): void {
    for (const { change, resource, version } of changes) {
      if (resource.key.kind !== 'Namespace') continue;
      if (change === 'deleted') this.forget(resource, version);
      else this.note(resource);
    }
  }
}

const byEnd = (left: PastLife, right: PastLife): number => {
  if (left.until === right.until) return 0;
  return left.until < right.until ? -1 : 1;
};

/** Which of the lives, ordered by their ends, the version belongs to; undefined when it came after all of them. */
export const livingAt = (lives: readonly PastLife[], version: number): PastLife | undefined =>
  lives.find((life) => life.until >= version);

/** Ancestors by the text of the name, then by the parents of roots. */
export const chain = (namespace: string, parentOf: (root: string) => string | undefined): readonly string[] => {
  const found = pathAncestors(namespace);
  let parent = parentOf(pathRoot(namespace));
  while (parent !== undefined && parent !== '' && !found.includes(parent)) {
    found.push(parent, ...pathAncestors(parent));
    parent = parentOf(pathRoot(parent));
  }
  return found;
};
