import type { AdmissionMark, NewTurns, TurnRow, TurnState } from '../../../contracts/index.ts';
import {
  changedTurnValues,
  firstMark,
  LAST_ID,
  type NewTurnRow,
  newTurnsOf,
  TURN_COLUMNS,
  type TurnSqlRow,
  toTurn,
  turnValues,
} from '../../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../../connection.ts';
import { FROM_TURNS, OPEN, SELECT_TURNS } from './turn-rows.ts';

const GET = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.id = ?`;
const OPEN_TURNS = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.session_id = ? AND ${OPEN} ORDER BY t.admission, t.id`;
const NEWEST = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.session_id = ? AND t.id < ? ORDER BY t.id DESC ${LIMIT}`;
const NEWEST_IN_STATE = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.session_id = ? AND t.id < ? AND t.state = ?
  ORDER BY t.id DESC ${LIMIT}`;
const FROM_FENCE = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.session_id = ? AND t.fence >= ? AND t.fence > 0
  ORDER BY t.fence ${LIMIT}`;
const NEWEST_ROW = 'SELECT coalesce(max(row), 0) AS row FROM turns';
const NEW_TURNS = `SELECT row, namespace, agent, session_id FROM turns WHERE row > ?
  UNION ALL SELECT row, namespace, agent, session_id FROM turns WHERE row IN (SELECT value FROM json_each(?))
  ORDER BY row ${LIMIT}`;
const DUE_PARKS = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.wake_at > 0 AND t.wake_at <= ? ORDER BY t.wake_at ${LIMIT}`;

const INSERT = `INSERT INTO turns (${TURN_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`;
const PREVIOUS = 'SELECT row, state, fence, worker FROM turns WHERE id = ?';
/** Session, namespace and creation time of a turn never change. */
const UPDATE = `UPDATE turns SET agent = ?, admission = ?, state = ?, ready = ?, attempt = ?, fence = ?, worker = ?,
  stop_requested = ?, wake_at = ?, finished_at = ?, user_message_id = ?, body = ? WHERE row = ?`;
const SET_CLAIM = `INSERT INTO claims (worker, turn_id, fence, expires_at) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET fence = excluded.fence, expires_at = excluded.expires_at`;
const DROP_CLAIM = 'DELETE FROM claims WHERE worker = ? AND turn_id = ?';
const DROP_CLAIMS_OF_SESSION = `DELETE FROM claims WHERE (worker, turn_id) IN
  (SELECT t.worker, t.id FROM turns t WHERE t.session_id = ? AND ${OPEN} AND t.worker <> '')`;
const DELETE_OF_SESSION = 'DELETE FROM turns WHERE session_id = ?';
const UNREADY = 'UPDATE turns SET ready = 0 WHERE namespace = ? AND ready = 1';
/** Walks the open turns only: a namespace is revived rarely, and there is no index of turns by namespace. */
const MAKE_READY = `UPDATE turns SET ready = 1 WHERE row IN (
  SELECT t.row FROM turns t INDEXED BY turns_open WHERE ${OPEN} AND t.namespace = ? AND t.state = 'QUEUED' AND t.ready = 0
  AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.session_id = t.session_id
    AND o.state IN ('QUEUED', 'RUNNING', 'WAITING') AND o.admission < t.admission))`;

/** Turn rows and, next to them, who holds which claim until when. */
export class TurnTable {
  readonly #get: Statement<TurnSqlRow>;
  readonly #openTurns: Statement<TurnSqlRow>;
  readonly #newest: Statement<TurnSqlRow>;
  readonly #newestInState: Statement<TurnSqlRow>;
  readonly #fromFence: Statement<TurnSqlRow>;
  readonly #newestRow: Statement<{ row: number }>;
  readonly #newTurns: Statement<NewTurnRow>;
  readonly #dueParks: Statement<TurnSqlRow>;
  readonly #insert: Statement;
  readonly #previous: Statement<{ row: number; state: TurnState; fence: number; worker: string }>;
  readonly #update: Statement;
  readonly #setClaim: Statement;
  readonly #dropClaim: Statement;
  readonly #dropClaimsOfSession: Statement;
  readonly #deleteOfSession: Statement;
  readonly #unready: Statement;
  readonly #makeReady: Statement;

