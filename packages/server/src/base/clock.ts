/** Stops a timer; calling it again, or after the timer fired, does nothing. */
export type CancelTimer = () => void;

/** Time for everything in the server. Tests pass a ManualClock; no other code calls Date.now. */
export interface Clock {
  /** Unix time in microseconds; may step back when the machine's clock does. */
  nowMicros(): number;
  /** Milliseconds since an arbitrary start; never steps back. */
  monotonicMs(): number;
  /** Calls `fire` once after at least `delayMs`; a timer does not keep the process alive. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** The two clocks of a machine, in milliseconds. */
interface MachineClocks {
  /** Unix time in whole milliseconds, as `Date.now` gives it; steps when an operator or NTP sets the clock. */
  readonly wallMs: () => number;
  /** Time since an arbitrary start, with fractions, as `performance.now` gives it; never steps. */
  readonly monotonicMs: () => number;
}

/** How long a step of the machine's clock may go unnoticed; reading the wall clock each time would cost twice as much. */
const ALIGN_MS = 100;
/** Last microsecond of a millisecond. */
const LAST_MICRO_MS = 0.999;

/**
 * Unix time in microseconds that follows every step of the machine's clock, in both directions, within 100 ms. In between it
 * moves with the monotonic clock, which has microseconds.
 */
export const wallClock = ({ wallMs, monotonicMs }: MachineClocks): (() => number) => {
  let aheadMs = 0;
  let alignAtMs = 0;
  const align = (nowMs: number): void => {
    alignAtMs = nowMs + ALIGN_MS;
    const within = nowMs + aheadMs - wallMs();
    // A clock that is slewed drifts a little out of its millisecond: the nearer edge keeps readings in order.
    if (within >= 1) aheadMs -= within - (within < 2 ? LAST_MICRO_MS : 0);
    else if (within < 0) aheadMs -= within;
  };
  align(monotonicMs());
  return () => {
    const nowMs = monotonicMs();
    if (nowMs >= alignAtMs) align(nowMs);
    return Math.round((nowMs + aheadMs) * 1000);
  };
};

/** The real clock; app hands it in. */
export const systemClock: Clock = {
  nowMicros: wallClock({ wallMs: () => Date.now(), monotonicMs: () => performance.now() }),
  monotonicMs: () => performance.now(),
  after: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * The clock for background work: a timer whose work throws, or rejects the promise it returns, is reported
 * instead of ending the process. Recurring work must arm its next timer before it does anything that may fail.
 */
export const guardedClock = (clock: Clock, report: (error: unknown) => void): Clock => ({
  nowMicros: () => clock.nowMicros(),
  monotonicMs: () => clock.monotonicMs(),
  after: (delayMs, fire) =>
    clock.after(delayMs, () => {
      try {
        const outcome: unknown = fire();
        if (outcome instanceof Promise) outcome.catch(report);
      } catch (error) {
        report(error);
      }
    }),
});

interface ManualTimer {
  readonly atMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/**
 * A clock that moves only when a test moves it; timers fire in order of their time, ties in order of creation.
 * @internal For tests of every folder.
 */
export class ManualClock implements Clock {
  #micros: number;
  #monotonicMs = 0;
  #order = 0;
  readonly #timers = new Set<ManualTimer>();

  constructor(startMicros = 1_750_000_000_000_000) {
    this.#micros = startMicros;
  }

  nowMicros(): number {
    return this.#micros;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, fire: () => void): CancelTimer {
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), order: this.#order++, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves both clocks forward, firing what becomes due on the way. */
  advance(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#moveTo(next.atMs);
      next.fire();
    }
    this.#moveTo(end);
  }

  /** Moves only the wall clock, as an operator or NTP does; negative values step back. */
  stepWallClock(ms: number): void {
    this.#micros += ms * 1000;
  }

  /** How many timers are pending; a test asserts that a closed component leaves none. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  #moveTo(ms: number): void {
    const delta = Math.max(0, ms - this.#monotonicMs);
    this.#monotonicMs += delta;
    this.#micros += delta * 1000;
  }

  #next(limitMs: number): ManualTimer | undefined {
    let best: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs > limitMs) continue;
      if (best === undefined || timer.atMs < best.atMs || (timer.atMs === best.atMs && timer.order < best.order))
        best = timer;
    }
    return best;
  }
}
