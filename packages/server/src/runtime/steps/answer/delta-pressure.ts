import type { CancelTimer, Clock } from '../../../base/index.ts';

/** Pieces a second, of all sessions of the process together, above which they are merged. */
const PIECES_PER_SECOND = 500;
/** The rate is taken over this long, so that a rise shows at once. */
const WINDOW_MS = 100;
const PIECES_PER_WINDOW = (PIECES_PER_SECOND * WINDOW_MS) / 1_000;
/** How often the event loop is probed while pieces arrive. */
const PROBE_MS = 10;
/** A probe later than this says that the event loop cannot keep up. */
const LATE_MS = 5;
/** How long one late probe counts. */
const LATE_HOLD_MS = 100;

/**
 * Tells whether the process is too busy to send each piece of text by itself. A session that streams alone gets every piece at once,
 * since waiting for more would only delay it; a thousand sessions would spend the processor on events instead of on answers. Costs
 * nothing while no pieces arrive: the event loop is probed only then, by one timer for all sessions.
 */
export class DeltaPressure {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #pieces = 0;
  #piecesBefore = 0;
  #lateUntilMs = Number.NEGATIVE_INFINITY;
  #probeDueMs: number | undefined;
  #cancelProbe: CancelTimer | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>) {
    this.#clock = clock;
  }

  /** Counts a piece that arrived at `nowMs` (monotonic). */
  count(nowMs: number): void {
    this.#turnWindow(nowMs);
    this.#pieces += 1;
    if (this.#probeDueMs !== undefined) return;
    this.#probeDueMs = nowMs + PROBE_MS;
    this.#cancelProbe = this.#clock.after(PROBE_MS, this.#onProbe);
  }

  /** Stops the probe that waits, so that no timer outlives the runtime. */
  close(): void {
    this.#cancelProbe?.();
    this.#probeDueMs = undefined;
  }

  /** True while pieces should be merged. */
  isHigh(nowMs: number): boolean {
    if (nowMs < this.#lateUntilMs) return true;
    this.#turnWindow(nowMs);
    const share = 1 - (nowMs - this.#windowStartMs) / WINDOW_MS;
    return this.#pieces + this.#piecesBefore * share > PIECES_PER_WINDOW;
  }

  #turnWindow(nowMs: number): void {
    const passedMs = nowMs - this.#windowStartMs;
    if (passedMs < WINDOW_MS) return;
    this.#piecesBefore = passedMs < 2 * WINDOW_MS ? this.#pieces : 0;
    this.#windowStartMs = passedMs < 2 * WINDOW_MS ? this.#windowStartMs + WINDOW_MS : nowMs;
    this.#pieces = 0;
  }

  readonly #onProbe = (): void => {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#probeDueMs ?? nowMs) > LATE_MS) this.#lateUntilMs = nowMs + LATE_HOLD_MS;
    this.#probeDueMs = undefined;
  };
}
