import { withoutHalfCharacters } from '../../base/index.ts';
import type { ChannelEventRow, ChannelMessageRow } from '../contracts/index.ts';

export interface ChannelEventSqlRow {
  readonly channel_uid: string;
  readonly sequence: number;
  readonly at: number;
  readonly kind: number;
  readonly message_id: string;
  readonly body: string;
  readonly message_at: number | null;
  readonly message_body: string | null;
}

/** The channel event that a row stores. */
export const toChannelEvent = (row: ChannelEventSqlRow): ChannelEventRow => {
  const event = {
    channelUid: row.channel_uid,
    sequence: row.sequence,
    at: row.at,
    kind: row.kind,
    messageId: row.message_id,
    body: withoutHalfCharacters(row.body),
  };
  const { message_at: createdAt, message_body: body } = row;
  if (createdAt === null || body === null) return event;
  return {
    ...event,
    message: { channelUid: row.channel_uid, id: row.message_id, createdAt, body: withoutHalfCharacters(body) },
  };
};

export interface ChannelMessageSqlRow {
  readonly channel_uid: string;
  readonly id: string;
  readonly created_at: number;
  readonly body: string;
}

/** The channel message that a row stores. */
export const toChannelMessage = (row: ChannelMessageSqlRow): ChannelMessageRow => ({
  channelUid: row.channel_uid,
  id: row.id,
  createdAt: row.created_at,
  body: withoutHalfCharacters(row.body),
});
