import { Fault } from '../../../../base/index.ts';
import type {
  JournalRow,
  MessageRow,
  PermissionRow,
  SessionLogWrites,
  SessionRow,
  SteerRow,
  TurnRow,
  TurnState,
} from '../../../contracts/index.ts';
import { MESSAGE_COLUMNS, messageValues, PERMISSION_COLUMNS, permissionValues } from '../../../rows/index.ts';
import type { WriteAccess } from '../../access.ts';
import { statement } from '../../connection/index.ts';
import { LogReadHandle } from './log-handle.ts';
import {
  clearSession,
  deleteSession,
  insertSession,
  lockSession,
  saveSession,
  stuckSessions,
} from './session-writes.ts';
import {
  claimedTurns,
  deadClaims,
  dueParks,
  expiredClaims,
  insertTurn,
  readyTurns,
  renewClaims,
  saveTurn,
  setNamespaceReady,
  startedTurns,
} from './turn-writes.ts';

/** Refused when the id is taken. */
const ADD_MESSAGE = statement(`INSERT INTO messages (${MESSAGE_COLUMNS}) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)`);
const INSERT_MESSAGE = statement(`${ADD_MESSAGE.text} ON CONFLICT DO NOTHING`);
const SAVE_MESSAGE = statement(
  `UPDATE messages SET role = $3, created_at = $4, turn_id = $5, revision = $6, labels = $7, parts = $8
   WHERE session_id = $1 AND id = $2`,
);
const DELETE_MESSAGES = statement('DELETE FROM messages WHERE session_id = $1 AND id = ANY($2::text[])');
const APPEND_JOURNAL = statement(
  `INSERT INTO journal (turn_id, position, kind, at, body)
   SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])`,
);
/** An entry is never younger than the end of its turn, so the oldest entries are enough to look at. */
const TRIM_JOURNAL = statement(
  `DELETE FROM journal WHERE row IN (SELECT j.row FROM journal j JOIN turns t ON t.id = j.turn_id
   WHERE j.at < $1 AND t.finished_at > 0 AND t.finished_at < $1 ORDER BY j.at LIMIT $2)`,
);
const INSERT_STEER = statement(
  'INSERT INTO steers (session_id, message_id, turn_id, bytes, body) VALUES ($1,$2,$3,$4,$5)',
);
const DELETE_STEERS = statement('DELETE FROM steers WHERE session_id = $1 AND message_id = ANY($2::text[])');
const INSERT_PERMISSION = statement(
  `INSERT INTO permissions (${PERMISSION_COLUMNS})
   VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9) ON CONFLICT DO NOTHING`,
);
const SAVE_PERMISSION = statement('UPDATE permissions SET open = $2, expires_at = $3, body = $4 WHERE id = $1');

/** Namespace, agent and creation time of a session never change. */
const unchanging = ({ namespace, agent, createdAt }: SessionRow) => ({ namespace, agent, createdAt });

