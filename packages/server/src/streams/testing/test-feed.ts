import type { Feed, FeedSlice } from '../feed.ts';

export interface Item {
  readonly place: number;
  readonly bytes?: number;
}

/** A feed whose truth is a list; reads settle by hand. */
export class TestFeed implements Feed<Item> {
  readonly truth: Item[] = [];
  readonly reads: (() => void)[] = [];
  failing = false;
  /** Items in one read. */
  page = Number.POSITIVE_INFINITY;
  position = (item: Item): number => item.place;
  cursor = (position: number): string => `c${position}`;
  size = (item: Item): number => item.bytes ?? 0;
  continues = (item: Item, after: number): boolean => item.place === after + 1;
  settles = (): boolean => false;

  async fill(after: number): Promise<FeedSlice<Item>> {
    await new Promise<void>((resolve) => this.reads.push(resolve));
    if (this.failing) throw new Error('truth is away');
    const found = this.truth.filter((item) => item.place > after);
    const items = found.slice(0, this.page);
    const position = items.at(-1)?.place ?? after;
    return { items, position, settled: false, isPartial: found.length > this.page };
  }

  /** Lets the oldest read continue, and what follows from it. */
  async settle(): Promise<void> {
    this.reads.shift()?.();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
