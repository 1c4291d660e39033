/** Somebody who holds text back for a moment. */
export interface HoldsText {
  /** Sends what is held. */
  release(): void;
}

/**
 * Brings together what one callback of the event loop writes to a connection: a socket write costs more than everything else
 * about an event. Holders are released once the callback and the promises it settled have run, before the event loop continues:
 * an event that comes alone waits for nothing.
 */
export class Outbox {
  #holders: HoldsText[] = [];
  #first = '';
  #second = '';
  #joined = '';

  /** `holder.release` is called once, soon. */
  add(holder: HoldsText): void {
    this.#holders.push(holder);
    if (this.#holders.length === 1) queueMicrotask(this.#afterPromises);
  }

  /** Both texts in one; the last pair is kept, because the readers of a session get the same events one after the other. */
  join(first: string, second: string): string {
    if (this.#first !== first || this.#second !== second) {
      this.#first = first;
      this.#second = second;
      this.#joined = first + second;
    }
    return this.#joined;
  }

  /** A tick that a microtask asks for comes when no microtask is left. */
  readonly #afterPromises = (): void => process.nextTick(this.#release);

  readonly #release = (): void => {
    const holders = this.#holders;
    this.#holders = [];
    for (const holder of holders) holder.release();
  };
}
