import {
  type BackoffRule,
  backoffMs,
  type CancelTimer,
  type Clock,
  CoalescedRuns,
  type Log,
  type Random,
  together,
} from '../../base/index.ts';
import type { Bus, QueueWrites, Store, TakenItem, WriteTx } from '../../store/contracts/index.ts';
import { QUEUE_LEASE_MICROS, type QueueWorker, RESOURCES_CHANGED } from '../contract.ts';

export interface QueueRunnerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly workers: readonly QueueWorker[];
  /** Whose the items are that it takes, for those who list them; absent: of no one. */
  readonly owner?: string;
  /** Longest time until due work is noticed without a notification. */
  readonly pollMs: number;
}

const RENEW_MS = 3_000;
const BATCH = 20;
/** Least wait before due work is looked for again: another process may be about to take what is due. */
const SOON_MS = 20;
const BACKOFF: BackoffRule = { firstMs: 1_000, factor: 2, capMs: 300_000, jitter: 0.2 };

/** The claims of items that wait for their turn. */
interface HeldClaims {
  renew(): Promise<void>;
  /** When they were last known to hold, monotonic milliseconds. */
  confirmedMs(): number;
  release(): void;
}

/** Runs due items of the durable queue (garbage collection, purges, timers) whatever process put them there. */
export class QueueRunner {
  readonly #deps: QueueRunnerDeps;
  readonly #byKind: ReadonlyMap<string, QueueWorker>;
  readonly #kinds: readonly string[];
  /** Kinds that are due by the clock of the store, and those by the clock of the machine. */
  readonly #waiting: readonly string[];
  readonly #dated: readonly string[];
  #timer: CancelTimer = () => undefined;
  #soon: CancelTimer = () => undefined;
  #unsubscribe: () => void = () => undefined;
  readonly #runs = new CoalescedRuns(() => this.#runDue());

  constructor(deps: QueueRunnerDeps) {
    this.#deps = deps;
    this.#byKind = new Map(deps.workers.flatMap((worker) => worker.kinds.map((kind) => [kind, worker])));
    this.#kinds = [...this.#byKind.keys()];
    this.#dated = deps.workers.flatMap((worker) => worker.datedKinds ?? []);
    this.#waiting = this.#kinds.filter((kind) => !this.#dated.includes(kind));
  }

  /** Kinds of items that this runner takes. */
  get kinds(): readonly string[] {
    return this.#kinds;
  }

  start(): void {
    this.#unsubscribe = this.#deps.bus.subscribe(RESOURCES_CHANGED, () => this.#wake());
    this.#wake();
    this.#arm();
  }

  close(): void {
    this.#runs.close();
    this.#unsubscribe();
    this.#timer();
    this.#soon();
  }

  /** Runs items until none is due. */
  tick(): Promise<void> {
    return this.#runs.request();
  }

  async #runDue(): Promise<void> {
    for (;;) {
      const { items, nextInMs } = await this.#take();
      await this.#runAll(items);
      if (this.#runs.isClosed) break;
      if (items.length > 0) continue;
      this.#wakeIn(nextInMs);
      break;
    }
  }

  /** Work that comes due before the next poll is not left until then. */
  #wakeIn(ms: number): void {
    this.#soon();
    if (ms < this.#deps.pollMs) this.#soon = this.#deps.clock.after(Math.max(SOON_MS, ms), () => this.#wake());
  }

