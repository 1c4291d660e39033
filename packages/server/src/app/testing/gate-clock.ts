import { type CancelTimer, type Clock, systemClock } from '../../base/index.ts';

/** Delays from here on are gates; nothing in the server waits this long. */
const FIRST_GATE_MS = 1_000_000_000;

/** Directive that stops the demo model at gate `number` until the test opens it. */
export const gate = (number: number): string => `!delay ${FIRST_GATE_MS + number}`;

interface Gate {
  readonly reached: PromiseWithResolvers<void>;
  open?: () => void;
}

/** The clock of the machine, save that a gate holds until it is opened: tests wait for a place, never for a time. */
export class GateClock implements Clock {
  readonly #gates = new Map<number, Gate>();
  #offsetMicros = 0;

  nowMicros(): number {
    return systemClock.nowMicros() + this.#offsetMicros;
  }

  /** Sets the clock forward, or with a negative number back. */
  setBy(ms: number): void {
    this.#offsetMicros += ms * 1_000;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  after(delayMs: number, fire: () => void): CancelTimer {
    if (delayMs < FIRST_GATE_MS || delayMs >= FIRST_GATE_MS + 1000) return systemClock.after(delayMs, fire);
    const entry = this.#entry(delayMs - FIRST_GATE_MS);
    entry.open = fire;
    entry.reached.resolve();
    return () => {
      delete entry.open;
    };
  }

  /** Resolves once something waits at the gate, or waited. */
  async reached(number: number): Promise<void> {
    await this.#entry(number).reached.promise;
  }

  /** Lets the model continue; the gate can be used again. */
  async open(number: number): Promise<void> {
    await this.reached(number);
    const { open } = this.#entry(number);
    this.#gates.delete(number);
    open?.();
  }

  #entry(number: number): Gate {
    const entry = this.#gates.get(number) ?? { reached: Promise.withResolvers<void>() };
    this.#gates.set(number, entry);
    return entry;
  }
}
