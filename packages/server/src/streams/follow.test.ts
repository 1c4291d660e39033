import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Follow } from './follow.ts';
import { type Item, TestFeed } from './testing/test-feed.ts';

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

  test('holds a bounded number of bytes as well', async () => {
    const { got, follow, feed } = setUp();
    follow.start(0, false);
    const large = 600_000;
    for (let place = 1; place <= 3; place++) follow.receive({ place, bytes: large });
    await feed.settle();
    // The third did not fit next to the others, which truth has to bring.
    expect([got, feed.reads.length]).toEqual([[], 1]);
    feed.truth.push({ place: 1 }, { place: 2 });
    await feed.settle();
    expect(got).toEqual([1, 2, 3]);
  });

  test('reads a long history page by page, and what came meanwhile once, however often it had to let go of that', async () => {
    const { got, follow, feed } = setUp();
    feed.page = 100;
    for (let place = 1; place <= 1_000; place++) feed.truth.push({ place });
    follow.start(0, false);
    for (let place = 1_001; feed.reads.length > 0; place += 700) {
      for (let live = place; live < place + 700 && place < 5_000; live++) {
        feed.truth.push({ place: live });
        follow.receive({ place: live });
      }
      await feed.settle();
    }
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
