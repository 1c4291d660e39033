import { describe, expect, it } from 'vitest';
import { RecentFeed } from './recent-feed.ts';

const feedOf = (count: number): RecentFeed<string> => {
  const feed = new RecentFeed<string>(3);
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

  it('begins again with nothing', async () => {
    const feed = feedOf(2);
    feed.restart('next');
    expect([feed.newest, feed.placeOf('run.1'), (await feed.fill(0)).items]).toEqual([0, undefined, []]);
  });
});
