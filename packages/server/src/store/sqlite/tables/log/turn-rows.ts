import { TURN_WITH_CLAIM } from '../../../rows/index.ts';

/** Every query that answers turns begins with it. */
export const SELECT_TURNS = `SELECT ${TURN_WITH_CLAIM}`;
/** Turns with their claims, as `toTurn` reads them. */
export const FROM_TURNS = 'FROM turns t LEFT JOIN claims c ON c.worker = t.worker AND c.turn_id = t.id';

/** The predicate of the partial index `turns_open`; a query must repeat it to use the index. */
export const OPEN = `t.state IN ('QUEUED', 'RUNNING', 'WAITING')`;
