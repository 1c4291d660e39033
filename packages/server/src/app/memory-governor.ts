import type { CancelTimer, Clock } from '../base/index.ts';

/** What the governor sees and turns; main hands in the process's own. */
export interface MemoryControls {
  /** Resident memory in bytes. */
  readonly rssBytes: () => number;
  /** A V8 flag that counts from the next collection on. */
  readonly setFlag: (flag: string) => void;
}

const MIB = 1024 * 1024;
const LOOK_MS = 1000;
/** Above this the heap may only grow by a quarter between two full collections, until memory is below the lower mark. */
const SPARING_ABOVE = 256 * MIB;
const FREE_BELOW = 200 * MIB;

/**
 * Trades processor time for memory only where memory is what runs out: many conversations at once (decision 0003). Below the
 * mark V8 collects when it likes, which is faster. Returns how to stop.
 */
export const governMemory = (clock: Clock, { rssBytes, setFlag }: MemoryControls): CancelTimer => {
  let isSparing = false;
  let cancel: CancelTimer = () => undefined;
  const look = (): void => {
    // First, for reading the memory fails when no file can be opened.
    cancel = clock.after(LOOK_MS, look);
    const rss = rssBytes();
    if (!isSparing && rss > SPARING_ABOVE) {
      isSparing = true;
      setFlag('--heap-growing-percent=25');
    } else if (isSparing && rss < FREE_BELOW) {
      isSparing = false;
      setFlag('--heap-growing-percent=0');
    }
  };
  look();
  return () => cancel();
};
