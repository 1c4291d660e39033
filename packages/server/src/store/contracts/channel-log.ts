/**
 * Rows of channels: messages and the log of their events, keyed by the uid of the Channel, so that a channel
 * made again under the same name starts empty. The store keeps and finds rows; `body` fields are JSON it does not read.
 */

/** Who holds the objects of a channel's message; their references go with its row. */
export const channelMessageHolder = (channelUid: string, id: string): string => `channel/${channelUid}/${id}`;

export interface ChannelMessageRow {
  readonly channelUid: string;
  /** UUIDv7; unique in the channel, and its order. */
  readonly id: string;
  readonly createdAt: number;
  readonly body: string;
}

export interface ChannelEventDraft {
  /** Numeric svc.events.ChannelEventKind. */
  readonly kind: number;
  readonly at: number;
  /** Message that the event shows; '' when it shows none. */
  readonly messageId: string;
  readonly body: string;
}

export interface ChannelEventRow extends ChannelEventDraft {
  readonly channelUid: string;
  /** 1, 2, 3, … without holes within the channel. */
  readonly sequence: number;
  /** The message named by `messageId`, while it is kept. */
  readonly message?: ChannelMessageRow;
}

/** Which events of a channel still count as kept. */
export interface ChannelHistory {
  /** The newest so many events (`streams.historyEvents`). */
  readonly events: number;
  /** Events at or after this time, micros. */
  readonly since: number;
}

export interface ChannelEventRange {
  /** Sequence of the oldest event kept; newest + 1 when none is. */
  readonly oldest: number;
  /** Last sequence given out, 0 before the first event. */
  readonly newest: number;
}

export interface ChannelLogReads {
  message(channelUid: string, id: string): Promise<ChannelMessageRow | undefined>;
  /** Newest first: messages with id < `before` (absent = all), at most `limit`. */
  messagesBefore(channelUid: string, before: string | undefined, limit: number): Promise<readonly ChannelMessageRow[]>;
  /** Ascending: events with sequence > `after`, with their messages, at most `limit`. */
  events(channelUid: string, after: number, limit: number): Promise<readonly ChannelEventRow[]>;
  eventRange(channelUid: string, history: ChannelHistory): Promise<ChannelEventRange>;
}

export interface ChannelLogWrites extends ChannelLogReads {
  /** Holds the channel until the transaction ends: posts into one channel are in order. */
  lock(channelUid: string): Promise<void>;
  /** Fault ALREADY_EXISTS CHANNEL_MESSAGE_EXISTS when the id is taken in the channel. */
  insertMessage(row: ChannelMessageRow): Promise<void>;
  /** Gives the next sequences of the channel to the events, in order; answers the rows without their messages. */
  appendEvents(channelUid: string, drafts: readonly ChannelEventDraft[]): Promise<readonly ChannelEventRow[]>;
  /** Drops events that are not kept, oldest first, at most `limit`; answers how many went. */
  trimEvents(channelUid: string, history: ChannelHistory, limit: number): Promise<number>;
  /** Drops messages older than `beforeMicros` and what they refer to, oldest first, at most `limit`; answers how many went. */
  trimMessages(channelUid: string, beforeMicros: number, limit: number): Promise<number>;
  /** Removes rows of a deleted channel and what its messages refer to, at most `limit`; answers how many went, 0 = nothing is left. */
  removeSome(channelUid: string, limit: number): Promise<number>;
}
