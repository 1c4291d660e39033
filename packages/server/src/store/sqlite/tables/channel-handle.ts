import { Fault } from '../../../base/index.ts';
import {
  type ChannelEventDraft,
  type ChannelEventRange,
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
import { type Connection, LIMIT, sql } from '../connection.ts';
import { dropHolders } from './object-handle.ts';

const COLUMNS = 'channel_uid, id, created_at, body';
const MESSAGE = sql<ChannelMessageSqlRow>(`SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = ? AND id = ?`);
const BEFORE = sql<ChannelMessageSqlRow>(
  `SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = ? AND id < ? ORDER BY id DESC ${LIMIT}`,
);
const EVENTS = sql<ChannelEventSqlRow>(
  `SELECT e.channel_uid, e.sequence, e.at, e.kind, e.message_id, e.body, m.created_at AS message_at, m.body AS message_body
   FROM channel_events e LEFT JOIN channel_messages m ON m.channel_uid = e.channel_uid AND m.id = e.message_id
   WHERE e.channel_uid = ? AND e.sequence > ? ORDER BY e.sequence ${LIMIT}`,
);
const NEWEST = sql<{ readonly last_sequence: number }>('SELECT last_sequence FROM channel_heads WHERE channel_uid = ?');
const OLDEST = sql<{ readonly sequence: number }>(
  `SELECT sequence FROM channel_events WHERE channel_uid = ? AND sequence > ? AND at >= ? ORDER BY sequence LIMIT 1`,
);
const INSERT_MESSAGE = sql(`INSERT INTO channel_messages (${COLUMNS}) VALUES (?,?,?,?) ON CONFLICT DO NOTHING`);
const SET_NEWEST = sql(
  `INSERT INTO channel_heads (channel_uid, last_sequence) VALUES (?, ?)
   ON CONFLICT DO UPDATE SET last_sequence = excluded.last_sequence`,
);
const INSERT_EVENT = sql(
  'INSERT INTO channel_events (channel_uid, sequence, at, kind, message_id, body) VALUES (?,?,?,?,?,?)',
);
const REMOVE_EVENTS = sql(
  `DELETE FROM channel_events WHERE channel_uid = ?1 AND sequence IN
   (SELECT sequence FROM channel_events WHERE channel_uid = ?1 AND sequence < ?2 ORDER BY sequence LIMIT ?3 + 0)`,
);
const TRIM_MESSAGES = sql<{ readonly id: string }>(
  `DELETE FROM channel_messages WHERE row IN
   (SELECT row FROM channel_messages WHERE channel_uid = ? AND created_at < ? ORDER BY id ${LIMIT}) RETURNING id`,
);
const REMOVE_MESSAGES = sql<{ readonly id: string }>(
  `DELETE FROM channel_messages WHERE row IN (SELECT row FROM channel_messages WHERE channel_uid = ? ${LIMIT})
   RETURNING id`,
);
const DROP_HEAD = sql('DELETE FROM channel_heads WHERE channel_uid = ?');

const newestOf = (connection: Connection, channelUid: string): number =>
  connection.of(NEWEST).get(channelUid)?.last_sequence ?? 0;

const rangeOf = (connection: Connection, channelUid: string, history: ChannelHistory): ChannelEventRange => {
  const newest = newestOf(connection, channelUid);
  const oldest = connection.of(OLDEST).get(channelUid, newest - history.events, history.since)?.sequence;
  return { oldest: oldest ?? newest + 1, newest };
};

/** `ChannelLogReads` over one connection. */
export class ChannelReadHandle implements ChannelLogReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async message(channelUid: string, id: string) {
    this.#access.enter();
    const row = this.#access.connection.of(MESSAGE).get(channelUid, id);
    return this.#access.leave(row === undefined ? undefined : toChannelMessage(row));
  }

  async messagesBefore(channelUid: string, before: string | undefined, limit: number) {
    this.#access.enter();
    const rows = this.#access.connection.of(BEFORE).all(channelUid, before ?? LAST_ID, limit);
    return this.#access.leave(rows.map(toChannelMessage));
  }

  async events(channelUid: string, after: number, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.connection.of(EVENTS).all(channelUid, after, limit).map(toChannelEvent));
  }

  async eventRange(channelUid: string, history: ChannelHistory) {
    this.#access.enter();
    return this.#access.leave(rangeOf(this.#access.connection, channelUid, history));
  }
}

/** `ChannelLogWrites` inside one write transaction. */
export class ChannelWriteHandle extends ChannelReadHandle implements ChannelLogWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  /** The one writer is the lock. */
  async lock() {
    this.#access.enter();
  }

  async insertMessage(row: ChannelMessageRow) {
    this.#access.change();
    const added = this.#access.connection.of(INSERT_MESSAGE).run(row.channelUid, row.id, row.createdAt, row.body);
    if (added === 0)
      throw new Fault('ALREADY_EXISTS', 'CHANNEL_MESSAGE_EXISTS', `channel message exists: ${row.id}`, {
        metadata: { id: row.id },
      });
  }

  async appendEvents(channelUid: string, drafts: readonly ChannelEventDraft[]): Promise<readonly ChannelEventRow[]> {
    this.#access.change();
    if (drafts.length === 0) return [];
    const { connection } = this.#access;
    const last = newestOf(connection, channelUid);
    const rows = drafts.map((draft, index): ChannelEventRow => ({ ...draft, channelUid, sequence: last + index + 1 }));
    for (const row of rows)
      connection.of(INSERT_EVENT).run(channelUid, row.sequence, row.at, row.kind, row.messageId, row.body);
    connection.of(SET_NEWEST).run(channelUid, last + rows.length);
    return rows;
  }

  async trimEvents(channelUid: string, history: ChannelHistory, limit: number) {
    this.#access.change();
    const { connection } = this.#access;
    return connection.of(REMOVE_EVENTS).run(channelUid, rangeOf(connection, channelUid, history).oldest, limit);
  }

  async trimMessages(channelUid: string, beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#dropWith(channelUid, this.#access.connection.of(TRIM_MESSAGES).all(channelUid, beforeMicros, limit));
  }

  /** The head goes with the last event. */
  async removeSome(channelUid: string, limit: number) {
    this.#access.change();
    const { connection } = this.#access;
    const messages = this.#dropWith(channelUid, connection.of(REMOVE_MESSAGES).all(channelUid, limit));
    if (messages === limit) return messages;
    const room = limit - messages;
    const events = connection.of(REMOVE_EVENTS).run(channelUid, Number.MAX_SAFE_INTEGER, room);
    if (events < room) connection.of(DROP_HEAD).run(channelUid);
    return messages + events;
  }

  /** Drops what removed messages referred to; answers how many they were. */
  #dropWith(channelUid: string, gone: readonly { readonly id: string }[]): number {
    const { connection, steadyNow } = this.#access;
    const holders = gone.map(({ id }) => channelMessageHolder(channelUid, id));
    dropHolders(connection, holders, steadyNow);
    return gone.length;
  }
}
