import type { Clock } from '../../base/index.ts';

/** Added to the newest time found in the database: it is written at most this much behind the newest one given out. */
export const CLOCK_SLACK_MICROS = 1_000_000;

/**
 * Steady clock of the store in micros: the machine's time at the start, moved on by the monotonic clock only, and never
 * behind what an earlier process wrote, so that a wall clock that steps back does not revive claims or reorder rows.
 */
export class StoreClock {
  readonly #clock: Clock;
  readonly #startMicros: number;
  readonly #startMs: number;

  /** `persistedMicros`: newest time noted in the database, 0 for a new one. */
  constructor(clock: Clock, persistedMicros: number) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
    const wall = clock.nowMicros();
    this.#startMicros = persistedMicros >= wall ? persistedMicros + CLOCK_SLACK_MICROS : wall;
  }

  now(): number {
    return this.#startMicros + Math.round((this.#clock.monotonicMs() - this.#startMs) * 1000);
  }
}
