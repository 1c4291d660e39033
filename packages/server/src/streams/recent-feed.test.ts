import { describe, expect, it } from 'vitest';
import { RecentFeed } from './recent-feed.ts';

const feedOf = (count: number): RecentFeed<string> => {
  const feed = new RecentFeed<string>({ events: 3, bytes: 100, sizeOf: (event) => event.length });
  feed.restart('run');
  for (let index = 1; index <= count; index++) feed.add(`e${index}`);
  return feed;
};

describe('a feed of what came lately', () => {
  it('numbers its events from its start and hands out those after a place', async () => {
    const feed = feedOf(2);
    expect([feed.newest, feed.cursor(feed.newest)]).toEqual([2, 'run.2']);
    expect(await feed.fill(1)).toEqual({ items: [{ sequence: 2, event: 'e2' }], position: 2, settled: true });
  });

  it('knows the places that every event after is kept of', () => {
    const feed = feedOf(5);
    expect(['run.1', 'run.2', 'run.4', 'run.5'].map((cursor) => feed.placeOf(cursor))).toEqual([undefined, 2, 4, 5]);
    expect(['run.6', 'other.4', 'run.', ''].map((cursor) => feed.placeOf(cursor))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    expect(feedOf(0).placeOf('run.0')).toBe(0);
  });

  it('keeps no more than its bytes, but always the newest event', async () => {
    const feed = feedOf(0);
    const kept = async () => (await feed.fill(0)).items.map(({ event }) => event.length);
    for (const size of [60, 30, 11]) feed.add('x'.repeat(size));
    expect(await kept()).toEqual([30, 11]);
    feed.add('x'.repeat(101));
    expect([await kept(), feed.placeOf('run.2'), feed.placeOf('run.3')]).toEqual([[101], undefined, 3]);
    feed.add('x'.repeat(100));
    expect(await kept()).toEqual([100]);
  });

  it('begins again with nothing', async () => {
    const feed = feedOf(2);
    feed.restart('next');
    expect([feed.newest, feed.placeOf('run.1'), (await feed.fill(0)).items]).toEqual([0, undefined, []]);
  });
});
