import { storageFault } from './storage-fault.ts';

export interface WalSyncerOptions {
  /** Makes everything written to the log so far durable. */
  readonly sync: () => Promise<void>;
  /** Ends the process: after a failed sync it is unknown what reached the disk. */
  readonly fatal: (error: unknown) => void;
}

interface Waiter {
  readonly commit: number;
  readonly settle: (error: unknown) => void;
}

/**
 * Counts commits and syncs of the log. At most one sync runs; commits made meanwhile share the next one.
 * Invariant: a waiter of commit n is released only by a sync that began after commit n.
 */
export class WalSyncer {
  readonly #options: WalSyncerOptions;
  readonly #waiters: Waiter[] = [];
  #committed = 0;
  #synced = 0;
  #isSyncing = false;
  #failure: unknown;

  constructor(options: WalSyncerOptions) {
    this.#options = options;
  }

  /** Number of the newest commit. */
  get committed(): number {
    return this.#committed;
  }

  get isSynced(): boolean {
    return this.#synced === this.#committed;
  }

  /** Notes a commit and starts its sync. */
  noteCommit(): void {
    this.#committed++;
    if (!this.#isSyncing) void this.#run();
  }

  /** Calls back when every commit so far is on disk; at once when it is. The callback gets an error when that failed. */
  whenSynced(settle: (error: unknown) => void): void {
    if (this.#failure !== undefined || this.isSynced) settle(this.#failure);
    else this.#waiters.push({ commit: this.#committed, settle });
  }

  /** Resolves when every commit so far is on disk. */
  synced(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenSynced((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  async #run(): Promise<void> {
    this.#isSyncing = true;
    while (!this.isSynced && this.#failure === undefined) {
      const target = this.#committed;
      try {
        await this.#options.sync();
        this.#synced = target;
      } catch (error) {
        this.#failure = storageFault('the store could not make writes durable', error);
        this.#options.fatal(error);
      }
      this.#release();
    }
    this.#isSyncing = false;
  }

  #release(): void {
    let count = 0;
    for (const waiter of this.#waiters) {
      if (this.#failure === undefined && waiter.commit > this.#synced) break;
      count++;
    }
    for (const waiter of this.#waiters.splice(0, count)) waiter.settle(this.#failure);
  }
}
