import type { SendMessageRequest } from '@svc/api/gateway';
import { type FieldViolation, violation } from '../../../../base/index.ts';
import { checkLabels, checkSystemKeys } from '../../../../resources/index.ts';
import type { SessionLimits } from '../sessions-deps.ts';
import { checkPartCounts, checkSentPart, checkTextSize, countedParts } from './part-rules.ts';

const WHEN_BUSY_MAX = 4;

/** Labels that a caller gives to something new. */
export const checkNewLabels = (
  labels: Readonly<Record<string, string>>,
  field: string,
  limits: Pick<SessionLimits, 'labels'>,
): readonly FieldViolation[] => [
  ...checkLabels(labels, field, { labels: limits.labels, annotationsBytes: 0 }),
  ...checkSystemKeys({}, labels, field),
];

/** Every fault of a message to be sent. */
export const checkSend = (
  request: SendMessageRequest,
  limits: Pick<SessionLimits, 'labels' | 'messageBytes'>,
): readonly FieldViolation[] => {
  const { message, parts, labels, whenBusy } = request;
  const texts = [message, ...parts.map((part) => part.content)];
  return [
    ...(message.trim() === '' && parts.length === 0 ? [violation('message', 'must not be blank without parts')] : []),
    ...checkTextSize(texts, 'message', limits.messageBytes),
    ...checkPartCounts(parts, 'parts'),
    ...countedParts(parts).flatMap((part, index) => checkSentPart(part, `parts[${index}]`)),
    ...(Object.keys(labels).length === 0 ? [] : checkNewLabels(labels, 'labels', limits)),
    ...(whenBusy < 0 || whenBusy > WHEN_BUSY_MAX ? [violation('whenBusy', 'is not one of the values')] : []),
  ];
};
