import { describe, expect, it } from 'vitest';
import { guardedClock, ManualClock } from '../base/index.ts';
import { governMemory } from './memory-governor.ts';

const MIB = 1024 * 1024;
const GROWS = '--semi-space-growth-factor=2';
const STAYS = '--semi-space-growth-factor=1';

/** A process whose memory the test decides. */
class GivenMemory {
  readonly flags: string[] = [];
  rss = () => 100 * MIB;
  young = 1 * MIB;
  heap = 30 * MIB;
  busy = 1;
  collections = 0;
  #collected: (() => void) | undefined;

  get isObserved(): boolean {
    return this.#collected !== undefined;
  }

  readonly controls = {
    rssBytes: () => this.rss(),
    youngBytes: () => this.young,
    heapBytes: () => this.heap,
    busyShare: () => this.busy,
    collect: () => {
      this.collections += 1;
    },
    onCollection: (notify: () => void) => {
      this.#collected = notify;
      return () => {
        this.#collected = undefined;
      };
    },
    setFlag: (flag: string) => void this.flags.push(flag),
  };

  /** A collection that leaves the young generation at this size. */
  collect(youngMib: number): void {
    this.young = youngMib * MIB;
    this.#collected?.();
  }
}

describe('the heap', () => {
  it('is governed on when reading the memory fails for a while', () => {
    const manual = new ManualClock();
    const failures: unknown[] = [];
    const memory = new GivenMemory();
    const noFile = new Error('EMFILE: too many open files');
    memory.rss = () => 300 * MIB;
    const clock = guardedClock(manual, (error) => failures.push(error));
    const stop = governMemory(clock, memory.controls);
    memory.rss = () => {
      throw noFile;
    };
    manual.advance(3000);
    expect(failures).toEqual([noFile, noFile, noFile]);
    memory.rss = () => 300 * MIB;
    manual.advance(1000);
    expect([failures.length, memory.flags, manual.pendingTimers]).toEqual([3, ['--heap-growing-percent=25', GROWS], 1]);
    stop();
  });

  it('spares memory above its mark and stops doing so only well below it', () => {
    const clock = new ManualClock();
    const memory = new GivenMemory();
    const stop = governMemory(clock, memory.controls);
    for (const mib of [255, 300, 400, 210, 199, 120]) {
      memory.rss = () => mib * MIB;
      clock.advance(1000);
    }
    expect(memory.flags).toEqual([GROWS, '--heap-growing-percent=25', '--heap-growing-percent=0']);
    stop();
    expect([clock.pendingTimers, memory.isObserved]).toEqual([0, false]);
  });
});

describe('the young generation', () => {
  it('grows until it has two halves of 8 MiB, and again after it shrank', () => {
    const memory = new GivenMemory();
    governMemory(new ManualClock(), memory.controls);
    for (const mib of [2, 4, 8, 9.4, 16, 16]) memory.collect(mib);
    expect(memory.flags).toEqual([GROWS, STAYS]);
    for (const mib of [8, 4, 8, 10]) memory.collect(mib);
    expect(memory.flags).toEqual([GROWS, STAYS, GROWS, STAYS]);
  });
});

describe('a rest', () => {
  /** A process that has had 100 MiB, works until it has `mib` and then rests. */
  const resting = (mib: number): { readonly memory: GivenMemory; readonly seconds: (count: number) => number[] } => {
    const clock = new ManualClock();
    const memory = new GivenMemory();
    governMemory(clock, memory.controls);
    memory.rss = () => mib * MIB;
    clock.advance(2000);
    memory.busy = 0.04;
    let second = 0;
    /** The seconds of the rest in which a collection was started. */
    const seconds = (count: number): number[] => {
      const collected: number[] = [];
      for (let passed = 0; passed < count; passed++) {
        second += 1;
        const before = memory.collections;
        clock.advance(1000);
        if (memory.collections > before) collected.push(second);
      }
      return collected;
    };
    return { memory, seconds };
  };

  it('gives back what work has left, and what of it stays is no reason for more', () => {
    const { memory, seconds } = resting(133);
    expect(seconds(60)).toEqual([3, 12, 21]);
    memory.busy = 0.5;
    seconds(1);
    memory.busy = 0;
    expect(seconds(60)).toEqual([]);
    memory.rss = () => 166 * MIB;
    memory.busy = 0.05;
    seconds(1);
    memory.busy = 0;
    expect(seconds(5)).toEqual([125]);
  });

  it('collects no more once enough was given back', () => {
    const { memory, seconds } = resting(150);
    expect(seconds(3)).toEqual([3]);
    memory.rss = () => 131 * MIB;
    expect(seconds(60)).toEqual([]);
  });

  it('leaves alone what is too little, and a heap whose collection takes too long', () => {
    expect(resting(131).seconds(60)).toEqual([]);
    const { memory, seconds } = resting(900);
    memory.heap = 129 * MIB;
    expect(seconds(60)).toEqual([]);
  });

  it('begins only when three checks in a row had little to do', () => {
    const { memory, seconds } = resting(200);
    for (let round = 0; round < 5; round++) {
      expect(seconds(2)).toEqual([]);
      memory.busy = 0.05;
      expect(seconds(1)).toEqual([]);
      memory.busy = 0;
    }
    expect(seconds(3)).toEqual([18]);
  });
});
