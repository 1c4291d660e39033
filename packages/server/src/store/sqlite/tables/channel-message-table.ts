import { Fault } from '../../../base/index.ts';
import type { ChannelMessageRow } from '../../contracts/index.ts';
import { type ChannelMessageSqlRow, toChannelMessage } from '../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

const COLUMNS = 'channel_uid, id, created_at, body';
const GET = `SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = ? AND id = ?`;
const BEFORE = `SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = ? AND id < ? ORDER BY id DESC ${LIMIT}`;
const NEWEST = `SELECT ${COLUMNS} FROM channel_messages WHERE channel_uid = ? ORDER BY id DESC ${LIMIT}`;
const INSERT = `INSERT INTO channel_messages (${COLUMNS}) VALUES (?,?,?,?) ON CONFLICT DO NOTHING`;
const TRIM = `DELETE FROM channel_messages WHERE row IN
  (SELECT row FROM channel_messages WHERE channel_uid = ? AND created_at < ? ORDER BY id ${LIMIT}) RETURNING id`;
const REMOVE = `DELETE FROM channel_messages WHERE row IN
  (SELECT row FROM channel_messages WHERE channel_uid = ? ${LIMIT}) RETURNING id`;

/** Messages of channels, in the order of their ids. */
export class ChannelMessageTable {
  readonly #get: Statement<ChannelMessageSqlRow>;
  readonly #before: Statement<ChannelMessageSqlRow>;
  readonly #newest: Statement<ChannelMessageSqlRow>;
  readonly #insert: Statement;
  readonly #trim: Statement<{ id: string }>;
  readonly #remove: Statement<{ id: string }>;

  constructor(connection: Connection) {
    this.#get = connection.statement(GET);
    this.#before = connection.statement(BEFORE);
    this.#newest = connection.statement(NEWEST);
    this.#insert = connection.statement(INSERT);
    this.#trim = connection.statement(TRIM);
    this.#remove = connection.statement(REMOVE);
  }

  get(channelUid: string, id: string): ChannelMessageRow | undefined {
    const row = this.#get.get(channelUid, id);
    return row === undefined ? undefined : toChannelMessage(row);
  }

  before(channelUid: string, before: string | undefined, limit: number): ChannelMessageRow[] {
    const rows =
      before === undefined ? this.#newest.all(channelUid, limit) : this.#before.all(channelUid, before, limit);
    return rows.map(toChannelMessage);
  }

  insert(row: ChannelMessageRow): void {
    const added = this.#insert.run(row.channelUid, row.id, row.createdAt, row.body);
    if (added === 0)
      throw new Fault('ALREADY_EXISTS', 'CHANNEL_MESSAGE_EXISTS', `channel message exists: ${row.id}`, {
        metadata: { id: row.id },
      });
  }

  /** Ids of the messages that went. */
  trim(channelUid: string, beforeMicros: number, limit: number): string[] {
    return this.#trim.all(channelUid, beforeMicros, limit).map((row) => row.id);
  }

  /** Ids of the messages that went. */
  remove(channelUid: string, limit: number): string[] {
    return this.#remove.all(channelUid, limit).map((row) => row.id);
  }
}
