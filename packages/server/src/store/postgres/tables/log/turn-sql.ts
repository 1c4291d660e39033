import type { TurnSqlRow } from '../../../rows/index.ts';
import { type Statement, statement } from '../../connection/index.ts';

/** A turn with its claim; the expiry of a claim is joined in from `claims`. */
export const TURN_COLUMNS = `t.id, t.session_id, t.namespace, t.agent, t.admission, t.state, t.ready, t.attempt,
  t.fence, t.worker, t.stop_requested, t.wake_at, t.created_at, t.finished_at, t.user_message_id, t.body,
  coalesce(c.expires_at, 0) AS claim_expires_at`;
/** The claim of a turn `t`, where it has one. */
export const JOIN_CLAIMS = 'LEFT JOIN claims c ON c.worker = t.worker AND c.turn_id = t.id';

/** The predicate of the partial index `turns_open`; a query must repeat it to use the index. */
export const OPEN = `t.state IN ('QUEUED', 'RUNNING', 'WAITING')`;

/** A statement that answers turns; `rest` begins behind the FROM clause, where turns are `t` and their claims `c`. */
export const turnsWhere = (rest: string): Statement<TurnSqlRow> =>
  statement<TurnSqlRow>(`SELECT ${TURN_COLUMNS} FROM turns t ${JOIN_CLAIMS} ${rest}`);
