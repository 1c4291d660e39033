import type { CancelTimer, Clock } from '../base/index.ts';

/** What the governor reads and sets; main hands in the process's own. Sizes are in bytes. */
export interface MemoryControls {
  /** Resident memory. */
  readonly rssBytes: () => number;
  /** Memory of the young generation, where V8 makes new objects. */
  readonly youngBytes: () => number;
  /** Objects on the heap, live or not. */
  readonly heapBytes: () => number;
  /** Share of the time since the last call in which the event loop worked, 0 to 1. */
  readonly busyShare: () => number;
  /** Starts one full collection; the process does nothing else meanwhile. */
  readonly collect: () => void;
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
/** The process rests when it works for less of each check than this. */
const RESTING_BELOW = 0.05;
/** What work has left behind is worth collections from this size on. */
const WORTH_BYTES = 32 * MIB;
/** A collection of a larger heap would stop the process for longer than a request should wait. */
const HEAP_AT_MOST = 128 * MIB;
/**
 * How many checks a rest has to last for its collections. V8 keeps the memory of a thread that has ended (a thread that reads texts
 * ends 5 s after its last one) until two collections that are more than 8 s apart.
 */
const COLLECTED_AFTER = [3, 12, 21];
const GROWS = '--semi-space-growth-factor=2';
const STAYS = '--semi-space-growth-factor=1';

/**
 * Trades processor time for memory only where memory runs out or time is left (decision 0003): under many conversations the old
 * generation grows slowly, the young one never grows beyond what saves time, and a rest gives back what the work before it left.
 * Returns how to stop.
 */
export const governMemory = (clock: Clock, controls: MemoryControls): CancelTimer => {
  const stops = [governHeap(clock, controls), governYoung(controls), governRest(clock, controls)];
  return () => {
    for (const stop of stops) stop();
  };
};

/** Checks now, and again every CHECK_MS until it is stopped. */
const repeated = (clock: Clock, check: () => void): CancelTimer => {
  let cancel: CancelTimer = () => undefined;
  const next = (): void => {
    // First, for reading the memory fails when no file can be opened.
    cancel = clock.after(CHECK_MS, next);
    check();
  };
  next();
  return () => cancel();
};

/** Below the mark V8 collects when it likes, which is faster. */
const governHeap = (clock: Clock, { rssBytes, setFlag }: MemoryControls): CancelTimer => {
  let isSparing = false;
  return repeated(clock, () => {
    const rss = rssBytes();
    if (!isSparing && rss > SPARING_ABOVE) {
      isSparing = true;
      setFlag('--heap-growing-percent=25');
    } else if (isSparing && rss < FREE_BELOW) {
      isSparing = false;
      setFlag('--heap-growing-percent=0');
    }
  });
};

/**
 * V8 collects when memory is asked for; a process that rests asks for none, and would keep the bodies of its last large requests and
 * the memory of ended threads for as long as it rests.
 */
const governRest = (clock: Clock, controls: MemoryControls): CancelTimer => {
  const { rssBytes, heapBytes, busyShare, collect } = controls;
  /** The least memory the process has had, or what its last rest could not give back. */
  let keptBytes = Number.POSITIVE_INFINITY;
  let checksAtRest = 0;
  return repeated(clock, () => {
    checksAtRest = busyShare() < RESTING_BELOW ? checksAtRest + 1 : 0;
    const rss = rssBytes();
    if (rss < keptBytes || checksAtRest === Math.max(...COLLECTED_AFTER) + 1) keptBytes = rss;
    if (!COLLECTED_AFTER.includes(checksAtRest)) return;
    if (rss - keptBytes >= WORTH_BYTES && heapBytes() <= HEAP_AT_MOST) collect();
  });
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
