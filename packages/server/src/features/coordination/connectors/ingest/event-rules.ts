import { type ConnectorMessageEvent, ConnectorMessageEventKind } from '@svc/api/external';
import { type FieldViolation, isLongerThan, oversize, violation } from '../../../../base/index.ts';

/** What of events is judged without a store. */

export interface EventLimits {
  /** `limits.ingestTextMax`. */
  readonly textBytes: number;
  /** `limits.ingestAttachmentsMax`. */
  readonly attachments: number;
}

const EVENT_ID_CHARS = 255;
const ID_CHARS = 512;
const LABELS_MAX = 32;
const MATCH_FIELDS_MAX = 32;

/** All faults of an event's fields. */
export const checkEvent = (event: ConnectorMessageEvent, limits: EventLimits): readonly FieldViolation[] => {
  const { sender } = event;
  const texts: readonly (readonly [string, string])[] = [
    ['externalConversationId', event.externalConversationId],
    ['externalThreadId', event.externalThreadId ?? ''],
    ['externalMessageId', event.externalMessageId],
    ['conversationType', event.conversationType],
    ['sender.kind', sender?.kind ?? ''],
    ['sender.externalId', sender?.externalId ?? ''],
    ['sender.displayName', sender?.displayName ?? ''],
    ['sender.address', sender?.address ?? ''],
  ];
  return [
    ...(event.eventId === '' || isLongerThan(event.eventId, EVENT_ID_CHARS)
      ? [violation('eventId', `must have 1-${EVENT_ID_CHARS} characters`)]
      : []),
    ...texts
      .filter(([, text]) => isLongerThan(text, ID_CHARS))
      .map(([field]) => violation(field, `longer than ${ID_CHARS} characters`)),
    ...checkMap(event.matchFields, 'matchFields', MATCH_FIELDS_MAX),
    ...checkMap(event.labels, 'labels', LABELS_MAX),
    ...(Buffer.byteLength(event.text) > limits.textBytes
      ? [oversize('text', limits.textBytes, 'limits.ingestTextMax')]
      : []),
    ...(event.attachments.length > limits.attachments
      ? [violation('attachments', `more than ${limits.attachments} attachments (limits.ingestAttachmentsMax)`)]
      : []),
  ];
};

const checkMap = (map: Readonly<Record<string, string>>, field: string, most: number): readonly FieldViolation[] => {
  const entries = Object.entries(map);
  if (entries.length > most) return [violation(field, `more than ${most} entries`)];
  return entries
    .filter(([key, value]) => isLongerThan(key, ID_CHARS) || isLongerThan(value, ID_CHARS))
    .map(([key]) => violation(`${field}[${key.slice(0, 64)}]`, `longer than ${ID_CHARS} characters`));
};

/** Why an event is left alone whatever its route; '' for one that is dispatched. */
export const ignoredReason = ({ eventKind, text, attachments }: ConnectorMessageEvent): string => {
  const isCreated =
    eventKind === ConnectorMessageEventKind.UNSPECIFIED || eventKind === ConnectorMessageEventKind.CREATED;
  if (!isCreated) return 'unsupported_event_kind';
  return text.trim() === '' && attachments.length === 0 ? 'empty_message' : '';
};
