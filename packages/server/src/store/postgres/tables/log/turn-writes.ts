import type { ClaimNews, SessionRow, TurnRow, TurnState } from '../../../contracts/index.ts';
import {
  changedTurnValues,
  SESSION_COLUMNS,
  type SessionSqlRow,
  TURN_COLUMNS,
  TURN_WITH_CLAIM,
  type TurnSqlRow,
  toSession,
  toTurn,
  turnValues,
} from '../../../rows/index.ts';
import type { WriteAccess } from '../../access.ts';
import { type Queries, statement, type WriteQueries } from '../../connection/index.ts';
import { findDeadWorkers, forgetWorkers } from '../../presence/index.ts';
import { JOIN_CLAIMS, OPEN, turnsWhere } from './turn-sql.ts';

/** What a turn must be still when it is saved. */
interface TurnGuard {
  readonly fence: number;
  readonly states: readonly TurnState[];
}

const INSERT = statement(
  `INSERT INTO turns (${TURN_COLUMNS})
   VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16)`,
);
/** Session, namespace and creation time of a turn never change. The claim goes with its worker. Answers whether it was there. */
const SAVED = `WITH p AS (SELECT id, worker FROM turns WHERE id = $1 AND ($14::bigint IS NULL OR (fence = $14 AND state = ANY($15::text[])))
     FOR UPDATE),
   saved AS (UPDATE turns t SET agent = $2, admission = $3, state = $4, ready = $5, attempt = $6, fence = $7, worker = $8,
     stop_requested = $9, wake_at = $10, finished_at = $11, user_message_id = $12, body = $13
     FROM p WHERE t.id = p.id RETURNING p.worker AS was),
   dropped AS (DELETE FROM claims c USING saved WHERE saved.was <> '' AND saved.was <> $8 AND c.worker = saved.was
     AND c.turn_id = $1),
   held AS (INSERT INTO claims (worker, turn_id, fence, expires_at) SELECT $8, $1, $7, $16::bigint FROM saved WHERE $8 <> ''
     ON CONFLICT (worker, turn_id) DO UPDATE SET fence = excluded.fence, expires_at = excluded.expires_at)`;
const SAVE = statement<{ was: string }>(`${SAVED} SELECT was FROM saved`);
/** Fails (division by zero) when nothing was saved. */
const SURELY_SAVE = statement(`${SAVED} SELECT 1 / count(*)::integer FROM saved`);
const SET_CLAIM = statement(
  `INSERT INTO claims (worker, turn_id, fence, expires_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (worker, turn_id) DO UPDATE SET fence = excluded.fence, expires_at = excluded.expires_at`,
);
const UNREADY = statement('UPDATE turns SET ready = 0 WHERE namespace = $1 AND ready = 1');
/** Walks the open turns only: a namespace is revived rarely, and there is no index of turns by namespace. */
const MAKE_READY = statement(
  `UPDATE turns t SET ready = 1 WHERE ${OPEN} AND t.namespace = $1 AND t.state = 'QUEUED' AND t.ready = 0
   AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.session_id = t.session_id
     AND o.state IN ('QUEUED', 'RUNNING', 'WAITING') AND o.admission < t.admission)`,
);
const RENEW = statement<{ turn_id: string; fence: number; stop_requested: number; steer_count: number }>(
  `WITH asked AS (SELECT * FROM unnest($2::text[], $3::bigint[]) AS a (turn_id, fence)),
     renewed AS (UPDATE claims c SET expires_at = $4 FROM asked a
       WHERE c.worker = $1 AND c.turn_id = a.turn_id AND c.fence = a.fence RETURNING c.turn_id, c.fence)
   SELECT r.turn_id, r.fence, coalesce(t.stop_requested, 0) AS stop_requested,
     (SELECT count(*) FROM steers s WHERE s.turn_id = r.turn_id) AS steer_count
   FROM renewed r LEFT JOIN turns t ON t.id = r.turn_id`,
);
const DUE_PARKS = turnsWhere('WHERE t.wake_at > 0 AND t.wake_at <= $1 ORDER BY t.wake_at LIMIT $2');
const EXPIRED = turnsWhere(
  `JOIN (SELECT worker, turn_id, expires_at FROM claims WHERE expires_at < $1 ORDER BY expires_at LIMIT $2) e
     ON e.turn_id = t.id AND e.worker = t.worker ORDER BY e.expires_at`,
);
const CLAIMED_BY = turnsWhere('WHERE c.worker = $1 ORDER BY c.turn_id LIMIT $2');
const CLAIMED_BY_ANY = turnsWhere('WHERE c.worker = ANY($1::text[]) ORDER BY c.worker, c.turn_id LIMIT $2');
const CLAIMED = turnsWhere('WHERE c.worker IS NOT NULL ORDER BY c.worker, c.turn_id LIMIT $1');
/** Walks claims and parked turns only: a namespace is deleted rarely, and there is no index of turns by namespace. */
const STARTED = turnsWhere(
  `JOIN (SELECT turn_id AS id FROM claims UNION SELECT id FROM turns WHERE wake_at > 0) s ON s.id = t.id
   WHERE t.namespace = $1 AND t.id > $2 ORDER BY t.id LIMIT $3`,
);
/** Namespaces with ready turns between two, leaping from one to the next in the index; `place` counts from `first`. */
const leap = (name: string, range: string, first: number): string =>
  `${name} AS (
     (SELECT t.namespace, ${first}::bigint AS place FROM turns t WHERE t.ready = 1 AND ${range} ORDER BY t.namespace LIMIT 1)
     UNION ALL
     SELECT (SELECT t.namespace FROM turns t WHERE t.ready = 1 AND t.namespace > n.namespace AND ${range}
         ORDER BY t.namespace LIMIT 1), n.place + 1
       FROM ${name} n WHERE n.namespace IS NOT NULL AND n.place < ${first} + $2::bigint)`;
