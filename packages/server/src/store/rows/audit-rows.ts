import type { AuditRow } from '../contracts/index.ts';

export interface AuditSqlRow {
  readonly id: string;
  readonly at: number;
  readonly request_id: string;
  readonly identity: string;
  readonly operation: string;
  readonly target: string;
  readonly namespace: string;
  readonly outcome: string;
  readonly resource_version: string;
  readonly hash: string;
}

/** The audit record that a row stores. */
export const toAudit = (row: AuditSqlRow): AuditRow => ({
  id: row.id,
  at: row.at,
  requestId: row.request_id,
  identity: row.identity,
  operation: row.operation,
  target: row.target,
  namespace: row.namespace,
  outcome: row.outcome,
  resourceVersion: row.resource_version,
  hash: row.hash,
});
