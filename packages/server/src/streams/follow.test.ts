import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Feed, Follow } from './follow.ts';

interface Item {
  readonly place: number;
}

/** A feed whose truth is a list; reads settle by hand. */
class TestFeed implements Feed<Item> {
  readonly truth: Item[] = [];
  readonly reads: (() => void)[] = [];
  failing = false;
  position = (item: Item): number => item.place;
  continues = (item: Item, after: number): boolean => item.place === after + 1;
  settles = (): boolean => false;

  async fill(
    after: number,
  ): Promise<{ readonly items: readonly Item[]; readonly position: number; readonly settled: boolean }> {
    await new Promise<void>((resolve) => this.reads.push(resolve));
    if (this.failing) throw new Error('truth is away');
    const items = this.truth.filter((item) => item.place > after);
    return { items, position: items.at(-1)?.place ?? after, settled: false };
  }

  /** Lets the oldest read go on, and what follows from it. */
  async settle(): Promise<void> {
    this.reads.shift()?.();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const setUp = () => {
  const feed = new TestFeed();
  const got: number[] = [];
  const errors: unknown[] = [];
  const follow = new Follow<Item>(feed, {
    deliver: (item) => got.push(item.place),
    fail: (error) => errors.push(error),
  });
  return { feed, got, errors, follow };
};

describe('a follow', () => {
  test('keeps what comes between subscribing and starting', () => {
    const { got, follow, feed } = setUp();
    follow.receive({ place: 1 });
    follow.receive({ place: 2 });
    follow.start(1, true);
    follow.receive({ place: 3 });
    expect(got).toEqual([2, 3]);
    expect(feed.reads).toHaveLength(0);
  });

  test('passes backfill before what came meanwhile, each once', async () => {
    const { got, follow, feed } = setUp();
    feed.truth.push({ place: 1 }, { place: 2 });
    follow.start(0, false);
    follow.receive({ place: 2 });
    follow.receive({ place: 3 });
    await feed.settle();
    expect(got).toEqual([1, 2, 3]);
  });

  test('reads truth at a gap, and passes on what truth does not know after three reads', async () => {
    const { got, follow, feed } = setUp();
    follow.start(0, true);
    follow.receive({ place: 1 });
    follow.receive({ place: 4 });
    feed.truth.push({ place: 2 }, { place: 3 });
    await feed.settle();
    expect(got).toEqual([1, 2, 3, 4]);
    follow.receive({ place: 7 });
    for (let read = 0; read < 3; read++) await feed.settle();
    expect(got.at(-1)).toBe(7);
    expect(feed.reads).toHaveLength(0);
  });

  test('reads again when the bus lost something while it was reading', async () => {
    const { got, follow, feed } = setUp();
    follow.start(0, false);
    follow.lost();
    await feed.settle();
    feed.truth.push({ place: 1 });
    await feed.settle();
    expect(got).toEqual([1]);
  });

  test('holds a bounded number of live items while it reads, and reads again for the rest', async () => {
    const { got, follow, feed } = setUp();
    follow.start(0, false);
    for (let place = 1; place <= 3_000; place++) {
      feed.truth.push({ place });
      follow.receive({ place });
    }
    while (feed.reads.length > 0) await feed.settle();
    expect(got).toEqual(feed.truth.map((item) => item.place));
  });

  test('that starts live takes whatever comes first, then minds gaps', async () => {
    const { got, follow, feed } = setUp();
    follow.startLive(3);
    follow.receive({ place: 9 });
    follow.receive({ place: 11 });
    feed.truth.push({ place: 10 });
    await feed.settle();
    expect(got).toEqual([9, 10, 11]);
  });

  test('that starts live takes what waited, then reads behind what was recorded when items may have been lost', async () => {
    const { got, follow, feed } = setUp();
    feed.truth.push({ place: 2 }, { place: 3 });
    follow.startLive(3);
    expect(follow.position).toBeNaN();
    follow.lost();
    feed.truth.push({ place: 4 });
    await feed.settle();
    expect([got, follow.position]).toEqual([[4], 4]);
    const other = setUp();
    other.follow.receive({ place: 7 });
    other.follow.lost();
    other.follow.startLive(3);
    other.feed.truth.push({ place: 7 }, { place: 8 });
    await other.feed.settle();
    expect(other.got).toEqual([7, 8]);
  });

  test('delivers what it read, and what came meanwhile, at the pace of the target', async () => {
    const { feed, got } = setUp();
    let taken = Promise.withResolvers<void>();
    let isBusy = false;
    const follow = new Follow<Item>(feed, {
      deliver: (item) => {
        got.push(item.place);
        isBusy = true;
        taken = Promise.withResolvers<void>();
      },
      ready: () => (isBusy ? taken.promise : undefined),
      fail: (error) => {
        throw error;
      },
    });
    const take = async (): Promise<void> => {
      isBusy = false;
      taken.resolve();
      await new Promise<void>((resolve) => setImmediate(resolve));
    };
    feed.truth.push({ place: 1 }, { place: 2 });
    follow.start(0, false);
    await feed.settle();
    expect([got, follow.position]).toEqual([[1], 1]);
    for (const place of [3, 4]) {
      feed.truth.push({ place });
      follow.receive({ place });
    }
    await take();
    expect(got).toEqual([1, 2]);
    await take();
    expect(got).toEqual([1, 2, 3]);
    await take();
    expect(got).toEqual([1, 2, 3, 4]);
    // Live items do not wait: the target holds them itself.
    follow.receive({ place: 5 });
    expect(got).toEqual([1, 2, 3, 4, 5]);
  });

  test('tells a failed read once and stops; a stopped one delivers nothing', async () => {
    const { got, errors, follow, feed } = setUp();
    feed.failing = true;
    follow.start(0, false);
    await feed.settle();
    expect(errors).toHaveLength(1);
    follow.receive({ place: 1 });
    expect([got, follow.stopped]).toEqual([[], true]);
    const other = setUp();
    other.follow.start(0, false);
    other.follow.stop();
    other.feed.truth.push({ place: 1 });
    await other.feed.settle();
    expect(other.got).toEqual([]);
  });

  test('loses and repeats nothing however live items, losses and reads interleave', async () => {
    const step = fc.constantFrom('live' as const, 'drop' as const, 'settle' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { got, follow, feed } = setUp();
        follow.start(0, true);
        let place = 0;
        for (const each of steps) {
          if (each === 'settle') await feed.settle();
          else {
            place += 1;
            feed.truth.push({ place });
            if (each === 'live') follow.receive({ place });
          }
        }
        follow.lost();
        while (feed.reads.length > 0) await feed.settle();
        expect(got).toEqual(feed.truth.map((item) => item.place));
      }),
    );
  });
});
