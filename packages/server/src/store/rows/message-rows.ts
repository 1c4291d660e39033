import { withoutHalfCharacters } from '../../base/index.ts';
import type { MessageRow } from '../contracts/index.ts';
import { parseTextMap, textMapJson } from './row-json.ts';

/** Columns of a message. */
export const MESSAGE_COLUMNS = 'session_id, id, role, created_at, turn_id, revision, labels, parts';

/** What a message has in each of these columns. */
export const messageValues = (row: MessageRow): readonly (string | number)[] => [
  row.sessionId,
  row.id,
  row.role,
  row.createdAt,
  row.turnId,
  row.revision,
  textMapJson(row.labels),
  row.parts,
];

export interface MessageSqlRow {
  readonly session_id: string;
  readonly id: string;
  readonly role: number;
  readonly created_at: number;
  readonly turn_id: string;
  readonly revision: number;
  readonly labels: string;
  readonly parts: string;
}

/** The message that a row stores. */
export const toMessage = (row: MessageSqlRow): MessageRow => ({
  id: row.id,
  sessionId: row.session_id,
  role: row.role,
  createdAt: row.created_at,
  labels: parseTextMap(row.labels),
  turnId: row.turn_id,
  parts: withoutHalfCharacters(row.parts),
  revision: row.revision,
});
