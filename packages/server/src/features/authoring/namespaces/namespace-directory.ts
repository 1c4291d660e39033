import { BoundedCache } from '../../../base/index.ts';
import type { NamespaceFacts } from '../../../controllers/contract.ts';
import { namespaceDeleted, namespaceKey, namespaceMissing, withoutPrivate } from '../../../resources/index.ts';
import type { NamespaceGate } from '../../../runtime/contract.ts';
import { everyResource, type ReadTx, type ResourceReads, type StoredResource } from '../../../store/contracts/index.ts';
import { type NamespaceState, namespaceState, PARENT_LABEL } from './namespace-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

interface Known {
  readonly version: number;
  readonly uid: string;
  readonly state: NamespaceState;
  readonly shownLabels: Readonly<Record<string, string>>;
}

const ENTRIES = 10_000;
const PARENTS_PER_QUERY = 200;

/**
 * What the rest of the product asks about namespaces. The record is read through the caller's transaction every time and only
 * its interpretation is cached, by uid and version: an answer is never older than the transaction, on any node.
 */
export class NamespaceDirectory implements NamespaceGate, NamespaceFacts {
  readonly #known = new BoundedCache<string, Known>(ENTRIES);

  async requireLive(reads: Reads, namespace: string): Promise<void> {
    const state = (await this.#find(reads, namespace))?.state;
    if (state === undefined) throw namespaceMissing(namespace);
    if (state.isDeleted) throw namespaceDeleted(namespace);
  }

  async labels(reads: Reads, namespace: string): Promise<Readonly<Record<string, string>>> {
    return (await this.#find(reads, namespace))?.shownLabels ?? {};
  }

  async ancestors(reads: Reads, namespace: string): Promise<readonly string[]> {
    return (await this.#find(reads, namespace))?.state.ancestors ?? [];
  }

  /** State of a namespace or tombstone; undefined when there is no record. */
  async find(reads: Reads, namespace: string): Promise<NamespaceState | undefined> {
    return (await this.#find(reads, namespace))?.state;
  }

  /** The namespace and its ancestors, nearest first: where references from it are resolved; [] for a missing or deleted one. */
  async visible(reads: Reads, namespace: string): Promise<readonly string[]> {
    const state = await this.find(reads, namespace);
    return state === undefined || state.isDeleted ? [] : [namespace, ...state.ancestors];
  }

  /** Names of everything below a namespace, parents before their children, tombstones included. */
  descendants(reads: Reads, namespace: string): Promise<readonly string[]> {
    return descendantNames(reads.resources, namespace);
  }

  /** Namespaces directly below one ('' = the roots) by name, tombstones included. */
  async children(reads: Reads, parent: string): Promise<readonly NamespaceState[]> {
    return (await childRecords(reads.resources, [parent])).map(namespaceState);
  }

  /** What a record says, also the last one of a namespace that is gone. */
  stateOf(record: StoredResource): NamespaceState {
    return namespaceState(record);
  }

  async #find(reads: Reads, namespace: string): Promise<Known | undefined> {
    const record = await reads.resources.get(namespaceKey(namespace));
    if (record === undefined) return undefined;
    const known = this.#known.get(namespace);
    if (known !== undefined && known.version === record.version && known.uid === record.uid) return known;
    const state = namespaceState(record);
    const fresh = { version: record.version, uid: record.uid, state, shownLabels: withoutPrivate(record.labels) };
    this.#known.set(namespace, fresh);
    return fresh;
  }
}

/** Records of everything below a namespace, parents before their children, tombstones included. */
export const descendantRecords = async (resources: ResourceReads, name: string): Promise<readonly StoredResource[]> => {
  const found: StoredResource[] = [];
  let level: readonly string[] = [name];
  while (level.length > 0) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += PARENTS_PER_QUERY) {
      const children = await childRecords(resources, level.slice(at, at + PARENTS_PER_QUERY));
      found.push(...children);
      next.push(...children.map((child) => child.key.name));
    }
    level = next;
  }
  return found;
};

/** Names of everything below a namespace, as `descendantRecords`. */
export const descendantNames = async (resources: ResourceReads, name: string): Promise<readonly string[]> =>
  (await descendantRecords(resources, name)).map((record) => record.key.name);

const childRecords = (resources: ResourceReads, parents: readonly string[]): Promise<readonly StoredResource[]> =>
  everyResource(resources, {
    kind: 'Namespace',
    scope: { type: 'namespace', namespace: '' },
    labels: [{ op: 'in', key: PARENT_LABEL, values: parents }],
  });
