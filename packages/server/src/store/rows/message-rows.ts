import { withoutHalfCharacters } from '../../base/index.ts';
import type { MessageRow } from '../contracts/index.ts';
import { parseTextMap } from './row-json.ts';

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