/** At most $2 ready turns, oldest first within a namespace, one of each namespace in turn from behind namespace $1. */
const CANDIDATES = statement<{ id: string; session_id: string }>(
  `WITH RECURSIVE ${leap('behind', 't.namespace > $1', 0)}, ${leap('around', 't.namespace <= $1', 1_000_000)},
   served AS (SELECT namespace, place FROM (SELECT * FROM behind UNION ALL SELECT * FROM around) n
     WHERE namespace IS NOT NULL ORDER BY place LIMIT $2)
   SELECT t.id, t.session_id FROM served n
   CROSS JOIN LATERAL (SELECT id, session_id, row_number() OVER (ORDER BY created_at, id) AS line FROM turns
     WHERE ready = 1 AND namespace = n.namespace ORDER BY created_at, id LIMIT $2) t ORDER BY t.line, n.place LIMIT $2`,
);
const SESSION_FIELDS = SESSION_COLUMNS.split(',').map((column) => column.trim()) as (keyof SessionSqlRow)[];
/**
 * Each session, then its turn; those that somebody else works on are left out and taken the next time. What another transaction
 * changed meanwhile is judged as it is now.
 */
const HOLD_READY = statement<TurnSqlRow & Readonly<Record<`s_${keyof SessionSqlRow}`, never>>>(
  `SELECT h.*, ${SESSION_FIELDS.map((field) => `s.${field} AS s_${field}`).join(', ')}
   FROM unnest($1::text[], $2::text[]) AS k (id, session_id)
   CROSS JOIN LATERAL (SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = k.session_id FOR UPDATE SKIP LOCKED) s
   CROSS JOIN LATERAL (SELECT ${TURN_WITH_CLAIM} FROM turns t ${JOIN_CLAIMS} WHERE t.id = k.id AND t.session_id = s.id
     AND t.ready = 1 FOR UPDATE OF t SKIP LOCKED) h`,
);
/** A turn whose session is gone has no one to wait for. */
const HOLD_ORPHANS = turnsWhere(
  `WHERE t.id = ANY($1::text[]) AND t.ready = 1 AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = t.session_id)
   FOR UPDATE OF t SKIP LOCKED`,
);

/** Sent with the next statements of the transaction. */
export const insertTurn = (sql: WriteQueries, row: TurnRow): void => {
  sql.later(INSERT, turnValues(row));
  if (row.worker !== '') sql.later(SET_CLAIM, [row.worker, row.id, row.fence, row.claimExpiresAt]);
};

/** False = the row is gone or the guard does not hold; nothing was written. `known`: the row as it was read. */
export const saveTurn = async (
  sql: WriteQueries,
  row: TurnRow,
  { guard, known }: { readonly guard: TurnGuard | undefined; readonly known: TurnRow | undefined },
): Promise<boolean> => {
  const values = [row.id, ...changedTurnValues(row), guard?.fence ?? null, guard?.states ?? [], row.claimExpiresAt];
  if (isExpected(guard, known) && sql.assume(SURELY_SAVE, values)) return true;
  return (await sql.first(SAVE, values)) !== undefined;
};

