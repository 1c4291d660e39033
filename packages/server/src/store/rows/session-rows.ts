import { withoutHalfCharacters } from '../../base/index.ts';
import type { SessionRow, SessionStanding, SessionState } from '../contracts/index.ts';
import { parseTextMap } from './row-json.ts';

/** Columns of a session. */
export const SESSION_COLUMNS = `id, namespace, agent, state, fence, epoch, created_at, last_active, open_turns, active_turn_id,
  admission, last_message_id, last_sequence, labels, body`;

/** What a new session has in each of these columns; `labels` as JSON. */
export const sessionValues = (row: SessionRow, labels: string): readonly (string | number)[] => [
  row.id,
  row.namespace,
  row.agent,
  row.state,
  row.fence,
  row.epoch,
  row.createdAt,
  row.lastActive,
  row.openTurns,
  row.activeTurnId,
  row.admission,
  row.lastMessageId,
  row.lastSequence,
  labels,
  row.body,
];

export interface SessionSqlRow {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly state: string;
  readonly fence: number;
  readonly epoch: number;
  readonly created_at: number;
  readonly last_active: number;
  readonly open_turns: number;
  readonly active_turn_id: string;
  readonly admission: number;
  readonly last_message_id: string;
  readonly last_sequence: number;
  readonly labels: string;
  readonly body: string;
}

/** The session that a row stores. */
export const toSession = (row: SessionSqlRow): SessionRow => ({
  id: row.id,
  namespace: row.namespace,
  agent: row.agent,
  state: row.state as SessionState,
  fence: row.fence,
  epoch: row.epoch,
  createdAt: row.created_at,
  lastActive: row.last_active,
  openTurns: row.open_turns,
  activeTurnId: row.active_turn_id,
  admission: row.admission,
  lastMessageId: row.last_message_id,
  lastSequence: row.last_sequence,
  labels: parseTextMap(row.labels),
  body: withoutHalfCharacters(row.body),
});

export interface StandingSqlRow {
  readonly id: string;
  readonly state: string;
  readonly fence: number;
  readonly last_sequence: number;
  readonly open_turns: number;
  readonly active_turn_id: string;
  readonly recorded: number;
}

/** How far the session of a row has come. */
export const toStanding = (row: StandingSqlRow): SessionStanding => ({
  id: row.id,
  state: row.state as SessionState,
  fence: row.fence,
  lastSequence: row.last_sequence,
  openTurns: row.open_turns,
  activeTurnId: row.active_turn_id,
  recorded: row.recorded,
});