  /** Reads before it takes, so that an idle process writes nothing. */
  async #take(): Promise<{ readonly items: readonly TakenItem[]; readonly nextInMs: number }> {
    const { owner } = this.#deps;
    return this.#deps.store.write(async (tx) => {
      const [waiting, dated] = await together(tx.queue.nextDue(this.#waiting), tx.queue.nextDue(this.#dated));
      const items = [
        ...(await takeDue(tx.queue, { kinds: this.#waiting, due: waiting, now: tx.steadyNow(), owner })),
        ...(await takeDue(tx.queue, { kinds: this.#dated, due: dated, now: tx.now(), owner })),
      ];
      const never = Number.POSITIVE_INFINITY;
      const nextIn = Math.min((waiting ?? never) - tx.steadyNow(), (dated ?? never) - tx.now());
      return { items, nextInMs: Math.ceil(nextIn / 1_000) };
    });
  }

  /** Runs items one after the other; those that wait for their turn stay claimed meanwhile. */
  async #runAll(items: readonly TakenItem[]): Promise<void> {
    const held = new Set(items);
    const claims = this.#hold(held);
    try {
      for (const item of items) {
        // After a pause of the process the claims may be over: they are renewed before anything is done.
        if (this.#deps.clock.monotonicMs() - claims.confirmedMs() > 2 * RENEW_MS) await claims.renew();
        // One whose claim was lost runs elsewhere, or was put again.
        if (held.has(item)) await this.#run(item);
        held.delete(item);
      }
    } finally {
      claims.release();
    }
  }

  /** Renews the claims of items for as long as they are in the set, and removes those whose claim was lost. */
  #hold(items: Set<TakenItem>): HeldClaims {
    const { store, clock, log } = this.#deps;
    let isReleased = items.size === 0;
    let confirmedMs = clock.monotonicMs();
    let cancel: CancelTimer = () => undefined;
    const renew = async (): Promise<void> => {
      const askedMs = clock.monotonicMs();
      const lost = await store.write(async (tx) => {
        const gone: TakenItem[] = [];
        for (const item of items) {
          const until = this.#now(tx, item) + QUEUE_LEASE_MICROS;
          if (!(await tx.queue.renew(item.kind, item.key, item.token, until))) gone.push(item);
        }
        return gone;
      });
      confirmedMs = askedMs;
      for (const item of lost) items.delete(item);
    };
    const arm = (): void => {
      if (isReleased) return;
      cancel = clock.after(RENEW_MS, () => {
        renew()
          .catch((error: unknown) => log.warn('claims of queued work were not renewed', { reason: String(error) }))
          .finally(arm);
      });
    };
    arm();
    return {
      renew,
      confirmedMs: () => confirmedMs,
      release: () => {
        isReleased = true;
        cancel();
      },
    };
  }

  /** By the clock that the kind of the item goes by, micros. */
  #now(tx: Pick<WriteTx, 'now' | 'steadyNow'>, { kind }: TakenItem): number {
    return this.#dated.includes(kind) ? tx.now() : tx.steadyNow();
  }

  async #run(item: TakenItem): Promise<void> {
    try {
      const outcome = await this.#byKind.get(item.kind)?.run(item);
      if (outcome !== undefined && 'againMs' in outcome) return await this.#again(item, outcome.againMs);
      if (outcome !== undefined && 'heldMs' in outcome) return await this.#keep(item, outcome.heldMs);
      await this.#ack(item);
      if (outcome !== undefined && 'failed' in outcome) this.#giveUp(item, outcome.failed);
    } catch (error) {
      this.#deps.log.warn('queued work failed', { kind: item.kind, key: item.key, reason: String(error) });
      await this.#again(item, backoffMs(BACKOFF, item.attempts + 1, this.#deps.random));
    }
  }

  #giveUp({ kind, key }: TakenItem, reason: string): void {
    this.#deps.log.error('queued work cannot be done and was dropped', { kind, key, reason });
  }

  async #ack(item: TakenItem): Promise<void> {
    await this.#deps.store.write((tx) => tx.queue.ack(item.kind, item.key, item.token));
  }

  async #again(item: TakenItem, delayMs: number): Promise<void> {
    await this.#deps.store.write((tx) =>
      tx.queue.retry(item.kind, item.key, item.token, this.#now(tx, item) + delayMs * 1_000, item.payload),
    );
  }

  async #keep(item: TakenItem, heldMs: number): Promise<void> {
    await this.#deps.store.write((tx) =>
      tx.queue.renew(item.kind, item.key, item.token, this.#now(tx, item) + heldMs * 1_000),
    );
  }

  #wake(): void {
    if (this.#runs.isClosed) return;
    this.tick().catch((error: unknown) => this.#deps.log.warn('the work queue failed', { reason: String(error) }));
  }

  #arm(): void {
    this.#timer = this.#deps.clock.after(this.#deps.pollMs, () => {
      this.#wake();
      if (!this.#runs.isClosed) this.#arm();
    });
  }
}

const takeDue = async (
  queue: QueueWrites,
  from: {
    readonly kinds: readonly string[];
    readonly due: number | undefined;
    readonly now: number;
    readonly owner: string | undefined;
  },
): Promise<readonly TakenItem[]> =>
  from.due === undefined || from.due > from.now
    ? []
    : queue.take(from.kinds, from.now, QUEUE_LEASE_MICROS, BATCH, from.owner);
