import type { CancelTimer, Clock } from '../base/index.ts';

/** What the governor reads and sets; main hands in the process's own. Sizes are in bytes. */
export interface MemoryControls {
  /** Resident memory. */
  readonly rssBytes: () => number;
  /** Memory of the young generation, where V8 makes new objects. */
  readonly youngBytes: () => number;
  /** Calls back soon after each collection; returns how to stop. */
  readonly onCollection: (notify: () => void) => CancelTimer;
  /** A V8 flag that counts from the next collection on. */
  readonly setFlag: (flag: string) => void;
}

const MIB = 1024 * 1024;
const CHECK_MS = 1000;
/** Above this the heap may only grow by a quarter between two full collections, until memory is below the lower mark. */
const SPARING_ABOVE = 256 * MIB;
const FREE_BELOW = 200 * MIB;
/**
 * V8 doubles its young generation, of whose two halves one is in use, up to 64 MiB. Two halves of 8 MiB need no more processor time than
 * that, for their objects stay in the caches of the processor. Above this size, V8 has begun to use halves of 8 MiB.
 */
const YOUNG_ENOUGH = 9 * MIB;
const GROWS = '--semi-space-growth-factor=2';
const STAYS = '--semi-space-growth-factor=1';

/**
 * Trades processor time for memory only where memory runs out (decision 0003): under many conversations the old generation grows
 * slowly, and the young one never grows beyond what saves time. Returns how to stop.
 */
export const governMemory = (clock: Clock, controls: MemoryControls): CancelTimer => {
  const stops = [governHeap(clock, controls), governYoung(controls)];
  return () => {
    for (const stop of stops) stop();
  };
};

/** Below the mark V8 collects when it likes, which is faster. */
const governHeap = (clock: Clock, { rssBytes, setFlag }: MemoryControls): CancelTimer => {
  let isSparing = false;
  let cancel: CancelTimer = () => undefined;
  const check = (): void => {
    // First, for reading the memory fails when no file can be opened.
    cancel = clock.after(CHECK_MS, check);
    const rss = rssBytes();
    if (!isSparing && rss > SPARING_ABOVE) {
      isSparing = true;
      setFlag('--heap-growing-percent=25');
    } else if (isSparing && rss < FREE_BELOW) {
      isSparing = false;
      setFlag('--heap-growing-percent=0');
    }
  };
  check();
  return () => cancel();
};

/** It shrinks by itself while there is little to do, and may grow again afterwards. */
const governYoung = ({ youngBytes, onCollection, setFlag }: MemoryControls): CancelTimer => {
  let mayGrow = true;
  setFlag(GROWS);
  return onCollection(() => {
    const isEnough = youngBytes() >= YOUNG_ENOUGH;
    if (isEnough !== mayGrow) return;
    mayGrow = !isEnough;
    setFlag(mayGrow ? GROWS : STAYS);
  });
};
