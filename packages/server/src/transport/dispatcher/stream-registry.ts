import type { CancelTimer, Clock } from '../../base/index.ts';

/** An open stream as the registry sees it. */
export interface OpenStream {
  /** Called every 14 to 15 s. */
  keepAlive(): void;
  /** Ends the stream because the process stops. */
  shutDown(): void;
}

const SLOT_MS = 1000;
/** Keep-alives are due every 15 s. */
const SLOTS = 15;

/** All open streams on one wheel: one timer for all keep-alives, none while nothing is open, no timer per stream. */
export class StreamRegistry {
  readonly #clock: Clock;
  readonly #slots: Set<OpenStream>[] = Array.from({ length: SLOTS }, () => new Set());
  readonly #slotOf = new Map<OpenStream, Set<OpenStream>>();
  #hand = 0;
  #stop: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#slotOf.size;
  }

  add(stream: OpenStream): void {
    const slot = this.#slots[this.#hand] ?? new Set();
    slot.add(stream);
    this.#slotOf.set(stream, slot);
    this.#stop ??= this.#clock.after(SLOT_MS, this.#turn);
  }

  delete(stream: OpenStream): void {
    this.#slotOf.get(stream)?.delete(stream);
    this.#slotOf.delete(stream);
    if (this.#slotOf.size === 0) {
      this.#stop?.();
      this.#stop = undefined;
    }
  }

  shutDown(): void {
    for (const stream of [...this.#slotOf.keys()]) stream.shutDown();
  }

  readonly #turn = (): void => {
    this.#stop = this.#clock.after(SLOT_MS, this.#turn);
    this.#hand = (this.#hand + 1) % SLOTS;
    for (const stream of [...(this.#slots[this.#hand] ?? [])]) stream.keepAlive();
  };
}
