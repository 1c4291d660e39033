import {
  type Bus,
  type ChannelEventRow,
  type ChannelHistory,
  type ChannelMessageRow,
  earlierNow,
  type Store,
  type StoredResource,
  type WriteTx,
} from '../../../store/contracts/index.ts';
import type { ChannelLimits } from './channels-deps.ts';

/** What an event says in addition to its message; JSON of ChannelEventRow.body. Absent members are empty. */
export interface EventBody {
  readonly sessionId?: string;
  readonly agent?: string;
  readonly subscription?: string;
  readonly error?: string;
}

export interface NewEvent {
  /** Numeric svc.events.ChannelEventKind. */
  readonly kind: number;
  readonly at: number;
  readonly message?: ChannelMessageRow;
  readonly body: EventBody;
}

/** Bus subject of a channel's events; the message is a ChannelEventRow. */
export const channelSubject = (channelUid: string): string => `ch.${channelUid}`;

/** Bus subject of the events of all channels, for those who show many of them; the message is a ChannelActivity. */
export const CHANNEL_ACTIVITY = 'channel.activity';

export interface ChannelActivity {
  readonly namespace: string;
  readonly channel: string;
  readonly event: ChannelEventRow;
}

/** Old rows are searched once in so many events, and at most so many are removed at once. */
const TRIM_EVERY = 64;
const TRIM_ROWS = 500;

const MICROS = 1_000_000;

export interface ChannelLogDeps {
  readonly bus: Pick<Bus, 'publish'>;
  readonly limits: Pick<ChannelLimits, 'historyEvents' | 'historySeconds' | 'retentionSeconds'>;
}

/** Writes the event log of channels and tells followers after the commit; drops what is no longer kept on the way. */
export class ChannelLog {
  readonly #deps: ChannelLogDeps;

  constructor(deps: ChannelLogDeps) {
    this.#deps = deps;
  }

  /** What of a log counts as kept now. */
  history(clocks: Pick<Store, 'now' | 'steadyNow'>): ChannelHistory {
    const { historyEvents, historySeconds } = this.#deps.limits;
    return { events: historyEvents, since: earlierNow(clocks) - historySeconds * MICROS };
  }

  /** Events in order. Followers see them once the transaction is durable. */
  async append(tx: WriteTx, channel: StoredResource, events: readonly NewEvent[]): Promise<void> {
    const drafts = events.map(({ kind, at, message, body }) => ({
      kind,
      at,
      messageId: message?.id ?? '',
      body: JSON.stringify(body),
    }));
    const rows = await tx.channels.appendEvents(channel.uid, drafts);
    if (rows.some((row) => row.sequence % TRIM_EVERY === 0)) await this.#trim(tx, channel.uid);
    tx.afterCommit(() => {
      for (const [index, row] of rows.entries()) this.#publish(channel, row, events[index]?.message);
    });
  }

  #publish(channel: StoredResource, row: ChannelEventRow, message: ChannelMessageRow | undefined): void {
    const event = message === undefined ? row : { ...row, message };
    this.#deps.bus.publish(channelSubject(row.channelUid), event);
    const { namespace, name } = channel.key;
    const activity: ChannelActivity = { namespace, channel: name, event };
    this.#deps.bus.publish(CHANNEL_ACTIVITY, activity);
  }

  async #trim(tx: WriteTx, channelUid: string): Promise<void> {
    await tx.channels.trimEvents(channelUid, this.history(tx), TRIM_ROWS);
    const { retentionSeconds } = this.#deps.limits;
    if (retentionSeconds > 0)
      await tx.channels.trimMessages(channelUid, earlierNow(tx) - retentionSeconds * MICROS, TRIM_ROWS);
  }
}
