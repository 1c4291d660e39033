import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CancelTimer, type Clock, type Log, Passes, type Random } from '../../base/index.ts';
import { formatKey } from '../../resources/index.ts';
import type { ResourceChange, ResourceKey } from '../../store/contracts/index.ts';
import type { ChangeFeed, Reconciler } from '../contract.ts';
import { KeyQueue } from '../queues/index.ts';
import { type FullPassDeps, fullPass, type Wanting } from './full-pass.ts';

export interface ReconcileLoopDeps extends FullPassDeps {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Reads that need no wait never let anybody else run: after so many changes, and before each pass, everybody gets a turn. */
const CHANGES_PER_TURN = 20;
/** Wait before everything is queued again because the keys of a change could not be found. */
const REMAP_MS = 5_000;

/**
 * Drives one reconciler: keys from changes, from a full pass at start and at every resync. Two passes over one key never
 * overlap; `concurrency` says how many keys are reconciled at a time.
 */
export class ReconcileLoop {
  readonly #deps: ReconcileLoopDeps;
  readonly #reconciler: Reconciler;
  readonly #queue: KeyQueue<ResourceKey>;
  readonly #changes: ResourceChange[] = [];
  #stop: () => void = () => undefined;
  #timer: CancelTimer = () => undefined;
  #remapTimer: CancelTimer | undefined;
  #running: Promise<void> | undefined;
  #news = Promise.withResolvers<void>();
  /** The full pass that began last. */
  #listing: Promise<void> | undefined;
  readonly #fullPasses = new Passes(() => this.#passOverAll());
  /** Newest version when the last full pass began. */
  #passedAt: number | undefined;
  #isClosed = false;

  constructor(reconciler: Reconciler, deps: ReconcileLoopDeps) {
    this.#deps = deps;
    this.#reconciler = reconciler;
    this.#queue = new KeyQueue({ clock: deps.clock, random: deps.random, notify: () => this.#wake() });
  }

  /**
   * Subscribes first and lists then, so that no change falls between. The first full pass continues after the start, which must
   * not wait for a hundred thousand resources; `tick` waits for it.
   */
  start(): void {
    const subscription = this.#deps.feed.subscribe((changes) => this.#take(changes));
    this.#stop = () => subscription.stop();
    this.#remap();
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#fullPasses.close();
    this.#stop();
    this.#timer();
    this.#remapTimer?.();
    this.#queue.clear();
  }

  /** Queues every resource of the reconciler's kinds that needs a pass. */
  resync(): Promise<void> {
    return this.#fullPasses.request();
  }

  async #passOverAll(): Promise<void> {
    const { newest } = await this.#deps.store.direct.resources.versionRange();
    if (this.#reconciler.looksAtResourcesOnly === true && newest === this.#passedAt) return;
    for await (const page of fullPass(this.#reconciler, this.#deps)) {
      if (this.#isClosed) return;
      for (const wanting of page) this.#want(wanting);
      await nextTurn();
    }
    this.#passedAt = newest;
  }

  #want({ key, afterMs }: Wanting): void {
    if (afterMs === 0) this.#queue.add(formatKey(key), key);
    else this.#queue.addWithin(formatKey(key), key, afterMs);
  }

  /** Works until no key is ready, those of a full pass that has begun included; keys that wait for their time stay. */
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
    const { concurrency = 1 } = this.#reconciler;
    const passes = new Set<Promise<void>>();
    for (;;) {
      this.#news = Promise.withResolvers();
      await this.#mapChanges();
      while (passes.size < concurrency) {
        const next = this.#isClosed ? undefined : this.#queue.take();
        if (next === undefined) break;
        const pass = this.#pass(next.id, next.value).finally(() => passes.delete(pass));
        passes.add(pass);
      }
      if (passes.size === 0) return;
      // News only matter while there is room for a further pass.
      await Promise.race(passes.size < concurrency ? [...passes, this.#news.promise] : passes);
    }
  }

  #take(changes: readonly ResourceChange[]): void {
    const before = this.#changes.length;
    for (const change of changes) if (this.#reconciler.concerns(change)) this.#changes.push(change);
    if (this.#changes.length > before) this.#wake();
  }

  async #mapChanges(): Promise<void> {
    const batch = this.#changes.splice(0);
    for (const [index, change] of batch.entries()) {
      if (this.#isClosed) return;
      if (index % CHANGES_PER_TURN === CHANGES_PER_TURN - 1) await nextTurn();
      try {
        for (const key of await this.#reconciler.keysFor(change, this.#deps.store.direct.resources)) this.#add(key);
      } catch (error) {
        this.#warn('cannot find the keys of a change; scheduling a full resync', error);
        this.#remapTimer ??= this.#deps.clock.after(REMAP_MS, () => this.#remap());
      }
    }
  }

  #add(key: ResourceKey): void {
    const { debounceMs } = this.#reconciler;
    if (debounceMs === undefined) this.#queue.add(formatKey(key), key);
    else this.#queue.addWithin(formatKey(key), key, debounceMs);
  }

  /** Queues everything: at the start, and in place of keys that could not be found. Tried again until it succeeds. */
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
    await nextTurn();
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
    this.#news.resolve();
    if (this.#isClosed || this.#running !== undefined) return;
    this.#drain().catch((error: unknown) => this.#warn('a controller stopped early', error));
  }

  #arm(): void {
    this.#timer = this.#deps.clock.after(this.#reconciler.resyncMs, () => {
      this.#listing = this.resync().catch((error: unknown) => this.#warn('resync failed', error));
      if (!this.#isClosed) this.#arm();
    });
  }
}
