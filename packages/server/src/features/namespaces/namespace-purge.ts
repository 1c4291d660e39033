import type {
  QueueWorker,
  ReconcileOutcome,
  ResourceWriter,
  WorkItem,
  WriteOrigin,
} from '../../controllers/contract.ts';
import { formatKey, namespaceKey } from '../../resources/index.ts';
import type { ResourceKey, Store, StoredResource, WriteTx } from '../../store/contracts/index.ts';
import { descendantRecords } from './namespace-directory.ts';
import { statusOf } from './namespace-kind.ts';
import { judgeNamespace, namespaceState, PURGING_ANNOTATION } from './namespace-rules.ts';
import { PURGE, type PurgePayload } from './namespace-service.ts';

export interface NamespacePurgeDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: ResourceWriter;
}

const BATCH = 500;
const WAIT_MS = 5_000;
const NAMED = 5;
const ORIGIN: WriteOrigin = { requestId: '', operation: 'namespace-purge', caller: { identity: 'system' } };

interface Sweep {
  readonly removed: number;
  /** Resources that their finalizers hold. */
  readonly held: readonly StoredResource[];
}

/**
 * Removes what a tombstone holds when its grace is over: deepest namespace first, at most 500 resources per transaction. All
 * progress is in the store, so that a killed purge goes on where it stopped (PL-3 rule 3).
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
    const deepest = below.at(-1) ?? root;
    const sweep = await this.#sweep(tx, deepest.key.name);
    if (sweep.held.length > 0) {
      await this.#report(tx, root.key, sweep.held);
      return { againMs: sweep.removed > 0 ? 0 : WAIT_MS };
    }
    if (sweep.removed === BATCH) return { againMs: 0 };
    const { pending, resource } = await this.#deps.writer.remove(tx, ORIGIN, { key: deepest.key, bySystem: true });
    if (pending) {
      await this.#report(tx, root.key, [resource]);
      return { againMs: WAIT_MS };
    }
    return deepest === root ? { done: true } : { againMs: 0 };
  }

  /** From here on the namespaces cannot be revived. */
  async #mark(tx: WriteTx, records: readonly StoredResource[]): Promise<void> {
    for (const record of records)
      await this.#deps.writer.writeStatus(tx, record.key, () => ({
        system: { annotations: { [PURGING_ANNOTATION]: 'true' } },
      }));
  }

  async #sweep(tx: WriteTx, namespace: string): Promise<Sweep> {
    const held: StoredResource[] = [];
    let removed = 0;
    let after: ResourceKey | undefined;
    for (;;) {
      const page = await tx.resources.list({
        scope: { type: 'namespace', namespace },
        limit: BATCH,
        ...(after === undefined ? {} : { after }),
      });
      for (const resource of page) {
        // An earlier removal may have taken this one along.
        const current = await tx.resources.get(resource.key);
        if (current === undefined) continue;
        const { pending } = await this.#deps.writer.remove(tx, ORIGIN, { key: resource.key, bySystem: true });
        if (pending) held.push(current);
        else removed += 1;
        if (removed === BATCH) return { removed, held };
      }
      after = page.at(-1)?.key;
      if (page.length < BATCH) return { removed, held };
    }
  }

  async #report(tx: WriteTx, root: ResourceKey, held: readonly StoredResource[]): Promise<void> {
    const names = held
      .slice(0, NAMED)
      .map((resource) => `${formatKey(resource.key)} (${resource.finalizers.join(', ')})`);
    const message = `${held.length} left, held by finalizers: ${names.join('; ')}`;
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
