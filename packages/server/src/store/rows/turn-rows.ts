import { withoutHalfCharacters } from '../../base/index.ts';
import type { TurnRow, TurnState } from '../contracts/index.ts';

export interface TurnSqlRow {
  readonly id: string;
  readonly session_id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly admission: number;
  readonly state: string;
  readonly ready: number;
  readonly attempt: number;
  readonly fence: number;
  readonly worker: string;
  readonly claim_expires_at: number;
  readonly stop_requested: number;
  readonly wake_at: number;
  readonly created_at: number;
  readonly finished_at: number;
  readonly user_message_id: string;
  readonly body: string;
}

/** Columns of a turn; who holds its claim is in another table. */
export const TURN_COLUMNS = `id, session_id, namespace, agent, admission, state, ready, attempt, fence, worker,
  stop_requested, wake_at, created_at, finished_at, user_message_id, body`;

/** A turn `t` with its claim `c`, as `toTurn` reads it; both engines join the two alike. */
export const TURN_WITH_CLAIM = `${TURN_COLUMNS.split(',')
  .map((column) => `t.${column.trim()}`)
  .join(', ')}, coalesce(c.expires_at, 0) AS claim_expires_at`;

/** What a new turn has in each of these columns. */
export const turnValues = (row: TurnRow): readonly (string | number)[] => [
  row.id,
  row.sessionId,
  row.namespace,
  row.agent,
  row.admission,
  row.state,
  row.ready ? 1 : 0,
  row.attempt,
  row.fence,
  row.worker,
  row.stopRequested ? 1 : 0,
  row.wakeAt,
  row.createdAt,
  row.finishedAt,
  row.userMessageId,
  row.body,
];

/** What a change of a turn may write, in the order of the columns: all but its id, session, namespace and time of creation. */
export const changedTurnValues = (row: TurnRow): readonly (string | number)[] => [
  row.agent,
  row.admission,
  row.state,
  row.ready ? 1 : 0,
  row.attempt,
  row.fence,
  row.worker,
  row.stopRequested ? 1 : 0,
  row.wakeAt,
  row.finishedAt,
  row.userMessageId,
  row.body,
];

/** The turn that a row stores, with its claim. */
export const toTurn = (row: TurnSqlRow): TurnRow => ({
  id: row.id,
  sessionId: row.session_id,
  namespace: row.namespace,
  agent: row.agent,
  admission: row.admission,
  state: row.state as TurnState,
  ready: row.ready === 1,
  attempt: row.attempt,
  fence: row.fence,
  worker: row.worker,
  claimExpiresAt: row.claim_expires_at,
  stopRequested: row.stop_requested === 1,
  wakeAt: row.wake_at,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  userMessageId: row.user_message_id,
  body: withoutHalfCharacters(row.body),
});
