import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CancelTimer, type Clock, CoalescedRuns, type Log, type Random } from '../../base/index.ts';
import { formatKey } from '../../resources/index.ts';
import type { ResourceChange, ResourceKey } from '../../store/contracts/index.ts';
import { type ChangeFeed, type CheckResult, DONE, type Reconciler } from '../contract.ts';
import { KeyQueue } from '../queues/index.ts';
import { FailedKeys } from './failed-keys.ts';
import { checkOne, DUE, type Found, type FullPassDeps, fullPass } from './full-pass.ts';

export interface ReconcileLoopDeps extends FullPassDeps {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Reads that need no wait never let others run: after so many changes, and before each key, they get a turn. */
const CHANGES_PER_TURN = 20;
/** Wait before everything is queued again because the keys of a change could not be found. */
const REMAP_MS = 5_000;

/** A key to reconcile. */
interface Pending {
  readonly key: ResourceKey;
  /** A full pass has checked it already. */
  readonly isDue: boolean;
}

/**
 * Drives one reconciler: keys from changes, from a full pass at start and at every resync. Each key is checked where the
 * reconciler has a check, and reconciled if it is due, never twice at a time; `concurrency` says how many keys at a time. Exceptions
 * are tried again with growing waits; after a lasting failure the key waits for a change.
 */
export class ReconcileLoop {
  readonly #deps: ReconcileLoopDeps;
  readonly #reconciler: Reconciler;
  readonly #queue: KeyQueue<Pending>;
  readonly #failed = new FailedKeys();
  readonly #changes: ResourceChange[] = [];
  #stop: () => void = () => undefined;
  #timer: CancelTimer = () => undefined;
  #remapTimer: CancelTimer | undefined;
  #running: Promise<void> | undefined;
  #news = Promise.withResolvers<void>();
  /** The full pass that began last. */
  #listing: Promise<void> | undefined;
  readonly #fullRuns = new CoalescedRuns(() => this.#reconcileAll());
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
    this.#fullRuns.close();
    this.#stop();
    this.#timer();
    this.#remapTimer?.();
    this.#queue.clear();
  }

  /** Queues every resource of the reconciler's kinds that needs a pass. */
  resync(): Promise<void> {
    return this.#fullRuns.request();
  }

  async #reconcileAll(): Promise<void> {
    const { newest } = await this.#deps.store.direct.resources.versionRange();
    if (this.#reconciler.checksResourcesOnly === true && newest === this.#passedAt) return;
    this.#failed.beginPass();
    for await (const page of fullPass(this.#reconciler, this.#deps)) {
      if (this.#isClosed) return;
      for (const found of page) this.#want(found);
      await nextTurn();
    }
    this.#failed.endPass();
    this.#passedAt = newest;
  }

  #want({ key, version, result }: Found): void {
    const id = formatKey(key);
    if (this.#failed.isWaiting(id, version)) return;
    if ('failed' in result) this.#fail(id, version, result.failed);
    else if ('due' in result) this.#queue.add(id, { key, isDue: true });
    else if ('againMs' in result) this.#queue.addWithin(id, { key, isDue: false }, result.againMs);
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
    const pending = { key, isDue: false };
    if (debounceMs === undefined) this.#queue.add(formatKey(key), pending);
    else this.#queue.addWithin(formatKey(key), pending, debounceMs);
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

  async #pass(id: string, pending: Pending): Promise<void> {
    await nextTurn();
    const { key } = pending;
    try {
      const result = await this.#reconcile(pending);
      if ('failed' in result) await this.#failNow(id, key, result.failed);
      else this.#failed.forget(id);
      if ('againMs' in result) this.#queue.retry(id, { key, isDue: false }, result.againMs);
      else this.#queue.done(id);
    } catch (error) {
      this.#deps.log.warn('reconciling failed', { controller: this.#reconciler.name, key: id, reason: String(error) });
      this.#queue.failed(id, { key, isDue: false });
    }
  }

  async #reconcile({ key, isDue }: Pending): Promise<CheckResult> {
    const { check } = this.#reconciler;
    const found = isDue || check === undefined ? DUE : await this.#check(check, key);
    return 'due' in found ? this.#reconciler.reconcile(key) : found;
  }

  #check(check: NonNullable<Reconciler['check']>, key: ResourceKey): Promise<CheckResult> {
    const { store } = this.#deps;
    return store.read(async (tx) => {
      const record = await tx.resources.get(key);
      if (record === undefined) return DONE;
      return checkOne(check, record, { resources: tx.resources, log: tx.log, now: () => store.now() });
    });
  }

  /** A version that was written meanwhile gives the key again, as every change does. */
  async #failNow(id: string, key: ResourceKey, reason: string): Promise<void> {
    const record = await this.#deps.store.direct.resources.get(key);
    if (record !== undefined) this.#fail(id, record.version, reason);
  }

  #fail(id: string, version: number, reason: string): void {
    if (!this.#failed.add(id, version)) return;
    const controller = this.#reconciler.name;
    this.#deps.log.error('a resource cannot be reconciled until it changes', { controller, key: id, reason });
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
