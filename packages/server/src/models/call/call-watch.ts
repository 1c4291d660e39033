import type { CancelTimer, Clock } from '../../base/index.ts';

/** Limits in milliseconds. */
interface WatchLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export type WatchPhase = 'connect' | 'firstByte' | 'idle' | 'total';

/**
 * The time-outs of one try with one timer: progress only notes the time, and a timer that fires early arms itself again,
 * so that bytes on the hot path cost one clock reading.
 */
export class CallWatch {
  readonly #clock: Clock;
  readonly #limits: WatchLimits;
  readonly #totalDeadlineMs: number;
  readonly #onExpire: (phase: WatchPhase) => void;
  #phase: 'connect' | 'firstByte' | 'idle' = 'connect';
  #sinceMs: number;
  #armedForMs = 0;
  #cancel: CancelTimer | undefined;
  #isSuspended = false;
  #isClosed = false;

  constructor(options: {
    readonly clock: Clock;
    readonly limits: WatchLimits;
    readonly totalDeadlineMs: number;
    readonly onExpire: (phase: WatchPhase) => void;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#totalDeadlineMs = options.totalDeadlineMs;
    this.#onExpire = options.onExpire;
    this.#sinceMs = options.clock.monotonicMs();
    this.#arm();
  }

  connected(): void {
    if (this.#phase === 'connect') this.#enter('firstByte');
  }

  received(): void {
    if (this.#phase === 'idle') this.#sinceMs = this.#clock.monotonicMs();
    else this.#enter('idle');
  }

  suspend(): () => void {
    this.#isSuspended = true;
    return () => {
      this.#isSuspended = false;
      this.#sinceMs = this.#clock.monotonicMs();
      this.#arm();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #enter(phase: 'firstByte' | 'idle'): void {
    this.#phase = phase;
    this.#sinceMs = this.#clock.monotonicMs();
    if (this.#deadlineMs() < this.#armedForMs) this.#arm();
  }

  #deadlineMs(): number {
    if (this.#isSuspended) return this.#totalDeadlineMs;
    return Math.min(this.#sinceMs + this.#limits[`${this.#phase}Ms`], this.#totalDeadlineMs);
  }

  #arm(): void {
    if (this.#isClosed) return;
    this.#cancel?.();
    this.#armedForMs = this.#deadlineMs();
    this.#cancel = this.#clock.after(this.#armedForMs - this.#clock.monotonicMs(), () => this.#check());
  }

  #check(): void {
    if (this.#isClosed) return;
    const now = this.#clock.monotonicMs();
    if (now < this.#deadlineMs()) {
      this.#arm();
      return;
    }
    const phase = now >= this.#totalDeadlineMs ? 'total' : this.#phase;
    this.close();
    this.#onExpire(phase);
  }
}
