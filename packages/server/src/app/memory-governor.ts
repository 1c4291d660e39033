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
  /** Starts a full collection soon; the process does nothing else while it runs. */
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
/** A process that works for a smaller share of the time between two checks is at rest. */
const AT_REST_BELOW = 0.05;
/** With less than this left behind by work, a collection is not worth its time. */
const WORTH_BYTES = 32 * MIB;
/** A collection of a larger heap would stop the process for longer than a request should wait. */
const HEAP_AT_MOST = 128 * MIB;
/**
 * After how many checks at rest memory is collected. More than once, because V8 gives the memory of an ended thread back at a second
 * collection about 9 s after another one, and a thread that reads texts ends only 5 s after its last text.
 */
const COLLECTS_AFTER: ReadonlySet<number> = new Set([3, 12, 21]);
/** From this check at rest on, what is still there counts as needed. */
const SETTLED_AFTER = 22;
const GROWS = '--semi-space-growth-factor=2';
const STAYS = '--semi-space-growth-factor=1';

/**
 * Trades processor time for memory only where memory runs out or time is left (decision 0003): under many conversations the old
 * generation grows slowly, the young one never grows beyond what saves time, and a rest gives back what the work before it left.
 * Returns how to stop.
 */
export const governMemory = (clock: Clock, controls: MemoryControls): CancelTimer => {
  const looks = [governHeap(controls), governRest(controls)];
  let cancel: CancelTimer = () => undefined;
  const check = (): void => {
    // First, for reading the memory fails when no file can be opened.
    cancel = clock.after(CHECK_MS, check);
    const rss = controls.rssBytes();
    for (const look of looks) look(rss);
  };
  check();
  const stopYoung = governYoung(controls);
  return () => {
    cancel();
    stopYoung();
  };
};

/** Looks at resident memory, in bytes, at each check. */
type Look = (rss: number) => void;

/** Below the mark V8 collects when it likes, which is faster. */
const governHeap = ({ setFlag }: MemoryControls): Look => {
  let isSparing = false;
  return (rss) => {
    if (!isSparing && rss > SPARING_ABOVE) {
      isSparing = true;
      setFlag('--heap-growing-percent=25');
    } else if (isSparing && rss < FREE_BELOW) {
      isSparing = false;
      setFlag('--heap-growing-percent=0');
    }
  };
};

/**
 * V8 collects when memory is asked for. A process at rest asks for none, and would keep the bodies of its last large requests and the
 * memory of ended threads until it works again.
 */
const governRest = ({ heapBytes, busyShare, collect }: MemoryControls): Look => {
  /** The least memory the process has had, or what its last rest could not give back. */
  let neededBytes = Number.POSITIVE_INFINITY;
  let checksAtRest = 0;
  return (rss) => {
    checksAtRest = busyShare() < AT_REST_BELOW ? checksAtRest + 1 : 0;
    if (rss < neededBytes || checksAtRest === SETTLED_AFTER) neededBytes = rss;
    const isWorth = rss - neededBytes >= WORTH_BYTES && heapBytes() <= HEAP_AT_MOST;
    if (COLLECTS_AFTER.has(checksAtRest) && isWorth) collect();
  };
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
