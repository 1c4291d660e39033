import type { PermissionRow } from '../../store/contracts/index.ts';
import { PART, type Part, type PermissionData, type RequestKind } from './contract.ts';

/** Permission requests as rows and as parts. */

const decisionName = (decision: PermissionData['decision']): string =>
  decision === 'PENDING' ? 'PERMISSION_DECISION_UNSPECIFIED' : `PERMISSION_DECISION_${decision}`;

const optionPayload = (option: PermissionData['options'][number]): Record<string, unknown> => ({
  id: option.id,
  name: option.name,
  decision: option.allow ? 'PERMISSION_DECISION_ALLOW' : 'PERMISSION_DECISION_DENY',
  remember: option.remember,
});

/** What kind of answer a request asks for. */
export const kindOf = (data: Pick<PermissionData, 'kind'>): RequestKind => data.kind ?? 'permission';

/** The question as it is in the message. */
export const requestPart = (data: PermissionData, id: string): Part => ({
  id,
  type: PART.REQUEST_PERMISSION,
  name: data.action,
  content: data.prompt,
  payload: {
    request_id: data.id,
    kind: kindOf(data),
    tool_call_id: data.toolCallId,
    ...(data.key === undefined ? {} : { key: data.key }),
    action: data.action,
    prompt: data.prompt,
    input: data.input,
    options: data.options.map(optionPayload),
    ...(data.schema === undefined ? {} : { schema: data.schema }),
    ...(data.url === undefined ? {} : { url: data.url }),
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
    ...(data.answer === undefined ? {} : { answer: data.answer }),
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
