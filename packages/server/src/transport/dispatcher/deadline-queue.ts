import type { CancelTimer, Clock } from '../../base/index.ts';

/** A place in the queue; `cancel` is O(1) and may be called again. */
export interface DeadlineEntry {
  cancel(): void;
}

class QueueEntry implements DeadlineEntry {
  before: QueueEntry | undefined;
  after: QueueEntry | undefined;
  readonly atMs: number;
  readonly fire: { expire(): void };
  #queue: DeadlineQueue | undefined;

  constructor(queue: DeadlineQueue, atMs: number, fire: { expire(): void }) {
    this.#queue = queue;
    this.atMs = atMs;
    this.fire = fire;
  }

  cancel(): void {
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue !== undefined) queue.unlink(this);
  }
}

/** Deadlines of one length: entries expire in the order they came, so one timer, for the oldest, serves them all. */
export class DeadlineQueue {
  readonly #clock: Clock;
  readonly #lengthMs: number;
  #oldest: QueueEntry | undefined;
  #newest: QueueEntry | undefined;
  #stop: CancelTimer | undefined;

  constructor(clock: Clock, lengthMs: number) {
    this.#clock = clock;
    this.#lengthMs = lengthMs;
  }

  /** `target.expire` runs after the queue's length, counted from `nowMs`, unless the entry is cancelled. */
  add(target: { expire(): void }, nowMs: number): DeadlineEntry {
    const entry = new QueueEntry(this, nowMs + this.#lengthMs, target);
    entry.before = this.#newest;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.after = entry;
    this.#newest = entry;
    this.#stop ??= this.#clock.after(this.#lengthMs, this.#tick);
    return entry;
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Called by entries. */
  unlink(entry: QueueEntry): void {
    if (entry.before === undefined) this.#oldest = entry.after;
    else entry.before.after = entry.after;
    if (entry.after === undefined) this.#newest = entry.before;
    else entry.after.before = entry.before;
    entry.before = undefined;
    entry.after = undefined;
  }

  readonly #tick = (): void => {
    this.#stop = undefined;
    const now = this.#clock.monotonicMs();
    for (let entry = this.#oldest; entry !== undefined && entry.atMs <= now; entry = this.#oldest) {
      entry.cancel();
      entry.fire.expire();
    }
    if (this.#oldest !== undefined) this.#stop = this.#clock.after(Math.max(1, this.#oldest.atMs - now), this.#tick);
  };
}
