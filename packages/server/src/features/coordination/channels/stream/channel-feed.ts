import type { ChannelEventRow, Store } from '../../../../store/contracts/index.ts';
import type { CursorLine, Feed, FeedSlice } from '../../../../streams/index.ts';
import { cursorExpired } from './channel-cursor.ts';

/** Events read at once. */
const PAGE = 200;

/** The events of one channel as a feed: numbered without holes, so a gap is seen at once. */
export class ChannelFeed implements Feed<ChannelEventRow> {
  readonly #uid: string;
  readonly #cursors: CursorLine;
  readonly #store: Pick<Store, 'direct'>;

  constructor(uid: string, cursors: CursorLine, store: Pick<Store, 'direct'>) {
    this.#uid = uid;
    this.#cursors = cursors;
    this.#store = store;
  }

  position(event: ChannelEventRow): number {
    return event.sequence;
  }

  cursor(sequence: number): string {
    return this.#cursors.at(sequence);
  }

  size(event: ChannelEventRow): number {
    return event.body.length + (event.message?.body.length ?? 0);
  }

  continues(event: ChannelEventRow, after: number): boolean {
    return event.sequence === after + 1;
  }

  settles(): boolean {
    return true;
  }

  /** The next events, at most a page; CURSOR_EXPIRED when some between were dropped. */
  async fill(after: number): Promise<FeedSlice<ChannelEventRow>> {
    const items = await this.#store.direct.channels.events(this.#uid, after, PAGE);
    const [first] = items;
    if (first !== undefined && first.sequence !== after + 1) throw cursorExpired();
    return { items, position: items.at(-1)?.sequence ?? after, settled: true, isPartial: items.length === PAGE };
  }
}
