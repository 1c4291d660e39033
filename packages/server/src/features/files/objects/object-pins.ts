import type { Clock } from '../../../base/index.ts';

/** From the store of bytes to the transaction that names them; far longer than any request takes. */
const PIN_MICROS = 3_600 * 1_000_000;

/** Keeps the collector of this process away from bytes that were just stored again and are about to be named. */
export class ObjectPins {
  readonly #clock: Clock;
  readonly #pinned = new Map<string, number>();
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call before the bytes are stored; resolves once no deletion of them is under way. */
  async pin(sha256: string): Promise<void> {
    this.#pinned.set(sha256, this.#clock.nowMicros() + PIN_MICROS);
    await this.#leaving.get(sha256);
  }

  /** Runs a deletion unless the bytes are pinned; false when they are. Forgets old pins. */
  async leave(sha256: string, remove: () => Promise<void>): Promise<boolean> {
    const now = this.#clock.nowMicros();
    for (const [known, until] of this.#pinned) if (until < now) this.#pinned.delete(known);
    if (this.#pinned.has(sha256)) return false;
    const gone = remove();
    this.#leaving.set(sha256, gone);
    try {
      await gone;
    } finally {
      this.#leaving.delete(sha256);
    }
    return true;
  }
}
