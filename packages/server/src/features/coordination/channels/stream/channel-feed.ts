import type { ChannelEventRow, Store } from '../../../../store/contracts/index.ts';
import type { Feed, FeedSlice } from '../../../../streams/index.ts';
import { cursorExpired } from './channel-cursor.ts';

/** Events read at once. */
export const PAGE = 200;

/** The events of one channel as a feed: numbered without holes, so a gap is seen at once. */
export class ChannelFeed implements Feed<ChannelEventRow> {
  readonly #uid: string;
  readonly #store: Pick<Store, 'direct'>;

  constructor(uid: string, store: Pick<Store, 'direct'>) {
    this.#uid = uid;
    this.#store = store;
  }

  position(event: ChannelEventRow): number {
    return event.sequence;
  }

  continues(event: ChannelEventRow, after: number): boolean {
    return event.sequence === after + 1;
  }

  settles(): boolean {
    return true;
  }

  /** The next events, at most a page; CURSOR_EXPIRED when some between were dropped. */
  async page(after: number): Promise<readonly ChannelEventRow[]> {
    const rows = await this.#store.direct.channels.events(this.#uid, after, PAGE);
    const [first] = rows;
    if (first !== undefined && first.sequence !== after + 1) throw cursorExpired();
    return rows;
  }

  async fill(after: number): Promise<FeedSlice<ChannelEventRow>> {
    const items: ChannelEventRow[] = [];
    for (let position = after; ; ) {
      const rows = await this.page(position);
      items.push(...rows);
      position = rows.at(-1)?.sequence ?? position;
      if (rows.length < PAGE) return { items, position, settled: true };
    }
  }
}
