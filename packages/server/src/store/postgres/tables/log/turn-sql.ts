import { TURN_WITH_CLAIM, type TurnSqlRow } from '../../../rows/index.ts';
import { type Statement, statement } from '../../connection/index.ts';

/** The claim of a turn `t`, where it has one. */
export const JOIN_CLAIMS = 'LEFT JOIN claims c ON c.worker = t.worker AND c.turn_id = t.id';

/** The predicate of the partial index `turns_open`; a query must repeat it to use the index. */
export const OPEN = `t.state IN ('QUEUED', 'RUNNING', 'WAITING')`;

/** A statement that answers turns; `rest` begins behind the FROM clause, where turns are `t` and their claims `c`. */
export const turnsWhere = (rest: string): Statement<TurnSqlRow> =>
  statement<TurnSqlRow>(`SELECT ${TURN_WITH_CLAIM} FROM turns t ${JOIN_CLAIMS} ${rest}`);
