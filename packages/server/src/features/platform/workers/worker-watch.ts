import type { ResourceWriter } from '../../../controllers/contract.ts';
import { SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import { resourcePages, type Store, type StoredResource, type WriteTx } from '../../../store/contracts/index.ts';
import { heardUntil, WORKER_ORIGIN, workerStatus } from './worker-records.ts';
import { judgedStatus, LOST_KEPT_MICROS } from './worker-rules.ts';

export interface WorkerWatchDeps {
  readonly store: Pick<Store, 'write' | 'direct' | 'steadyNow'>;
  readonly writer: () => ResourceWriter;
}

/** Marks workers that fell silent as lost and removes their records a day later. Any process may do it. */
export class WorkerWatch {
  readonly #deps: WorkerWatchDeps;

  constructor(deps: WorkerWatchDeps) {
    this.#deps = deps;
  }

  async tick(): Promise<void> {
    const { store } = this.#deps;
    const { resources } = store.direct;
    const query = { kind: 'Worker', scope: { type: 'namespace', namespace: SYSTEM_NAMESPACE } } as const;
    for await (const workers of resourcePages(resources, query)) {
      const activity = await resources.activity(workers.map((worker) => worker.uid));
      const now = store.steadyNow();
      for (const worker of workers) if (heardUntil(activity.get(worker.uid)) < now) await this.#judge(worker);
    }
  }

  async #judge(worker: StoredResource): Promise<void> {
    await this.#deps.store.write(async (tx) => {
      const current = await tx.resources.get(worker.key);
      if (current?.uid !== worker.uid) return;
      const silentSince = heardUntil((await tx.resources.activity([worker.uid])).get(worker.uid));
      if (silentSince < tx.steadyNow()) await this.#lose(tx, current, silentSince);
    });
  }

  async #lose(tx: WriteTx, worker: StoredResource, silentSince: number): Promise<void> {
    const { writer } = this.#deps;
    const status = workerStatus(worker);
    const isOver = silentSince + LOST_KEPT_MICROS < tx.steadyNow();
    if (status.phase === 'lost' && isOver) {
      await writer().remove(tx, WORKER_ORIGIN, { key: worker.key, bySystem: true });
      return;
    }
    if (status.phase === 'lost') return;
    const lost = judgedStatus(status, { phase: 'lost', now: tx.now() });
    await writer().writeStatus(tx, worker.key, () => ({ status: lost }));
  }
}
