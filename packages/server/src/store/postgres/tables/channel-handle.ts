import { Fault } from '../../../base/index.ts';
import {
  type ChannelEventDraft,
  type ChannelEventRow,
  type ChannelHistory,
  type ChannelLogReads,
  type ChannelLogWrites,
  type ChannelMessageRow,
  channelMessageHolder,
} from '../../contracts/index.ts';
import {
  type ChannelEventSqlRow,
  type ChannelMessageSqlRow,
  LAST_ID,
  toChannelEvent,
  toChannelMessage,
} from '../../rows/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Queries, statement } from '../connection/index.ts';
import { dropHolders } from './object-handle.ts';

const COLUMNS = 'channel_uid, id, created_at, body';
const MESSAGE = statement<ChannelMessageSqlRow>(
  `SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = $1 AND id = $2`,
);
const BEFORE = statement<ChannelMessageSqlRow>(
  `SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
);
const EVENTS = statement<ChannelEventSqlRow>(
  `SELECT e.channel_uid, e.sequence, e.at, e.kind, e.message_id, e.body, m.created_at AS message_at, m.body AS message_body
   FROM channel_events e LEFT JOIN channel_messages m ON m.channel_uid = e.channel_uid AND m.id = e.message_id
   WHERE e.channel_uid = $1 AND e.sequence > $2 ORDER BY e.sequence LIMIT $3`,
);
const RANGE = statement<{ newest: number; oldest: number | null }>(
  `SELECT n.newest, (SELECT sequence FROM channel_events WHERE channel_uid = $1 AND sequence > n.newest - $2::bigint
     AND at >= $3 ORDER BY sequence LIMIT 1) AS oldest
   FROM (SELECT coalesce((SELECT last_sequence FROM channel_heads WHERE channel_uid = $1), 0) AS newest) n`,
);
const MAKE_HEAD = statement(
  'INSERT INTO channel_heads (channel_uid, last_sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);
const LOCK_HEAD = statement('SELECT 1 FROM channel_heads WHERE channel_uid = $1 FOR UPDATE');
const INSERT_MESSAGE = statement(
  `INSERT INTO channel_messages (${COLUMNS}) VALUES ($1,$2,$3,$4) ON CONFLICT DO NOTHING`,
);
/** The row stays locked until the transaction ends, so that sequences are taken in commit order and leave no hole. */
const TAKE_SEQUENCES = statement<{ last_sequence: number }>(
  `INSERT INTO channel_heads (channel_uid, last_sequence) VALUES ($1, $2)
   ON CONFLICT (channel_uid) DO UPDATE SET last_sequence = channel_heads.last_sequence + excluded.last_sequence
   RETURNING last_sequence`,
);
const INSERT_EVENTS = statement(
  `INSERT INTO channel_events (channel_uid, sequence, at, kind, message_id, body)
   SELECT $1, e.* FROM unnest($2::bigint[], $3::bigint[], $4::integer[], $5::text[], $6::text[]) AS e`,
);
const REMOVE_EVENTS = statement(
  `DELETE FROM channel_events WHERE channel_uid = $1 AND sequence IN
   (SELECT sequence FROM channel_events WHERE channel_uid = $1 AND sequence < $2 ORDER BY sequence LIMIT $3)`,
);
const TRIM_MESSAGES = statement<{ id: string }>(
  `DELETE FROM channel_messages WHERE row IN
   (SELECT row FROM channel_messages WHERE channel_uid = $1 AND created_at < $2 ORDER BY id LIMIT $3) RETURNING id`,
);
const REMOVE_MESSAGES = statement<{ id: string }>(
  `DELETE FROM channel_messages WHERE row IN (SELECT row FROM channel_messages WHERE channel_uid = $1 LIMIT $2)
   RETURNING id`,
);
const DROP_HEAD = statement('DELETE FROM channel_heads WHERE channel_uid = $1');

const rangeOf = async (sql: Queries, channelUid: string, history: ChannelHistory) => {
  const { oldest, newest } = await sql.one(RANGE, [channelUid, history.events, history.since]);
  return { oldest: oldest ?? newest + 1, newest };
};

/** `ChannelLogReads`: of one snapshot, or each read alone. */
export class ChannelReadHandle implements ChannelLogReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async message(channelUid: string, id: string) {
    const row = await this.#access.sql.first(MESSAGE, [channelUid, id]);
    return row === undefined ? undefined : toChannelMessage(row);
  }

  async messagesBefore(channelUid: string, before: string | undefined, limit: number) {
    return (await this.#access.sql.rows(BEFORE, [channelUid, before ?? LAST_ID, limit])).map(toChannelMessage);
  }

  async events(channelUid: string, after: number, limit: number) {
    return (await this.#access.sql.rows(EVENTS, [channelUid, after, limit])).map(toChannelEvent);
  }

  async eventRange(channelUid: string, history: ChannelHistory) {
    return rangeOf(this.#access.sql, channelUid, history);
  }
}

/** `ChannelLogWrites` inside one write transaction. */
export class ChannelWriteHandle extends ChannelReadHandle implements ChannelLogWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  /** A head that this transaction made is as good as locked: another one that wants to make it waits. */
  async lock(channelUid: string) {
    const { sql } = this.#access;
    sql.later(MAKE_HEAD, [channelUid]);
    sql.later(LOCK_HEAD, [channelUid]);
  }

  async insertMessage(row: ChannelMessageRow) {
    const added = await this.#access.sql.run(INSERT_MESSAGE, [row.channelUid, row.id, row.createdAt, row.body]);
    if (added === 0)
      throw new Fault('ALREADY_EXISTS', 'CHANNEL_MESSAGE_EXISTS', `channel message exists: ${row.id}`, {
        metadata: { id: row.id },
      });
  }

  async appendEvents(channelUid: string, drafts: readonly ChannelEventDraft[]): Promise<readonly ChannelEventRow[]> {
    if (drafts.length === 0) return [];
    const { sql } = this.#access;
    const { last_sequence: last } = await sql.one(TAKE_SEQUENCES, [channelUid, drafts.length]);
    const first = last - drafts.length + 1;
    const rows = drafts.map((draft, index): ChannelEventRow => ({ ...draft, channelUid, sequence: first + index }));
    sql.later(INSERT_EVENTS, [
      channelUid,
      rows.map((row) => row.sequence),
      rows.map((row) => row.at),
      rows.map((row) => row.kind),
      rows.map((row) => row.messageId),
      rows.map((row) => row.body),
    ]);
    return rows;
  }

  async trimEvents(channelUid: string, history: ChannelHistory, limit: number) {
    const { sql } = this.#access;
    const { oldest } = await rangeOf(sql, channelUid, history);
    return sql.run(REMOVE_EVENTS, [channelUid, oldest, limit]);
  }

  async trimMessages(channelUid: string, beforeMicros: number, limit: number) {
    return this.#dropWith(channelUid, await this.#access.sql.rows(TRIM_MESSAGES, [channelUid, beforeMicros, limit]));
  }

  /** The head goes with the last event. */
  async removeSome(channelUid: string, limit: number) {
    const { sql } = this.#access;
    const messages = await this.#dropWith(channelUid, await sql.rows(REMOVE_MESSAGES, [channelUid, limit]));
    if (messages === limit) return messages;
    const room = limit - messages;
    const events = await sql.run(REMOVE_EVENTS, [channelUid, Number.MAX_SAFE_INTEGER, room]);
    if (events < room) sql.later(DROP_HEAD, [channelUid]);
    return messages + events;
  }

  /** Drops what removed messages referred to; answers how many they were. */
  async #dropWith(channelUid: string, gone: readonly { readonly id: string }[]): Promise<number> {
    const { sql, steadyNow } = this.#access;
    const holders = gone.map(({ id }) => channelMessageHolder(channelUid, id));
    await dropHolders(sql, holders, steadyNow);
    return gone.length;
  }
}
