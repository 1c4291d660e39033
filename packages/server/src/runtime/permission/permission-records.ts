import type { PermissionRow, WriteTx } from '../../store/contracts/index.ts';
import { PART, type Part, type PermissionData } from '../contract.ts';
import { parsePermission } from '../turn-record.ts';

/** Permission requests as rows and as parts. Pure but for the transaction handed in. */

const decisionName = (decision: PermissionData['decision']): string =>
  decision === 'PENDING' ? 'PERMISSION_DECISION_UNSPECIFIED' : `PERMISSION_DECISION_${decision}`;

const optionPayload = (option: PermissionData['options'][number]): Record<string, unknown> => ({
  id: option.id,
  name: option.name,
  decision: option.allow ? 'PERMISSION_DECISION_ALLOW' : 'PERMISSION_DECISION_DENY',
  remember: option.remember,
});

/** The question as it is in the message. */
export const requestPart = (data: PermissionData, id: string): Part => ({
  id,
  type: PART.REQUEST_PERMISSION,
  name: data.action,
  content: data.prompt,
  payload: {
    request_id: data.id,
    tool_call_id: data.toolCallId,
    action: data.action,
    prompt: data.prompt,
    input: data.input,
    options: data.options.map(optionPayload),
    expires_at: data.expiresAt,
  },
  createdAt: data.createdAt,
});

/** The answer as it is in the message; it changes nothing of the question. */
export const resultPart = (data: PermissionData, id: string): Part => ({
  id,
  type: PART.PERMISSION_RESULT,
  name: data.action,
  payload: {
    request_id: data.id,
    decision: decisionName(data.decision),
    option_id: data.optionId,
    decided_by: data.decidedBy,
    decided_at: data.decidedAt,
    comment: data.comment,
  },
  createdAt: data.decidedAt,
});

/** The row of a request; `open` while it waits for an answer. */
export const permissionRow = (data: PermissionData, open: boolean): PermissionRow => ({
  id: data.id,
  namespace: data.namespace,
  agent: data.agent,
  sessionId: data.sessionId,
  turnId: data.turnId,
  open,
  createdAt: data.createdAt,
  expiresAt: data.expiresAt,
  body: JSON.stringify(data),
});

/** Denies what is still open of a turn that ends; returns the closed requests, whose results the caller stores. */
export const closePermissions = async (
  tx: WriteTx,
  turnId: string,
  end: { readonly decidedBy: string; readonly comment: string },
): Promise<PermissionData[]> => {
  const closed: PermissionData[] = [];
  for (const row of await tx.log.permissionsOfTurn(turnId)) {
    if (!row.open) continue;
    const data: PermissionData = {
      ...parsePermission(row),
      decision: 'DENY',
      decidedBy: end.decidedBy,
      decidedAt: tx.now(),
      comment: end.comment,
    };
    await tx.log.savePermission(permissionRow(data, false));
    closed.push(data);
  }
  return closed;
};
