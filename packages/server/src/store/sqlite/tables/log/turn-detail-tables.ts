import { Fault } from '../../../../base/index.ts';
import type { JournalRow, PermissionRow, SteerRow } from '../../../contracts/index.ts';
import {
  type JournalSqlRow,
  PERMISSION_COLUMNS,
  type PermissionSqlRow,
  permissionValues,
  type SteerSqlRow,
  toJournal,
  toPermission,
  toSteer,
} from '../../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../../connection.ts';

const JOURNAL = 'SELECT turn_id, position, kind, at, body FROM journal WHERE turn_id = ? ORDER BY position';
const APPEND = 'INSERT INTO journal (turn_id, position, kind, at, body) VALUES (?,?,?,?,?)';
const TRIM = `DELETE FROM journal WHERE row IN (SELECT j.row FROM journal j CROSS JOIN turns t ON t.id = j.turn_id
  WHERE j.at < ? AND t.finished_at > 0 AND t.finished_at < ? ORDER BY j.at ${LIMIT})`;
const DELETE_JOURNAL = 'DELETE FROM journal WHERE turn_id IN (SELECT id FROM turns WHERE session_id = ?)';

/** Recorded effects of turns. */
export class JournalTable {
  readonly #list: Statement<JournalSqlRow>;
  readonly #append: Statement;
  readonly #trim: Statement;
  readonly #deleteOfSession: Statement;

  constructor(connection: Connection) {
    this.#list = connection.statement(JOURNAL);
    this.#append = connection.statement(APPEND);
    this.#trim = connection.statement(TRIM);
    this.#deleteOfSession = connection.statement(DELETE_JOURNAL);
  }

  list(turnId: string): JournalRow[] {
    return this.#list.all(turnId).map(toJournal);
  }

  append(rows: readonly JournalRow[]): void {
    for (const row of rows) this.#append.run(row.turnId, row.index, row.kind, row.at, row.body);
  }

  /** An entry is never younger than the end of its turn, so the oldest entries are enough to look at. */
  trim(beforeMicros: number, limit: number): number {
    return this.#trim.run(beforeMicros, beforeMicros, limit);
  }

  /** Before the session's turns are deleted: it finds the entries through them. */
  deleteOfSession(sessionId: string): void {
    this.#deleteOfSession.run(sessionId);
  }
}

const STEERS =
  'SELECT session_id, message_id, turn_id, bytes, body FROM steers WHERE session_id = ? ORDER BY message_id';
const INSERT_STEER = 'INSERT INTO steers (session_id, message_id, turn_id, bytes, body) VALUES (?,?,?,?,?)';
const DELETE_STEER = 'DELETE FROM steers WHERE session_id = ? AND message_id = ?';
const DELETE_STEERS = 'DELETE FROM steers WHERE session_id = ?';

/** Messages that wait to join a running turn. */
export class SteerTable {
  readonly #list: Statement<SteerSqlRow>;
  readonly #insert: Statement;
  readonly #delete: Statement;
  readonly #deleteOfSession: Statement;

  constructor(connection: Connection) {
    this.#list = connection.statement(STEERS);
    this.#insert = connection.statement(INSERT_STEER);
    this.#delete = connection.statement(DELETE_STEER);
    this.#deleteOfSession = connection.statement(DELETE_STEERS);
  }

  list(sessionId: string): SteerRow[] {
    return this.#list.all(sessionId).map(toSteer);
  }

  insert(row: SteerRow): void {
    this.#insert.run(row.sessionId, row.messageId, row.turnId, row.bytes, row.body);
  }

  delete(sessionId: string, messageIds: readonly string[]): void {
    for (const messageId of messageIds) this.#delete.run(sessionId, messageId);
  }

  deleteOfSession(sessionId: string): void {
    this.#deleteOfSession.run(sessionId);
  }
}

const GET_PERMISSION = `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE id = ?`;
const PERMISSIONS_OF_TURN = `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE turn_id = ? ORDER BY id`;
const OPEN_PERMISSIONS = `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE open = 1 AND namespace = ? AND id > ?
  ORDER BY id ${LIMIT}`;
const ALL_OPEN_PERMISSIONS = `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE open = 1 AND id > ? ORDER BY id ${LIMIT}`;
const INSERT_PERMISSION = `INSERT INTO permissions (${PERMISSION_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`;
const UPDATE_PERMISSION = 'UPDATE permissions SET open = ?, expires_at = ?, body = ? WHERE id = ?';
const DELETE_PERMISSIONS = 'DELETE FROM permissions WHERE session_id = ?';

/** Requests for permission that turns wait on. */
export class PermissionTable {
  readonly #get: Statement<PermissionSqlRow>;
  readonly #ofTurn: Statement<PermissionSqlRow>;
  readonly #open: Statement<PermissionSqlRow>;
  readonly #openOfAll: Statement<PermissionSqlRow>;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #deleteOfSession: Statement;

  constructor(connection: Connection) {
    this.#get = connection.statement(GET_PERMISSION);
    this.#ofTurn = connection.statement(PERMISSIONS_OF_TURN);
    this.#open = connection.statement(OPEN_PERMISSIONS);
    this.#openOfAll = connection.statement(ALL_OPEN_PERMISSIONS);
    this.#insert = connection.statement(INSERT_PERMISSION);
    this.#update = connection.statement(UPDATE_PERMISSION);
    this.#deleteOfSession = connection.statement(DELETE_PERMISSIONS);
  }

  get(id: string): PermissionRow | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toPermission(row);
  }

  ofTurn(turnId: string): PermissionRow[] {
    return this.#ofTurn.all(turnId).map(toPermission);
  }

  open(namespaces: readonly string[] | 'all', after: string, limit: number): PermissionRow[] {
    if (namespaces === 'all') return this.#openOfAll.all(after, limit).map(toPermission);
    const rows = [...new Set(namespaces)].flatMap((namespace) => this.#open.all(namespace, after, limit));
    rows.sort((left, right) => (left.id < right.id ? -1 : 1));
    return rows.slice(0, limit).map(toPermission);
  }

  insert(row: PermissionRow): void {
    const added = this.#insert.run(...permissionValues(row));
    if (added === 0) throw new Fault('ALREADY_EXISTS', 'PERMISSION_EXISTS', `permission request exists: ${row.id}`);
  }

  save(row: PermissionRow): void {
    this.#update.run(row.open ? 1 : 0, row.expiresAt, row.body, row.id);
  }

  deleteOfSession(sessionId: string): void {
    this.#deleteOfSession.run(sessionId);
  }
}
