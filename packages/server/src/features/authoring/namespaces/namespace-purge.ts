import type { QueueWorker, ReconcileOutcome, ResourceWriter, WorkItem } from '../../../controllers/contract.ts';
import { namespaceKey } from '../../../resources/index.ts';
import type { ResourceKey, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { descendantRecords } from './namespace-directory.ts';
import { statusOf } from './namespace-kind.ts';
import { judgeNamespace, namespaceState, PURGING_ANNOTATION } from './namespace-rules.ts';
import { PURGE, type PurgePayload } from './namespace-service.ts';
import { NamespaceSweep } from './namespace-sweep.ts';

export interface NamespacePurgeDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: ResourceWriter;
}

const WAIT_MS = 5_000;

/**
 * Removes what a tombstone holds when its grace is over, a batch per transaction, children before their parents. All progress
 * is in the store, so that a killed purge continues where it stopped.
 */
export class NamespacePurge implements QueueWorker {
  readonly kinds = [PURGE];
  readonly #deps: NamespacePurgeDeps;

  constructor(deps: NamespacePurgeDeps) {
    this.#deps = deps;
  }

  run(item: WorkItem): Promise<ReconcileOutcome> {
    const payload = JSON.parse(item.payload) as PurgePayload;
    return this.#deps.store.write((tx) => this.#step(tx, item.key, payload));
  }

  async #step(tx: WriteTx, name: string, payload: PurgePayload): Promise<ReconcileOutcome> {
    const root = await tx.resources.get(namespaceKey(name));
    if (root === undefined || root.uid !== payload.uid) return { done: true };
    const state = namespaceState(root);
    if (!state.isDeleted || state.deletedAt !== payload.deletedAt) return { done: true };
    const below = await descendantRecords(tx.resources, name);
    if (!state.isPurging) await this.#mark(tx, [root, ...below]);
    const sweep = new NamespaceSweep(tx, this.#deps.writer);
    await sweep.through([root, ...below].reverse());
    if (sweep.isFull) return { againMs: 0 };
    if (sweep.holders === '') return { done: true };
    await this.#report(tx, root.key, sweep.holders);
    return { againMs: WAIT_MS };
  }

  /** From here on the namespaces cannot be revived. */
  async #mark(tx: WriteTx, records: readonly StoredResource[]): Promise<void> {
    for (const record of records)
      await this.#deps.writer.writeStatus(tx, record.key, () => ({
        system: { annotations: { [PURGING_ANNOTATION]: 'true' } },
      }));
  }

  async #report(tx: WriteTx, root: ResourceKey, message: string): Promise<void> {
    await this.#deps.writer.writeStatus(tx, root, (current) => ({
      status: judgeNamespace(statusOf(current), {
        now: tx.now(),
        generation: current.generation,
        deletedAt: namespaceState(current).deletedAt,
        findings: [{ type: 'ContentRemoved', status: 'False', reason: 'Finalizers', message }],
      }),
    }));
  }
}
