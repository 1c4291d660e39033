import { type CancelTimer, ManualClock } from '../../base/index.ts';

/** Delays from here on are limits that these tests never reach. */
export const UNREACHED_MS = 1_000_000;

/** A clock on which every pause passes at once and is written down; time-outs from `UNREACHED_MS` never fire. */
export class PauseClock extends ManualClock {
  readonly pausesMs: number[] = [];

  override after(delayMs: number, fire: () => void): CancelTimer {
    if (delayMs >= UNREACHED_MS) return super.after(delayMs, fire);
    this.pausesMs.push(delayMs);
    const immediate = setImmediate(fire);
    return () => clearImmediate(immediate);
  }
}
