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
