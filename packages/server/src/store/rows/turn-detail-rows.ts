import { withoutHalfCharacters } from '../../base/index.ts';
import type { JournalRow, PermissionRow, SteerRow } from '../contracts/index.ts';

export interface JournalSqlRow {
  readonly turn_id: string;
  readonly position: number;
  readonly kind: string;
  readonly at: number;
  readonly body: string;
}

/** The journal entry that a row stores. */
export const toJournal = (row: JournalSqlRow): JournalRow => ({
  turnId: row.turn_id,
  index: row.position,
  kind: row.kind,
  at: row.at,
  body: withoutHalfCharacters(row.body),
});

export interface SteerSqlRow {
  readonly session_id: string;
  readonly message_id: string;
  readonly turn_id: string;
  readonly bytes: number;
  readonly body: string;
}

/** The steering message that a row stores. */
export const toSteer = (row: SteerSqlRow): SteerRow => ({
  sessionId: row.session_id,
  messageId: row.message_id,
  turnId: row.turn_id,
  bytes: row.bytes,
  body: withoutHalfCharacters(row.body),
});

/** Columns of a permission request. */
export const PERMISSION_COLUMNS = 'id, namespace, agent, session_id, turn_id, open, created_at, expires_at, body';

/** What a new permission request has in each of these columns. */
export const permissionValues = (row: PermissionRow): readonly (string | number)[] => [
  row.id,
  row.namespace,
  row.agent,
  row.sessionId,
  row.turnId,
  row.open ? 1 : 0,
  row.createdAt,
  row.expiresAt,
  row.body,
];

export interface PermissionSqlRow {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly open: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly body: string;
}

/** The permission request that a row stores. */
export const toPermission = (row: PermissionSqlRow): PermissionRow => ({
  id: row.id,
  namespace: row.namespace,
  agent: row.agent,
  sessionId: row.session_id,
  turnId: row.turn_id,
  open: row.open === 1,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  body: withoutHalfCharacters(row.body),
});