/** True when the row was read and the guard held then: a writer of a turn holds its session. */
const isExpected = (guard: TurnGuard | undefined, known: TurnRow | undefined): boolean =>
  known !== undefined && (guard === undefined || (guard.fence === known.fence && guard.states.includes(known.state)));

/** Keeps the turns of a namespace back while it is a tombstone, or lets the first of each session be claimed again. */
export const setNamespaceReady = async (sql: Queries, namespace: string, isReady: boolean): Promise<void> => {
  await sql.run(isReady ? MAKE_READY : UNREADY, [namespace]);
};

/** Parked turns whose time has come. */
export const dueParks = async (sql: Queries, now: number, limit: number): Promise<readonly TurnRow[]> =>
  (await sql.rows(DUE_PARKS, [now, limit])).map(toTurn);

/** Turns whose claim has run out, by the clock of the store. */
export const expiredClaims = async (sql: Queries, now: number, limit: number): Promise<readonly TurnRow[]> =>
  (await sql.rows(EXPIRED, [now, limit])).map(toTurn);

/** Turns that dead workers still hold; what is known of workers that hold none is dropped. */
export const deadClaims = async ({ sql, judge }: WriteAccess, limit: number): Promise<readonly TurnRow[]> => {
  const dead = await findDeadWorkers(sql, judge);
  if (dead.length === 0) return [];
  const turns = (await sql.rows(CLAIMED_BY_ANY, [dead, limit])).map(toTurn);
  const holders = new Set(turns.map((turn) => turn.worker));
  const idle = dead.filter((worker) => !holders.has(worker));
  if (idle.length > 0 && turns.length < limit) forgetWorkers(sql, idle);
  return turns;
};

/** Turns with a claim, of one worker or of all. */
export const claimedTurns = async (
  sql: Queries,
  worker: string | undefined,
  limit: number,
): Promise<readonly TurnRow[]> => {
  const rows = worker === undefined ? await sql.rows(CLAIMED, [limit]) : await sql.rows(CLAIMED_BY, [worker, limit]);
  return rows.map(toTurn);
};

/** Claimed and parked turns of a namespace by id. */
export const startedTurns = async (
  sql: Queries,
  namespace: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly TurnRow[]> => (await sql.rows(STARTED, [namespace, after, limit])).map(toTurn);

/** Renews all claims of a worker that it still holds. */
export const renewClaims = async (
  sql: Queries,
  worker: string,
  renewal: {
    readonly claims: readonly { readonly turnId: string; readonly fence: number }[];
    readonly expiresAt: number;
  },
): Promise<readonly ClaimNews[]> => {
  const { claims, expiresAt } = renewal;
  const columns = [claims.map((claim) => claim.turnId), claims.map((claim) => claim.fence)];
  const renewed = await sql.rows(RENEW, [worker, ...columns, expiresAt]);
  const held = new Map(renewed.map((row) => [row.turn_id, row]));
  return claims.map(({ turnId, fence }) => {
    const row = held.get(turnId);
    if (row?.fence !== fence) return { turnId, held: false, stopRequested: false, steerCount: 0 };
    return { turnId, held: true, stopRequested: row.stop_requested === 1, steerCount: row.steer_count };
  });
};

/**
 * Ready turns: oldest first within a namespace, one of each namespace in turn. Their sessions and their rows are
 * held: turns that another claimer or a writer of the session holds are left out.
 */
export const readyTurns = async (
  access: WriteAccess,
  limit: number,
): Promise<{ readonly turns: readonly TurnRow[]; readonly sessions: readonly SessionRow[] }> => {
  const { sql, rounds } = access;
  const chosen = await sql.rows(CANDIDATES, [rounds.lastServed, limit]);
  if (chosen.length === 0) return { turns: [], sessions: [] };
  const ids = chosen.map((turn) => turn.id);
  const held = await sql.rows(HOLD_READY, [ids, chosen.map((turn) => turn.session_id)]);
  const orphans = held.length < ids.length ? await sql.rows(HOLD_ORPHANS, [ids]) : [];
  const found = new Map([...held, ...orphans].map((row) => [row.id, toTurn(row)]));
  const turns = ids.flatMap((id) => found.get(id) ?? []);
  rounds.lastServed = turns.at(-1)?.namespace ?? rounds.lastServed;
  return { turns, sessions: held.map(sessionOf) };
};

/** The session of a held turn. */
const sessionOf = (row: Readonly<Record<`s_${keyof SessionSqlRow}`, never>>): SessionRow =>
  toSession(Object.fromEntries(SESSION_FIELDS.map((field) => [field, row[`s_${field}`]])) as unknown as SessionSqlRow);
