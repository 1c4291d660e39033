import type { Clock } from '../../base/index.ts';

interface BreakerLimits {
  readonly failures: number;
  readonly withinMs: number;
  readonly openMs: number;
}

interface BreakerState {
  readonly failedAtMs: number[];
  openUntilMs: number;
  isProbing: boolean;
}

/** Keys remembered at once; keys without failures are not remembered at all. */
const MAX_KEYS = 10_000;

/**
 * Circuit breaker per provider and model. So many failed calls within the time, without a good one between them,
 * open it; after `openMs` one call may probe, and its result closes or opens it again.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #limits: BreakerLimits;
  readonly #states = new Map<string, BreakerState>();

  constructor(clock: Clock, limits: BreakerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** False while open; the caller that gets true from a half-open breaker is the probe and must report its end. */
  allows(key: string): boolean {
    const state = this.#states.get(key);
    if (state === undefined || state.openUntilMs === 0) return true;
    if (state.isProbing || this.#clock.monotonicMs() < state.openUntilMs) return false;
    state.isProbing = true;
    return true;
  }

  succeeded(key: string): void {
    this.#states.delete(key);
  }

  /** The call ended without telling anything about the provider, such as a stop. */
  abandoned(key: string): void {
    const state = this.#states.get(key);
    if (state !== undefined) state.isProbing = false;
  }

  failed(key: string): void {
    const now = this.#clock.monotonicMs();
    const state = this.#stateOf(key);
    const recent = state.failedAtMs.filter((at) => now - at < this.#limits.withinMs);
    state.failedAtMs.splice(0, state.failedAtMs.length, ...recent, now);
    if (state.isProbing || state.failedAtMs.length >= this.#limits.failures) {
      state.openUntilMs = now + this.#limits.openMs;
      state.failedAtMs.length = 0;
    }
    state.isProbing = false;
  }

  #stateOf(key: string): BreakerState {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#states.keys();
    if (this.#states.size >= MAX_KEYS && oldest !== undefined) this.#states.delete(oldest);
    const state: BreakerState = { failedAtMs: [], openUntilMs: 0, isProbing: false };
    this.#states.set(key, state);
    return state;
  }
}
