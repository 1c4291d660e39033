import { Fault } from '../../../../base/index.ts';
import { artifactHolder, type SessionRow, sessionHolder } from '../../../contracts/index.ts';
import {
  LAST_ID,
  parseTextMap,
  SESSION_COLUMNS,
  type SessionSqlRow,
  sessionValues,
  textMapJson,
  toSession,
} from '../../../rows/index.ts';
import type { WriteAccess } from '../../access.ts';
import { statement, type WriteQueries } from '../../connection/index.ts';
import { DescribedWriteHandles } from '../described/index.ts';
import { dropHolders, dropHolderTree } from '../object-handle.ts';
import { OPEN } from './turn-sql.ts';

const LOCK = statement<SessionSqlRow>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = $1 FOR UPDATE`);
/** Refused when the id is taken. */
const ADD = statement(
  `INSERT INTO sessions (${SESSION_COLUMNS}) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)`,
);
const INSERT = statement(`${ADD.text} ON CONFLICT DO NOTHING`);
/** Namespace, agent and creation time of a session never change. Answers the labels that it had. */
const SAVE = statement<{ namespace: string; agent: string; labels: string }>(
  `UPDATE sessions s SET state = $2, fence = $3, epoch = $4, last_active = $5, open_turns = $6, active_turn_id = $7,
     admission = $8, last_message_id = $9, last_sequence = $10, labels = $11, body = $12
   FROM (SELECT id, namespace, agent, labels FROM sessions WHERE id = $1 FOR UPDATE) AS p WHERE s.id = p.id
   RETURNING p.namespace, p.agent, p.labels`,
);
/** Of a session whose labels stay as they are. */
const SAVE_UNLABELLED = statement(
  `UPDATE sessions SET state = $2, fence = $3, epoch = $4, last_active = $5, open_turns = $6, active_turn_id = $7,
     admission = $8, last_message_id = $9, last_sequence = $10, body = $11 WHERE id = $1`,
);
const DELETE = statement<{ namespace: string; agent: string; labels: string }>(
  'DELETE FROM sessions WHERE id = $1 RETURNING namespace, agent, labels',
);
const ADD_LABELS = statement(
  `INSERT INTO session_labels (namespace, agent, session_id, label, value)
   SELECT $1, $2, $3, l.label, l.value FROM unnest($4::text[], $5::text[]) AS l (label, value)`,
);
const DROP_LABELS = statement(
  `DELETE FROM session_labels t USING unnest($4::text[], $5::text[]) AS l (label, value)
   WHERE t.namespace = $1 AND t.agent = $2 AND t.label = l.label AND t.value = l.value AND t.session_id = $3`,
);
/** Everything of a session but its row, its references and its artifacts; journals and claims are found through turns. */
const CLEAR = [
  'DELETE FROM messages WHERE session_id = $1',
  'DELETE FROM journal j USING turns t WHERE t.session_id = $1 AND j.turn_id = t.id',
  `DELETE FROM claims c USING turns t WHERE t.session_id = $1 AND ${OPEN} AND c.worker = t.worker AND c.turn_id = t.id`,
  'DELETE FROM turns WHERE session_id = $1',
  'DELETE FROM steers WHERE session_id = $1',
  'DELETE FROM permissions WHERE session_id = $1',
].map((text) => statement(text));
const BUSY_WINDOW = statement<{ id: string }>(
  `SELECT id FROM sessions WHERE state <> 'IDLE' AND id > $1 ORDER BY id LIMIT 1 OFFSET $2`,
);
const STUCK = statement<SessionSqlRow>(
  `SELECT ${SESSION_COLUMNS} FROM sessions WHERE state <> 'IDLE' AND id > $1 AND id <= $2
   AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = sessions.id AND ${OPEN}) ORDER BY id LIMIT $3`,
);

/** Busy sessions checked in one search for stuck ones; the next search continues behind them. */
const STUCK_WINDOW = 1_000;

/** The session, held until the transaction ends. */
export const lockSession = async (sql: WriteQueries, id: string): Promise<SessionRow | undefined> => {
  const row = await sql.first(LOCK, [id]);
  return row === undefined ? undefined : toSession(row);
};

const changeLabels = (
  sql: WriteQueries,
  of: { readonly namespace: string; readonly agent: string; readonly id: string },
  labels: { readonly json: string; readonly add: boolean },
): void => {
  if (labels.json === '{}') return;
  const map = parseTextMap(labels.json);
  const values = [of.namespace, of.agent, of.id, Object.keys(map), Object.values(map)];
  sql.later(labels.add ? ADD_LABELS : DROP_LABELS, values);
};

/** Throws SESSION_EXISTS. */
export const insertSession = async (sql: WriteQueries, row: SessionRow): Promise<void> => {
  const json = textMapJson(row.labels);
  const values = sessionValues(row, json);
  if (!sql.assume(ADD, values) && (await sql.run(INSERT, values)) === 0)
    throw new Fault('ALREADY_EXISTS', 'SESSION_EXISTS', `session exists: ${row.id}`);
  changeLabels(sql, row, { json, add: true });
};

/** A missing row: nothing written. `held`: the row as it is, where the transaction holds it. */
export const saveSession = async (sql: WriteQueries, row: SessionRow, held?: SessionRow): Promise<void> => {
  const json = textMapJson(row.labels);
  const values = [
    row.id,
    row.state,
    row.fence,
    row.epoch,
    row.lastActive,
    row.openTurns,
    row.activeTurnId,
    row.admission,
    row.lastMessageId,
    row.lastSequence,
  ];
  if (held !== undefined && textMapJson(held.labels) === json) return sql.later(SAVE_UNLABELLED, [...values, row.body]);
  const previous = await sql.first(SAVE, [...values, json, row.body]);
  if (previous === undefined || previous.labels === json) return;
  const of = { ...previous, id: row.id };
  changeLabels(sql, of, { json: previous.labels, add: false });
  changeLabels(sql, of, { json, add: true });
};

/** Removes messages, turns, journal, steers, permissions, delegations, addresses of pushes, origins of messages and object references; the row stays. */
export const clearSession = async (access: WriteAccess, id: string): Promise<void> => {
  const { sql, steadyNow } = access;
  for (const each of CLEAR) sql.later(each, [id]);
  const { delegations, taskPushes, connectorContexts } = new DescribedWriteHandles(access);
  await delegations.removeAll('ofSession', { sessionId: id });
  await taskPushes.removeAll('ofSession', { sessionId: id });
  await connectorContexts.removeAll('ofHolder', { holder: sessionHolder(id) });
  await dropHolderTree(sql, sessionHolder(id), steadyNow);
};

/** As clearSession, with artifacts, labels and the row itself. */
export const deleteSession = async (access: WriteAccess, id: string): Promise<void> => {
  const { sql, steadyNow } = access;
  await clearSession(access, id);
  const { artifacts } = new DescribedWriteHandles(access);
  const gone = await artifacts.removeAll('ofSession', { sessionId: id });
  await dropHolders(
    sql,
    gone.map((artifact) => artifactHolder(artifact.id)),
    steadyNow,
  );
  const session = await sql.first(DELETE, [id]);
  if (session !== undefined) changeLabels(sql, { ...session, id }, { json: session.labels, add: false });
};

/** Checks a bounded window of busy sessions per call and goes round, so that a sweep costs the same at any load. */
export const stuckSessions = async ({ sql, rounds }: WriteAccess, limit: number): Promise<readonly SessionRow[]> => {
  const after = rounds.stuckAfter;
  const last = (await sql.first(BUSY_WINDOW, [after, STUCK_WINDOW - 1]))?.id ?? LAST_ID;
  const found = (await sql.rows(STUCK, [after, last, limit])).map(toSession);
  rounds.stuckAfter = last === LAST_ID ? '' : last;
  if (found.length === limit) rounds.stuckAfter = found.at(-1)?.id ?? '';
  return found;
};
