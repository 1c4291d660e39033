import type { AdmissionMark, SessionLogReads, SessionPage, SessionRow, TurnState } from '../../../contracts/index.ts';
import {
  firstMark,
  type JournalSqlRow,
  LAST_ID,
  MESSAGE_COLUMNS,
  type MessageSqlRow,
  type NewTurnRow,
  newTurnsOf,
  PERMISSION_COLUMNS,
  type PermissionSqlRow,
  SESSION_COLUMNS,
  type SessionSqlRow,
  type StandingSqlRow,
  type SteerSqlRow,
  toJournal,
  toMessage,
  toPermission,
  toSession,
  toStanding,
  toSteer,
  toTurn,
} from '../../../rows/index.ts';
import type { Access } from '../../access.ts';
import { statement } from '../../connection/index.ts';
import { listSessions } from './session-page.ts';
import { OPEN, turnsWhere } from './turn-sql.ts';

const SESSION = statement<SessionSqlRow>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = $1`);
const STANDINGS = statement<StandingSqlRow>(
  `SELECT s.id, s.state, s.fence, s.last_sequence, s.open_turns, s.active_turn_id,
     coalesce((SELECT max(j.position) + 1 FROM journal j WHERE j.turn_id = s.active_turn_id), 0) AS recorded
   FROM sessions s WHERE s.id = ANY($1::text[])`,
);
const NEWEST_TURN = statement<{ row: number }>('SELECT coalesce(max(row), 0) AS row FROM turns');
const NEW_TURNS = statement<NewTurnRow>(
  `SELECT row, namespace, agent, session_id FROM turns WHERE row > $1
   UNION ALL SELECT row, namespace, agent, session_id FROM turns WHERE row = ANY($2::bigint[]) ORDER BY row LIMIT $3`,
);
const MESSAGE = statement<MessageSqlRow>(`SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = $1 AND id = $2`);
const MESSAGES_OF_ID = statement<MessageSqlRow>(
  `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE id = $1 ORDER BY session_id LIMIT $2`,
);
const MESSAGES_BEFORE = statement<MessageSqlRow>(
  `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
);
const MESSAGES_AFTER = statement<MessageSqlRow>(
  `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
);
const TURN = turnsWhere('WHERE t.id = $1');
const OPEN_TURNS = turnsWhere(`WHERE t.session_id = $1 AND ${OPEN} ORDER BY t.admission, t.id`);
const NEWEST = turnsWhere('WHERE t.session_id = $1 AND t.id < $2 ORDER BY t.id DESC LIMIT $3');
const NEWEST_IN_STATE = turnsWhere(
  'WHERE t.session_id = $1 AND t.id < $2 AND t.state = $4 ORDER BY t.id DESC LIMIT $3',
);
const FROM_FENCE = turnsWhere('WHERE t.session_id = $1 AND t.fence >= $2 AND t.fence > 0 ORDER BY t.fence LIMIT $3');
const JOURNAL = statement<JournalSqlRow>(
  'SELECT turn_id, position, kind, at, body FROM journal WHERE turn_id = $1 ORDER BY position',
);
const STEERS = statement<SteerSqlRow>(
  'SELECT session_id, message_id, turn_id, bytes, body FROM steers WHERE session_id = $1 ORDER BY message_id',
);
const PERMISSION = statement<PermissionSqlRow>(`SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE id = $1`);
const PERMISSIONS_OF_TURN = statement<PermissionSqlRow>(
  `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE turn_id = $1 ORDER BY id`,
);
const OPEN_PERMISSIONS = statement<PermissionSqlRow>(
  `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE open = 1 AND namespace = ANY($1::text[]) AND id > $2
   ORDER BY id LIMIT $3`,
);

const ALL_OPEN_PERMISSIONS = statement<PermissionSqlRow>(
  `SELECT ${PERMISSION_COLUMNS} FROM permissions WHERE open = 1 AND id > $1 ORDER BY id LIMIT $2`,
);

/** `SessionLogReads`: of one snapshot, or each read alone. */
export class LogReadHandle implements SessionLogReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async session(id: string): Promise<SessionRow | undefined> {
    const row = await this.#access.sql.first(SESSION, [id]);
    return row === undefined ? undefined : toSession(row);
  }

  async standings(ids: readonly string[]) {
    return (await this.#access.sql.rows(STANDINGS, [ids])).map(toStanding);
  }

  async newTurns(mark: AdmissionMark | undefined, limit: number) {
    const { sql } = this.#access;
    const known = mark ?? firstMark((await sql.one(NEWEST_TURN)).row);
    const missing = known.missing.map(({ row }) => String(row));
    return newTurnsOf(known, await sql.rows(NEW_TURNS, [known.row, missing, limit]));
  }

  async sessions(page: SessionPage) {
    return listSessions(this.#access.sql, page);
  }

  async message(sessionId: string, id: string) {
    const row = await this.#access.sql.first(MESSAGE, [sessionId, id]);
    return row === undefined ? undefined : toMessage(row);
  }

  async messagesOfId(id: string, limit: number) {
    return (await this.#access.sql.rows(MESSAGES_OF_ID, [id, limit])).map(toMessage);
  }

  async messagesBefore(sessionId: string, before: string | undefined, limit: number) {
    return (await this.#access.sql.rows(MESSAGES_BEFORE, [sessionId, before ?? LAST_ID, limit])).map(toMessage);
  }

  async messagesAfter(sessionId: string, after: string, limit: number) {
    return (await this.#access.sql.rows(MESSAGES_AFTER, [sessionId, after, limit])).map(toMessage);
  }

  async turn(id: string) {
    const row = await this.#access.sql.first(TURN, [id]);
    return row === undefined ? undefined : toTurn(row);
  }

  async openTurns(sessionId: string) {
    return (await this.#access.sql.rows(OPEN_TURNS, [sessionId])).map(toTurn);
  }

  async turns(
    sessionId: string,
    options: { readonly before?: string; readonly state?: TurnState; readonly limit: number },
  ) {
    const values = [sessionId, options.before ?? LAST_ID, options.limit];
    const { sql } = this.#access;
    const rows =
      options.state === undefined
        ? await sql.rows(NEWEST, values)
        : await sql.rows(NEWEST_IN_STATE, [...values, options.state]);
    return rows.map(toTurn);
  }

  async turnsFromFence(sessionId: string, fence: number, limit: number) {
    return (await this.#access.sql.rows(FROM_FENCE, [sessionId, fence, limit])).map(toTurn);
  }

  async journal(turnId: string) {
    return (await this.#access.sql.rows(JOURNAL, [turnId])).map(toJournal);
  }

  async steers(sessionId: string) {
    return (await this.#access.sql.rows(STEERS, [sessionId])).map(toSteer);
  }

  async permission(id: string) {
    const row = await this.#access.sql.first(PERMISSION, [id]);
    return row === undefined ? undefined : toPermission(row);
  }

  async permissionsOfTurn(turnId: string) {
    return (await this.#access.sql.rows(PERMISSIONS_OF_TURN, [turnId])).map(toPermission);
  }

  async openPermissions(namespaces: readonly string[] | 'all', after: string, limit: number) {
    const { sql } = this.#access;
    const rows =
      namespaces === 'all'
        ? await sql.rows(ALL_OPEN_PERMISSIONS, [after, limit])
        : await sql.rows(OPEN_PERMISSIONS, [namespaces, after, limit]);
    return rows.map(toPermission);
  }
}
