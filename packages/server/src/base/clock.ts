/** Stops a timer; calling it again, or after the timer fired, does nothing. */
export type CancelTimer = () => void;

/** Time as everything in the server sees it. Tests pass a ManualClock; nothing else calls Date.now. */
export interface Clock {
  /** Unix time in microseconds; may step back when the machine's clock does. */
  nowMicros(): number;
  /** Milliseconds since an arbitrary start; never steps back. */
  monotonicMs(): number;
  /** Calls `fire` once after at least `delayMs`; a timer keeps no process alive. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** Unix time at which this process began; a property that is computed at each look. */
const ORIGIN_MS = performance.timeOrigin;

/** The real clock; app hands it in. */
export const systemClock: Clock = {
  nowMicros: () => Math.round((ORIGIN_MS + performance.now()) * 1000),
  monotonicMs: () => performance.now(),
  after: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

interface ManualTimer {
  readonly atMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that moves only when told to; timers fire in order of their time, ties in order of creation. */
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

  /** How many timers wait; a test asserts that a closed component leaves none. */
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