/** `SessionLogWrites` inside one write transaction. A writer of a conversation holds its session row. */
export class LogWriteHandle extends LogReadHandle implements SessionLogWrites {
  readonly #access: WriteAccess;
  /** Sessions that this transaction holds, as they are: no one else can change them. */
  readonly #held = new Map<string, SessionRow>();
  /** Turns as this transaction read or wrote them last. */
  readonly #turns = new Map<string, TurnRow>();

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async lockSession(id: string) {
    const held = this.#held.get(id);
    if (held !== undefined) return held;
    const row = await lockSession(this.#access.sql, id);
    if (row !== undefined) this.#held.set(id, row);
    return row;
  }

  async insertSession(row: SessionRow) {
    await insertSession(this.#access.sql, row);
  }

  async saveSession(row: SessionRow) {
    const held = this.#held.get(row.id);
    this.#held.delete(row.id);
    await saveSession(this.#access.sql, row, held);
    // What no save changes is as it was held.
    if (held !== undefined) this.#held.set(row.id, { ...row, ...unchanging(held) });
  }

  /** Something was undone: what the transaction holds may be as it was before. */
  forgetHeld(): void {
    this.#held.clear();
    this.#turns.clear();
  }

  override async turn(id: string) {
    const row = await super.turn(id);
    if (row !== undefined) this.#turns.set(id, row);
    return row;
  }

  override async openTurns(sessionId: string) {
    const rows = await super.openTurns(sessionId);
    for (const row of rows) this.#turns.set(row.id, row);
    return rows;
  }

  async deleteSession(id: string) {
    this.forgetHeld();
    await deleteSession(this.#access, id);
  }

  async clearSession(id: string) {
    this.#turns.clear();
    await clearSession(this.#access, id);
  }

  async insertMessage(row: MessageRow) {
    const { sql } = this.#access;
    const values = messageValues(row);
    if (sql.assume(ADD_MESSAGE, values)) return;
    if ((await sql.run(INSERT_MESSAGE, values)) === 0)
      throw new Fault('ALREADY_EXISTS', 'MESSAGE_EXISTS', `message exists: ${row.id}`, { metadata: { id: row.id } });
  }

  /** A missing row: nothing written. */
  async saveMessage(row: MessageRow) {
    this.#access.sql.later(SAVE_MESSAGE, messageValues(row));
  }

  async deleteMessages(sessionId: string, ids: readonly string[]) {
    this.#access.sql.later(DELETE_MESSAGES, [sessionId, ids]);
  }

  async insertTurn(row: TurnRow) {
    insertTurn(this.#access.sql, row);
  }

  async saveTurn(row: TurnRow, guard?: { readonly fence: number; readonly states: readonly TurnState[] }) {
    const saved = await saveTurn(this.#access.sql, row, { guard, known: this.#turns.get(row.id) });
    if (saved) this.#turns.set(row.id, row);
    return saved;
  }

  async readyTurns(limit: number) {
    const { turns, sessions } = await readyTurns(this.#access, limit);
    for (const session of sessions) if (!this.#held.has(session.id)) this.#held.set(session.id, session);
    for (const turn of turns) this.#turns.set(turn.id, turn);
    return turns;
  }

  async expiredClaims(now: number, limit: number) {
    return expiredClaims(this.#access.sql, now, limit);
  }

  async deadClaims(limit: number) {
    return deadClaims(this.#access, limit);
  }

  async dueParks(now: number, limit: number) {
    return dueParks(this.#access.sql, now, limit);
  }

  async claimedTurns(worker: string | undefined, limit: number) {
    return claimedTurns(this.#access.sql, worker, limit);
  }

  async startedTurns(namespace: string, after: string, limit: number) {
    return startedTurns(this.#access.sql, namespace, { after, limit });
  }

  async renewClaims(
    worker: string,
    claims: readonly { readonly turnId: string; readonly fence: number }[],
    expiresAt: number,
  ) {
    return renewClaims(this.#access.sql, worker, { claims, expiresAt });
  }

  async stuckSessions(limit: number) {
    return stuckSessions(this.#access, limit);
  }

  async appendJournal(rows: readonly JournalRow[]) {
    if (rows.length === 0) return;
    this.#access.sql.later(APPEND_JOURNAL, [
      rows.map((row) => row.turnId),
      rows.map((row) => row.index),
      rows.map((row) => row.kind),
      rows.map((row) => row.at),
      rows.map((row) => row.body),
    ]);
  }

  async trimJournal(beforeMicros: number, limit: number) {
    return this.#access.sql.run(TRIM_JOURNAL, [beforeMicros, limit]);
  }

  async insertSteer(row: SteerRow) {
    this.#access.sql.later(INSERT_STEER, [row.sessionId, row.messageId, row.turnId, row.bytes, row.body]);
  }

  async deleteSteers(sessionId: string, messageIds: readonly string[]) {
    this.#access.sql.later(DELETE_STEERS, [sessionId, messageIds]);
  }

  async insertPermission(row: PermissionRow) {
    const added = await this.#access.sql.run(INSERT_PERMISSION, permissionValues(row));
    if (added === 0) throw new Fault('ALREADY_EXISTS', 'PERMISSION_EXISTS', `permission request exists: ${row.id}`);
  }

  async savePermission(row: PermissionRow) {
    this.#access.sql.later(SAVE_PERMISSION, [row.id, row.open ? 1 : 0, row.expiresAt, row.body]);
  }

  async setNamespaceReady(namespace: string, ready: boolean) {
    await setNamespaceReady(this.#access.sql, namespace, ready);
  }
}
