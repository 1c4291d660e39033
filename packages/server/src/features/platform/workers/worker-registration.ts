import type { Clock } from '../../../base/index.ts';
import type { Reconciler, ResourceWriter } from '../../../controllers/contract.ts';
import type { Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { emptyWorkerSpec, heartbeatActivity, WORKER_ORIGIN, workerKey, workerStatus } from './worker-records.ts';
import { liveStatus, type WorkerFacts } from './worker-rules.ts';

export interface WorkerRegistrationDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly writer: () => ResourceWriter;
  readonly clock: Pick<Clock, 'nowMicros'>;
  /** Name of the record: the id under which this process claims. */
  readonly workerId: string;
  readonly version: string;
  readonly endpoints: WorkerFacts['endpoints'];
  readonly isBusReachable: () => boolean;
  /** Makes this process claim nothing new and hand over what it holds; called once. */
  readonly drain: () => Promise<void>;
}

const RESYNC_MS = 30_000;

/** The Worker record of this process: made at start, kept alive by heartbeats, gone after an orderly end. */
export class WorkerRegistration {
  readonly #deps: WorkerRegistrationDeps;
  readonly #startedAt: number;
  #isDraining = false;

  constructor(deps: WorkerRegistrationDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.nowMicros();
  }

  /** Makes the record where it is missing and says that this process lives; also revives a record taken for lost. */
  async heartbeat(): Promise<void> {
    const { store, workerId } = this.#deps;
    await store.write(async (tx) => {
      const record = (await tx.resources.get(workerKey(workerId))) ?? (await this.#create(tx));
      const status = workerStatus(record);
      const isDraining = this.#isDraining || status.phase === 'draining';
      const phase = isDraining ? 'draining' : 'ready';
      await this.#deps.writer().writeStatus(tx, record.key, () => ({
        status: liveStatus(status, this.#facts(), { phase, now: tx.now() }),
      }));
      await tx.resources.setActivity(record.uid, heartbeatActivity({ now: tx.now(), steadyNow: tx.steadyNow() }));
    });
  }

  /** Follows the own record: once it says draining, this process drains. */
  reconciler(): Reconciler {
    const own = workerKey(this.#deps.workerId);
    return {
      name: 'worker drain',
      kinds: [],
      resyncMs: RESYNC_MS,
      concerns: ({ resource: { key } }) => key.kind === 'Worker' && key.name === own.name,
      keysFor: async () => [own],
      reconcile: async (key) => {
        const record = await this.#deps.store.direct.resources.get(key);
        if (record !== undefined && workerStatus(record).phase === 'draining') await this.#drain();
        return { done: true };
      },
    };
  }

  /** The record of a process that ends in order is removed: it is not lost. */
  async close(): Promise<void> {
    const { store, writer, workerId } = this.#deps;
    await store.write(async (tx) => {
      const key = workerKey(workerId);
      if ((await tx.resources.get(key)) !== undefined)
        await writer().remove(tx, WORKER_ORIGIN, { key, bySystem: true });
    });
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    await this.#deps.drain();
  }

  async #create(tx: WriteTx): Promise<StoredResource> {
    const key = workerKey(this.#deps.workerId);
    return (await this.#deps.writer().create(tx, WORKER_ORIGIN, { key, spec: emptyWorkerSpec() })).resource;
  }

  #facts(): WorkerFacts {
    const { version, endpoints, isBusReachable } = this.#deps;
    return { startedAt: this.#startedAt, version, endpoints, isBusReachable: isBusReachable() };
  }
}
