/** Columns of the table itself; the expiry of a claim is joined in from `claims`. */
export const TURN_COLUMNS = `id, session_id, namespace, agent, admission, state, ready, attempt, fence, worker,
  stop_requested, wake_at, created_at, finished_at, user_message_id, body`;

/** A turn with its claim; every query that answers turns begins with it. */
export const SELECT_TURNS = `SELECT t.id, t.session_id, t.namespace, t.agent, t.admission, t.state, t.ready, t.attempt,
  t.fence, t.worker, t.stop_requested, t.wake_at, t.created_at, t.finished_at, t.user_message_id, t.body,
  coalesce(c.expires_at, 0) AS claim_expires_at`;
/** Turns with their claims, as `toTurn` reads them. */
export const FROM_TURNS = 'FROM turns t LEFT JOIN claims c ON c.worker = t.worker AND c.turn_id = t.id';

/** The predicate of the partial index `turns_open`; a query must repeat it to use the index. */
export const OPEN = `t.state IN ('QUEUED', 'RUNNING', 'WAITING')`;
