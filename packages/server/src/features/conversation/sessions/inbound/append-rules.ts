import { MessageRole, type SessionMessage } from '@svc/api/data';
import type { AppendSessionMessageRequest } from '@svc/api/gateway';
import { type FieldViolation, isUuid, violation } from '../../../../base/index.ts';
import { type Part, partId, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { SessionLimits } from '../sessions-deps.ts';
import type { InboundObjects } from './inbound-objects.ts';
import { checkPartCounts, checkTextSize, checkWrittenPart, countedParts, plainPart } from './part-rules.ts';
import { checkNewLabels } from './send-rules.ts';

type MessageDraft = Parameters<SessionLifecycle['append']>[2];

const checkIds = (message: SessionMessage, at: string): readonly FieldViolation[] => {
  const seen = new Set<string>();
  return countedParts(message.parts).flatMap((part, index) => {
    const id = part.id === '' ? partId(index) : part.id;
    const isNew = !seen.has(id);
    seen.add(id);
    const isForm = /^\d{6}$/.test(id);
    return isNew && isForm ? [] : [violation(`${at}[${index}].id`, 'must be six digits and used once')];
  });
};

/** Times are kept as numbers: one beyond what those hold exactly could be written, and never be read again. */
const checkTime = (micros: bigint, field: string): readonly FieldViolation[] =>
  micros >= 0n && micros <= BigInt(Number.MAX_SAFE_INTEGER)
    ? []
    : [violation(field, 'must lie between the years 1970 and 2255')];

/** Parts that replace or make a message: form, ids, sizes. `at` is where the request has them. */
export const checkParts = (
  message: SessionMessage,
  at: string,
  limits: Pick<SessionLimits, 'messageBytes'>,
): readonly FieldViolation[] => [
  ...checkPartCounts(message.parts, at),
  ...checkTextSize(
    message.parts.map((part) => part.content),
    at,
    limits.messageBytes,
  ),
  ...countedParts(message.parts).flatMap((part, index) => [
    ...checkWrittenPart(part, `${at}[${index}]`),
    ...checkTime(part.createdAt, `${at}[${index}].createdAt`),
  ]),
  ...checkIds(message, at),
];

/** Every fault of a message to be appended. */
export const checkAppend = (
  request: AppendSessionMessageRequest,
  limits: Pick<SessionLimits, 'labels' | 'messageBytes'>,
): readonly FieldViolation[] => {
  const { message } = request;
  if (message === undefined || message.parts.length === 0)
    return [violation('message.parts', 'needs at least one part')];
  return [
    ...(message.id === '' || isUuid(message.id) ? [] : [violation('message.id', 'is not a UUID in lower case')]),
    ...(message.role >= 0 && message.role <= MessageRole.ROLE_SYSTEM
      ? []
      : [violation('message.role', 'is not a role')]),
    ...checkTime(message.createdAt, 'message.createdAt'),
    ...checkNewLabels(message.labels, 'message.labels', limits),
    ...checkParts(message, 'message.parts', limits),
  ];
};

/** The parts as stored, with ids and times filled in. */
export const writtenParts = (
  message: Pick<SessionMessage, 'parts'>,
  facts: { readonly createdAt: number; readonly objects: InboundObjects },
): readonly Part[] =>
  message.parts.map((part, index) => {
    const createdAt = part.createdAt === 0n ? facts.createdAt : Number(part.createdAt);
    const plain = plainPart(part, { id: part.id === '' ? partId(index) : part.id, createdAt });
    const object = facts.objects.get(index);
    return object === undefined ? plain : { ...plain, object };
  });

/** The message as stored: defaults id, role USER, created_at now. */
export const appendedMessage = (
  message: SessionMessage,
  facts: { readonly id: string; readonly now: number; readonly objects: InboundObjects },
): MessageDraft => {
  const createdAt = message.createdAt === 0n ? facts.now : Number(message.createdAt);
  return {
    id: message.id === '' ? facts.id : message.id,
    role: message.role === MessageRole.ROLE_UNSPECIFIED ? MessageRole.ROLE_USER : message.role,
    createdAt,
    labels: message.labels,
    parts: writtenParts(message, { createdAt, objects: facts.objects }),
  };
};
