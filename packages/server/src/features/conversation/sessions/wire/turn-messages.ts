import { create } from '@bufbuild/protobuf';
import {
  PermissionDecision,
  PermissionOptionSchema,
  type PermissionRequest,
  PermissionRequestSchema,
  type Turn,
  TurnSchema,
  TurnState,
} from '@svc/api/data';
import { admittedAt, kindOf, type PermissionData, parseBody, parsePermission } from '../../../../runtime/contract.ts';
import type { ReadTx, TurnRow } from '../../../../store/contracts/index.ts';
import { tokenCounter } from './session-responses.ts';

const DECISION = {
  PENDING: PermissionDecision.UNSPECIFIED,
  ALLOW: PermissionDecision.ALLOW,
  DENY: PermissionDecision.DENY,
} as const;

export const permissionMessage = (data: PermissionData): PermissionRequest =>
  create(PermissionRequestSchema, {
    id: data.id,
    turnId: data.turnId,
    toolCallId: data.toolCallId,
    action: data.action,
    prompt: data.prompt,
    inputJson: JSON.stringify(data.input ?? null),
    options: data.options.map((option) =>
      create(PermissionOptionSchema, {
        id: option.id,
        name: option.name,
        decision: option.allow ? PermissionDecision.ALLOW : PermissionDecision.DENY,
        remember: option.remember,
      }),
    ),
    createdAt: BigInt(data.createdAt),
    expiresAt: BigInt(data.expiresAt),
    decision: DECISION[data.decision],
    optionId: data.optionId,
    decidedBy: data.decidedBy,
    ...(data.decidedAt === 0 ? {} : { decidedAt: BigInt(data.decidedAt) }),
    comment: data.comment,
    ns: data.namespace,
    agent: data.agent,
    sessionId: data.sessionId,
    kind: kindOf(data),
    schemaJson: data.schema === undefined ? '' : JSON.stringify(data.schema),
    url: data.url ?? '',
    answerJson: data.answer === undefined ? '' : JSON.stringify(data.answer),
    identity: data.identity ?? '',
  });

/** A turn as the wire shows it; open permission requests are looked up only while it waits. */
export const turnMessage = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<Turn> => {
  const body = parseBody(turn);
  const asked = turn.state === 'WAITING' ? await tx.log.permissionsOfTurn(turn.id) : [];
  return create(TurnSchema, {
    id: turn.id,
    sessionId: turn.sessionId,
    agent: turn.agent,
    ns: turn.namespace,
    state: TurnState[turn.state],
    userMessageId: turn.userMessageId,
    replyMessageIds: [...body.replyMessageIds],
    attempt: turn.attempt,
    createdAt: BigInt(admittedAt(turn, body)),
    ...(body.startedAt > 0 ? { startedAt: BigInt(body.startedAt) } : {}),
    ...(turn.finishedAt > 0 ? { finishedAt: BigInt(turn.finishedAt) } : {}),
    error: body.error ?? '',
    reason: body.reason ?? '',
    cause: body.cause.kind,
    identity: body.cause.identity,
    ...(body.usage === undefined ? {} : { usage: tokenCounter(body.usage) }),
    pendingPermissions: asked.filter((row) => row.open).map((row) => permissionMessage(parsePermission(row))),
  });
};