  constructor(connection: Connection) {
    this.#get = connection.statement(GET);
    this.#openTurns = connection.statement(OPEN_TURNS);
    this.#newest = connection.statement(NEWEST);
    this.#newestInState = connection.statement(NEWEST_IN_STATE);
    this.#fromFence = connection.statement(FROM_FENCE);
    this.#newestRow = connection.statement(NEWEST_ROW);
    this.#newTurns = connection.statement(NEW_TURNS);
    this.#dueParks = connection.statement(DUE_PARKS);
    this.#insert = connection.statement(INSERT);
    this.#previous = connection.statement(PREVIOUS);
    this.#update = connection.statement(UPDATE);
    this.#setClaim = connection.statement(SET_CLAIM);
    this.#dropClaim = connection.statement(DROP_CLAIM);
    this.#dropClaimsOfSession = connection.statement(DROP_CLAIMS_OF_SESSION);
    this.#deleteOfSession = connection.statement(DELETE_OF_SESSION);
    this.#unready = connection.statement(UNREADY);
    this.#makeReady = connection.statement(MAKE_READY);
  }

  get(id: string): TurnRow | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toTurn(row);
  }

  open(sessionId: string): TurnRow[] {
    return this.#openTurns.all(sessionId).map(toTurn);
  }

  newest(
    sessionId: string,
    options: { readonly before?: string; readonly state?: TurnState; readonly limit: number },
  ): TurnRow[] {
    const before = options.before ?? LAST_ID;
    const rows =
      options.state === undefined
        ? this.#newest.all(sessionId, before, options.limit)
        : this.#newestInState.all(sessionId, before, options.state, options.limit);
    return rows.map(toTurn);
  }

  fromFence(sessionId: string, fence: number, limit: number): TurnRow[] {
    return this.#fromFence.all(sessionId, fence, limit).map(toTurn);
  }

  since(mark: AdmissionMark | undefined, limit: number): NewTurns {
    const known = mark ?? firstMark(this.#newestRow.get()?.row ?? 0);
    const missing = JSON.stringify(known.missing.map(({ row }) => row));
    return newTurnsOf(known, this.#newTurns.all(known.row, missing, limit));
  }

  dueParks(now: number, limit: number): TurnRow[] {
    return this.#dueParks.all(now, limit).map(toTurn);
  }

  insert(row: TurnRow): void {
    this.#insert.run(...turnValues(row));
    if (row.worker !== '') this.#setClaim.run(row.worker, row.id, row.fence, row.claimExpiresAt);
  }

  /** False = the row is gone or the guard does not hold; nothing was written. */
  save(row: TurnRow, guard?: { readonly fence: number; readonly states: readonly TurnState[] }): boolean {
    const previous = this.#previous.get(row.id);
    if (previous === undefined) return false;
    if (guard !== undefined && (previous.fence !== guard.fence || !guard.states.includes(previous.state))) return false;
    this.#update.run(...changedTurnValues(row), previous.row);
    if (previous.worker !== '' && previous.worker !== row.worker) this.#dropClaim.run(previous.worker, row.id);
    if (row.worker !== '') this.#setClaim.run(row.worker, row.id, row.fence, row.claimExpiresAt);
    return true;
  }

  deleteOfSession(sessionId: string): void {
    this.#dropClaimsOfSession.run(sessionId);
    this.#deleteOfSession.run(sessionId);
  }

  setNamespaceReady(namespace: string, isReady: boolean): void {
    if (isReady) this.#makeReady.run(namespace);
    else this.#unready.run(namespace);
  }
}
