import { describe, expect, it } from 'vitest';
import { TestFeed } from './testing/test-feed.ts';
import { limitsFor, WaitingEvents } from './waiting-events.ts';

const [one, two] = [new TestFeed(), new TestFeed()];

describe('events that wait', () => {
  it('come out in order, with the feed that each is of', () => {
    const waiting = new WaitingEvents<{ place: number }>({ events: 10, bytes: 1 << 20 });
    waiting.push({ place: 1 }, one);
    waiting.push({ place: 7 }, two);
    expect([waiting.shift(), waiting.shift(), waiting.shift()]).toMatchObject([
      { event: { place: 1 }, feed: one },
      { event: { place: 7 }, feed: two },
      undefined,
    ]);
    waiting.push({ place: 2 }, one);
    expect(waiting.shift()?.event).toEqual({ place: 2 });
  });

  it('are bounded in number and in bytes, and what was taken counts no more', () => {
    const waiting = new WaitingEvents<{ place: number; bytes?: number }>({ events: 2, bytes: 2_000 });
    expect(waiting.push({ place: 1, bytes: 1_000 }, one)).toBe(true);
    waiting.shift();
    expect(waiting.push({ place: 2 }, one)).toBe(true);
    expect(waiting.push({ place: 3, bytes: 1_000 }, one)).toBe(true);
    expect(waiting.push({ place: 4 }, one)).toBe(false);
    const small = new WaitingEvents<{ place: number; bytes?: number }>({ events: 9, bytes: 2_000 });
    expect(small.push({ place: 1, bytes: 2_000 }, one)).toBe(false);
  });

  it('may be more for a reader of many feeds', () => {
    expect(limitsFor({ events: 4, bytes: 1_000 }, 1)).toEqual({ events: 4, bytes: 1_000 });
    expect(limitsFor({ events: 4, bytes: 1_000 }, 3)).toEqual({ events: 8, bytes: 2_024 });
  });
});
