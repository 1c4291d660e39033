import { Fault } from '../../../../base/index.ts';
import type { MessageRow } from '../../../contracts/index.ts';
import { MESSAGE_COLUMNS, type MessageSqlRow, messageValues, textMapJson, toMessage } from '../../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../../connection.ts';

const GET = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND id = ?`;
const OF_ID = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE id = ? ORDER BY session_id ${LIMIT}`;
const BEFORE = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND id < ? ORDER BY id DESC ${LIMIT}`;
const NEWEST = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? ORDER BY id DESC ${LIMIT}`;
const AFTER = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND id > ? ORDER BY id ${LIMIT}`;
const INSERT = `INSERT INTO messages (${MESSAGE_COLUMNS}) VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`;
const UPDATE = `UPDATE messages SET role = ?, created_at = ?, turn_id = ?, revision = ?, labels = ?, parts = ?
  WHERE session_id = ? AND id = ?`;
const DELETE = 'DELETE FROM messages WHERE session_id = ? AND id = ?';
const DELETE_ALL = 'DELETE FROM messages WHERE session_id = ?';

/** Messages of sessions, in the order of their ids. */
export class MessageTable {
  readonly #get: Statement<MessageSqlRow>;
  readonly #ofId: Statement<MessageSqlRow>;
  readonly #before: Statement<MessageSqlRow>;
  readonly #newest: Statement<MessageSqlRow>;
  readonly #after: Statement<MessageSqlRow>;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;
  readonly #deleteAll: Statement;

  constructor(connection: Connection) {
    this.#get = connection.statement(GET);
    this.#ofId = connection.statement(OF_ID);
    this.#before = connection.statement(BEFORE);
    this.#newest = connection.statement(NEWEST);
    this.#after = connection.statement(AFTER);
    this.#insert = connection.statement(INSERT);
    this.#update = connection.statement(UPDATE);
    this.#delete = connection.statement(DELETE);
    this.#deleteAll = connection.statement(DELETE_ALL);
  }

  get(sessionId: string, id: string): MessageRow | undefined {
    const row = this.#get.get(sessionId, id);
    return row === undefined ? undefined : toMessage(row);
  }

  ofId(id: string, limit: number): MessageRow[] {
    return this.#ofId.all(id, limit).map(toMessage);
  }

  before(sessionId: string, before: string | undefined, limit: number): MessageRow[] {
    const rows = before === undefined ? this.#newest.all(sessionId, limit) : this.#before.all(sessionId, before, limit);
    return rows.map(toMessage);
  }

  after(sessionId: string, after: string, limit: number): MessageRow[] {
    return this.#after.all(sessionId, after, limit).map(toMessage);
  }

  insert(row: MessageRow): void {
    const added = this.#insert.run(...messageValues(row));
    if (added === 0)
      throw new Fault('ALREADY_EXISTS', 'MESSAGE_EXISTS', `message exists: ${row.id}`, { metadata: { id: row.id } });
  }

  /** A missing row: nothing written. */
  save(row: MessageRow): void {
    const labels = textMapJson(row.labels);
    this.#update.run(row.role, row.createdAt, row.turnId, row.revision, labels, row.parts, row.sessionId, row.id);
  }

  delete(sessionId: string, ids: readonly string[]): void {
    for (const id of ids) this.#delete.run(sessionId, id);
  }

  deleteAll(sessionId: string): void {
    this.#deleteAll.run(sessionId);
  }
}
