import { Fault } from '../../../../base/index.ts';
import type { LabelRequirement, SessionPage, SessionRow, SessionStanding } from '../../../contracts/index.ts';
import {
  drivingLabel,
  LAST_ID,
  parseTextMap,
  SESSION_COLUMNS,
  type SessionSqlRow,
  type StandingSqlRow,
  sessionValues,
  textMapJson,
  toSession,
  toStanding,
} from '../../../rows/index.ts';
import { ComposedStatements, type Connection, LIMIT, type SqlValue, type Statement } from '../../connection.ts';
import type { RecordCache } from '../../records/index.ts';
import { labelCondition } from '../resource-list.ts';

const GET = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?`;
const STANDINGS = `SELECT s.id, s.state, s.fence, s.last_sequence, s.open_turns, s.active_turn_id,
    coalesce((SELECT max(j.position) + 1 FROM journal j WHERE j.turn_id = s.active_turn_id), 0) AS recorded
  FROM sessions s WHERE s.id IN (SELECT value FROM json_each(?))`;
const INSERT = `INSERT INTO sessions (${SESSION_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`;
const PREVIOUS = 'SELECT last_active, state, labels FROM sessions WHERE id = ?';
const SET = `fence = ?, epoch = ?, open_turns = ?, active_turn_id = ?, admission = ?, last_message_id = ?, last_sequence = ?,
  labels = ?, body = ?`;
/** Three forms, because naming an indexed column in SET rewrites its index entry even when the value stays. */
const UPDATE = `UPDATE sessions SET ${SET} WHERE id = ?`;
const UPDATE_STATE = `UPDATE sessions SET ${SET}, state = ? WHERE id = ?`;
const UPDATE_ALL = `UPDATE sessions SET ${SET}, state = ?, last_active = ? WHERE id = ?`;
const DELETE = 'DELETE FROM sessions WHERE id = ?';
const ADD_LABEL = 'INSERT INTO session_labels (namespace, agent, label, value, session_id) VALUES (?,?,?,?,?)';
const DROP_LABEL = `DELETE FROM session_labels WHERE namespace = ? AND agent = ? AND label = ? AND value = ?
  AND session_id = ?`;
const COUNT_LABEL = `SELECT count(*) AS found FROM (SELECT 1 FROM session_labels WHERE namespace = ? AND agent = ?
  AND label = ? AND value = ? ${LIMIT})`;
const BUSY_WINDOW = `SELECT id FROM sessions WHERE state <> 'IDLE' AND id > ? ORDER BY id LIMIT 1 OFFSET ?`;
const STUCK = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE state <> 'IDLE' AND id > ? AND id <= ?
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = sessions.id AND t.state IN ('QUEUED', 'RUNNING', 'WAITING'))
  ORDER BY id ${LIMIT}`;

/** Up to this many sessions with the wanted label are sorted; more, and the list is walked in its own order. */
const SORTED_MATCHES = 1_000;
/** Busy sessions checked in one search for stuck ones; the next search continues behind them. */
const STUCK_WINDOW = 1_000;

/** What a save has to know of the row it changes. */
interface PreviousRow {
  readonly last_active: number;
  readonly state: string;
  readonly labels: string;
}

/** Session rows; labels are kept a second time in `session_labels`, only for sessions that have any. */
export class SessionTable {
  readonly #get: Statement<SessionSqlRow>;
  readonly #standings: Statement<StandingSqlRow>;
  readonly #insert: Statement;
  readonly #previous: Statement<PreviousRow>;
  readonly #update: Statement;
  readonly #updateState: Statement;
  readonly #updateAll: Statement;
  readonly #delete: Statement;
  readonly #addLabel: Statement;
  readonly #dropLabel: Statement;
  readonly #countLabel: Statement<{ found: number }>;
  readonly #busyWindow: Statement<{ id: string }>;
  readonly #stuck: Statement<SessionSqlRow>;
  readonly #pages: ComposedStatements<SessionSqlRow>;
  readonly #cache: RecordCache['sessions'] | undefined;
  readonly #isWriter: boolean;
  #stuckAfter = '';

  /** `cache` only where the connection sees exactly what is committed, or (`isWriter`) the group that is being written. */
  constructor(connection: Connection, cache?: RecordCache, isWriter = false) {
    this.#cache = cache?.sessions;
    this.#isWriter = isWriter;
    this.#pages = new ComposedStatements(connection);
    this.#get = connection.statement(GET);
    this.#standings = connection.statement(STANDINGS);
    this.#insert = connection.statement(INSERT);
    this.#previous = connection.statement(PREVIOUS);
    this.#update = connection.statement(UPDATE);
    this.#updateState = connection.statement(UPDATE_STATE);
    this.#updateAll = connection.statement(UPDATE_ALL);
    this.#delete = connection.statement(DELETE);
    this.#addLabel = connection.statement(ADD_LABEL);
    this.#dropLabel = connection.statement(DROP_LABEL);
    this.#countLabel = connection.statement(COUNT_LABEL);
    this.#busyWindow = connection.statement(BUSY_WINDOW);
    this.#stuck = connection.statement(STUCK);
  }

  get(id: string): SessionRow | undefined {
    const known = this.#isWriter ? this.#cache?.newest(id) : this.#cache?.committed(id);
    if (known !== undefined) return known;
    const row = this.#get.get(id);
    if (row === undefined) return undefined;
    const session = toSession(row);
    this.#cache?.offer(id, session);
    return session;
  }

  standings(ids: readonly string[]): SessionStanding[] {
    return this.#standings.all(JSON.stringify(ids)).map(toStanding);
  }

  insert(row: SessionRow): void {
    const labels = textMapJson(row.labels);
    const added = this.#insert.run(...sessionValues(row, labels));
    if (added === 0) throw new Fault('ALREADY_EXISTS', 'SESSION_EXISTS', `session exists: ${row.id}`);
    this.#cache?.wrote(row.id, row);
    if (labels !== '{}') this.#addLabels(row);
  }

  /** Namespace, agent and creation time of a session never change and are not written. A missing row: nothing written. */
  save(row: SessionRow): void {
    const previous = this.#previousOf(row.id);
    if (previous === undefined) return;
    const labels = textMapJson(row.labels);
    const values: SqlValue[] = [
      row.fence,
      row.epoch,
      row.openTurns,
      row.activeTurnId,
      row.admission,
      row.lastMessageId,
      row.lastSequence,
      labels,
      row.body,
    ];
    if (previous.last_active !== row.lastActive) this.#updateAll.run(...values, row.state, row.lastActive, row.id);
    else if (previous.state !== row.state) this.#updateState.run(...values, row.state, row.id);
    else this.#update.run(...values, row.id);
    this.#cache?.wrote(row.id, row);
    if (labels === previous.labels) return;
    this.#dropLabels(row, previous.labels);
    this.#addLabels(row);
  }

  delete(id: string): void {
    const session = this.#get.get(id);
    if (session === undefined) return;
    this.#cache?.wrote(id, undefined);
    this.#dropLabels(session, session.labels);
    this.#delete.run(id);
  }

  /** Newest activity first. */
  page(page: SessionPage): SessionRow[] {
    const conditions = ['s.namespace = ?', 's.agent = ?'];
    const values: SqlValue[] = [page.namespace, page.agent];
    if (page.before !== undefined) {
      conditions.push('(s.last_active, s.id) < (?, ?)');
      values.push(page.before.lastActive, page.before.id);
    }
    const requirements = page.labels ?? [];
    for (const requirement of requirements) {
      const condition = labelCondition(requirement, 's.labels');
      conditions.push(condition.sql);
      values.push(...condition.values);
    }
    const driver = this.#selectiveLabel(page, requirements);
    if (driver !== undefined) {
      conditions.push(`s.id IN (SELECT session_id FROM session_labels WHERE namespace = ? AND agent = ?
        AND label = ? AND value = ?)`);
      values.push(page.namespace, page.agent, driver.key, driver.value);
    }
    const index = driver === undefined ? 'INDEXED BY sessions_activity' : '';
    const sql = `SELECT ${SESSION_COLUMNS} FROM sessions s ${index} WHERE ${conditions.join(' AND ')}
      ORDER BY s.last_active DESC, s.id DESC ${LIMIT}`;
    return this.#pages
      .of(sql)
      .all(...values, page.limit)
      .map(toSession);
  }

  /** Checks a bounded window of busy sessions per call and goes round, so that a sweep costs the same at any load. */
  stuck(limit: number): SessionRow[] {
    const after = this.#stuckAfter;
    const last = this.#busyWindow.get(after, STUCK_WINDOW - 1)?.id ?? LAST_ID;
    const found = this.#stuck.all(after, last, limit).map(toSession);
    this.#stuckAfter = last === LAST_ID ? '' : last;
    if (found.length === limit) this.#stuckAfter = found.at(-1)?.id ?? '';
    return found;
  }

  /** Most saves follow a read in the same transaction: then the row is known. */
  #previousOf(id: string): PreviousRow | undefined {
    const known = this.#isWriter ? this.#cache?.newest(id) : undefined;
    if (known === undefined) return this.#previous.get(id);
    return { last_active: known.lastActive, state: known.state, labels: textMapJson(known.labels) };
  }

  #selectiveLabel(
    page: SessionPage,
    requirements: readonly LabelRequirement[],
  ): { readonly key: string; readonly value: string } | undefined {
    const driver = drivingLabel(requirements);
    if (driver === undefined) return undefined;
    const matches = this.#countLabel.get(page.namespace, page.agent, driver.key, driver.value, SORTED_MATCHES + 1);
    return (matches?.found ?? 0) > SORTED_MATCHES ? undefined : driver;
  }

  #addLabels(row: SessionRow): void {
    for (const [label, value] of Object.entries(row.labels))
      this.#addLabel.run(row.namespace, row.agent, label, value, row.id);
  }

  #dropLabels(row: { readonly namespace: string; readonly agent: string; readonly id: string }, json: string): void {
    for (const [label, value] of Object.entries(parseTextMap(json)))
      this.#dropLabel.run(row.namespace, row.agent, label, value, row.id);
  }
}
