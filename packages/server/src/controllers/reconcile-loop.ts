import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CancelTimer, Clock, Log, Random } from '../base/index.ts';
import { formatKey } from '../resources/index.ts';
import type { ResourceChange, ResourceKey, Store } from '../store/contracts/index.ts';
import type { ChangeFeed, Reconciler } from './contract.ts';
import { KeyQueue } from './key-queue.ts';

export interface ReconcileLoopDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const PAGE = 500;
/** Passes after which callers are let in between: reads and passes of an embedded store never leave the event loop's turn. */
const PASSES_PER_TURN = 10;
/** Wait before everything is queued again because the keys of a change could not be told. */
const REMAP_MS = 5_000;

/** Drives one reconciler: keys from changes, from a full pass at start and at every resync; one key at a time. */
export class ReconcileLoop {
  readonly #deps: ReconcileLoopDeps;
  readonly #reconciler: Reconciler;
  readonly #queue: KeyQueue<ResourceKey>;
  readonly #changes: ResourceChange[] = [];
  #stop: () => void = () => undefined;
  #timer: CancelTimer = () => undefined;
  #remapTimer: CancelTimer | undefined;
  #running: Promise<void> | undefined;
  #listing: Promise<void> | undefined;
  #isClosed = false;

  constructor(reconciler: Reconciler, deps: ReconcileLoopDeps) {
    this.#deps = deps;
    this.#reconciler = reconciler;
    this.#queue = new KeyQueue({ clock: deps.clock, random: deps.random, notify: () => this.#wake() });
  }

  /**
   * Subscribes first and lists then, so that no change falls between. The first full pass goes on behind the start, which must
   * not wait for a hundred thousand resources; `tick` waits for it.
   */
  start(): void {
    const subscription = this.#deps.feed.subscribe((changes) => {
      this.#changes.push(...changes);
      this.#wake();
    });
    this.#stop = () => subscription.stop();
    this.#remap();
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#timer();
    this.#remapTimer?.();
    this.#queue.clear();
  }

  /** Queues every resource of the reconciler's kinds. */
  async resync(): Promise<void> {
    for (const kind of this.#reconciler.kinds) {
      let after: ResourceKey | undefined;
      while (!this.#isClosed) {
        const query = { kind, scope: { type: 'all' }, limit: PAGE, ...(after === undefined ? {} : { after }) } as const;
        const page = await this.#deps.store.direct.resources.list(query);
        for (const resource of page) this.#queue.add(formatKey(resource.key), resource.key);
        after = page.at(-1)?.key;
        if (page.length < PAGE) break;
        await nextTurn();
      }
    }
  }

  /** Works until no key is ready; keys that wait for their time stay. */
  async tick(): Promise<void> {
    await this.#listing;
    await this.#drain();
  }

  async #drain(): Promise<void> {
    do {
      this.#running ??= this.#work().finally(() => {
        this.#running = undefined;
      });
      await this.#running;
    } while (!this.#isClosed && (this.#changes.length > 0 || this.#queue.hasReady));
  }

  async #work(): Promise<void> {
    for (let passes = 1; ; passes++) {
      await this.#mapChanges();
      const next = this.#isClosed ? undefined : this.#queue.take();
      if (next === undefined) return;
      await this.#pass(next.id, next.value);
      if (passes % PASSES_PER_TURN === 0) await nextTurn();
    }
  }

  async #mapChanges(): Promise<void> {
    const batch = this.#changes.splice(0);
    for (const change of batch) {
      try {
        for (const key of await this.#reconciler.keysFor(change, this.#deps.store.direct.resources))
          this.#queue.add(formatKey(key), key);
      } catch (error) {
        this.#warn('the keys of a change cannot be told; all are passed over soon', error);
        this.#remapTimer ??= this.#deps.clock.after(REMAP_MS, () => this.#remap());
      }
    }
  }

  /** Queues everything: at the start, and in place of keys that could not be told. Tried again until it succeeds. */
  #remap(): void {
    this.#remapTimer = undefined;
    this.#listing = this.resync().catch((error: unknown) => {
      this.#warn('resync failed', error);
      if (!this.#isClosed) this.#remapTimer ??= this.#deps.clock.after(REMAP_MS, () => this.#remap());
    });
  }

  #warn(message: string, error: unknown): void {
    this.#deps.log.warn(message, { controller: this.#reconciler.name, reason: String(error) });
  }

  async #pass(id: string, key: ResourceKey): Promise<void> {
    try {
      const outcome = await this.#reconciler.reconcile(key);
      if ('done' in outcome) this.#queue.done(id);
      else this.#queue.retry(id, key, outcome.againMs);
    } catch (error) {
      this.#deps.log.warn('reconciling failed', { controller: this.#reconciler.name, key: id, reason: String(error) });
      this.#queue.failed(id, key);
    }
  }

  #wake(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    this.#drain().catch((error: unknown) => this.#warn('a controller stopped early', error));
  }

  #arm(): void {
    this.#timer = this.#deps.clock.after(this.#reconciler.resyncMs, () => {
      this.resync().catch((error: unknown) => this.#warn('resync failed', error));
      if (!this.#isClosed) this.#arm();
    });
  }
}
