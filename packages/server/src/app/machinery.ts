import type { Clock, Log, Random } from '../base/index.ts';
import {
  type ChangeFeed,
  QueueRunner,
  type QueueWorker,
  ReconcileLoop,
  type Reconciler,
} from '../controllers/index.ts';
import type { Bus, Store } from '../store/contracts/index.ts';

/** How long changes and due work may stay unnoticed when every notification is lost. */
export const POLL_MS = 2_000;

interface MachineryDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly feed: ChangeFeed;
  readonly reconcilers: readonly Reconciler[];
  readonly workers: readonly QueueWorker[];
  /** Name of this process as a worker. */
  readonly owner: string;
}

/** What drives observed state: a loop for each reconciler, and the durable queue. */
export class Machinery {
  readonly #loops: readonly ReconcileLoop[];
  readonly #queue: QueueRunner;

  constructor(deps: MachineryDeps) {
    this.#loops = deps.reconcilers.map((reconciler) => new ReconcileLoop(reconciler, deps));
    this.#queue = new QueueRunner({ ...deps, pollMs: POLL_MS });
  }

  /** Kinds of work in the queue. */
  get queueKinds(): readonly string[] {
    return this.#queue.kinds;
  }

  /** The feed of changes has begun by then. */
  start(): void {
    for (const loop of this.#loops) loop.start();
    this.#queue.start();
  }

  close(): void {
    this.#queue.close();
    for (const loop of this.#loops) loop.close();
  }
}
