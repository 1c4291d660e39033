import type { ChannelEventDraft, ChannelEventRange, ChannelEventRow, ChannelHistory } from '../../contracts/index.ts';
import { type ChannelEventSqlRow, toChannelEvent } from '../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

const NEWEST = 'SELECT last_sequence FROM channel_heads WHERE channel_uid = ?';
const SET_NEWEST = `INSERT INTO channel_heads (channel_uid, last_sequence) VALUES (?, ?)
  ON CONFLICT DO UPDATE SET last_sequence = excluded.last_sequence`;
const DROP_HEAD = 'DELETE FROM channel_heads WHERE channel_uid = ?';
const AFTER = `SELECT e.channel_uid, e.sequence, e.at, e.kind, e.message_id, e.body,
    m.created_at AS message_at, m.body AS message_body
  FROM channel_events e LEFT JOIN channel_messages m ON m.channel_uid = e.channel_uid AND m.id = e.message_id
  WHERE e.channel_uid = ? AND e.sequence > ? ORDER BY e.sequence ${LIMIT}`;
const OLDEST = `SELECT sequence FROM channel_events WHERE channel_uid = ? AND sequence > ? AND at >= ?
  ORDER BY sequence LIMIT 1`;
const INSERT = `INSERT INTO channel_events (channel_uid, sequence, at, kind, message_id, body) VALUES (?,?,?,?,?,?)`;
const REMOVE = `DELETE FROM channel_events WHERE channel_uid = ?1 AND sequence IN
  (SELECT sequence FROM channel_events WHERE channel_uid = ?1 AND sequence < ?2 ORDER BY sequence LIMIT ?3 + 0)`;

/** Events of channels, numbered without holes. */
export class ChannelEventTable {
  readonly #newest: Statement<{ readonly last_sequence: number }>;
  readonly #setNewest: Statement;
  readonly #dropHead: Statement;
  readonly #after: Statement<ChannelEventSqlRow>;
  readonly #oldest: Statement<{ readonly sequence: number }>;
  readonly #insert: Statement;
  readonly #remove: Statement;

  constructor(connection: Connection) {
    this.#newest = connection.statement(NEWEST);
    this.#setNewest = connection.statement(SET_NEWEST);
    this.#dropHead = connection.statement(DROP_HEAD);
    this.#after = connection.statement(AFTER);
    this.#oldest = connection.statement(OLDEST);
    this.#insert = connection.statement(INSERT);
    this.#remove = connection.statement(REMOVE);
  }

  after(channelUid: string, after: number, limit: number): ChannelEventRow[] {
    return this.#after.all(channelUid, after, limit).map(toChannelEvent);
  }

  range(channelUid: string, history: ChannelHistory): ChannelEventRange {
    const newest = this.#newest.get(channelUid)?.last_sequence ?? 0;
    const oldest = this.#oldest.get(channelUid, newest - history.events, history.since)?.sequence;
    return { oldest: oldest ?? newest + 1, newest };
  }

  append(channelUid: string, drafts: readonly ChannelEventDraft[]): ChannelEventRow[] {
    const last = this.#newest.get(channelUid)?.last_sequence ?? 0;
    const rows = drafts.map((draft, index): ChannelEventRow => ({ ...draft, channelUid, sequence: last + index + 1 }));
    for (const row of rows) this.#insert.run(channelUid, row.sequence, row.at, row.kind, row.messageId, row.body);
    if (rows.length > 0) this.#setNewest.run(channelUid, last + rows.length);
    return rows;
  }

  trim(channelUid: string, history: ChannelHistory, limit: number): number {
    return this.#remove.run(channelUid, this.range(channelUid, history).oldest, limit);
  }

  /** The head goes with the last event. */
  remove(channelUid: string, limit: number): number {
    const removed = this.#remove.run(channelUid, Number.MAX_SAFE_INTEGER, limit);
    if (removed < limit) this.#dropHead.run(channelUid);
    return removed;
  }
}
