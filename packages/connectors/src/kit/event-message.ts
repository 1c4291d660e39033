import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { ObjectRef } from '@svc/api/data';
import { type ConnectorMessageEvent, ConnectorMessageEventKind, ConnectorMessageEventSchema } from '@svc/api/external';
import type { InboundAttachment, InboundEvent } from './contract.ts';
import type { Registration } from './registrations.ts';

/** What svc takes at most; an event that exceeds it would be refused at every attempt. */
export const eventLimits = {
  eventIdCharacters: 255,
  textBytes: 256 * 1024,
  attachments: 20,
  attachmentBytes: 25 * 1024 * 1024,
  labels: 32,
  nameCharacters: 512,
  filenameCharacters: 255,
} as const;

const kinds = {
  created: ConnectorMessageEventKind.CREATED,
  updated: ConnectorMessageEventKind.UPDATED,
  deleted: ConnectorMessageEventKind.DELETED,
} as const;

/** The message of the protocol for an event; files that were left out are named at the end of its text. */
export function eventMessage(
  event: InboundEvent,
  registration: Registration,
  attached: { readonly objects: readonly ObjectRef[]; readonly leftOut: readonly string[] },
): ConnectorMessageEvent {
  const notes = attached.leftOut.map((name) => `[attachment left out: ${name}]`);
  return create(ConnectorMessageEventSchema, {
    eventId: boundedId(event.eventId),
    eventKind: kinds[event.kind],
    registrationId: registration.id,
    connectorClass: registration.connectorClass,
    matchFields: { ...event.matchFields },
    externalConversationId: event.conversation,
    ...(event.thread === undefined ? {} : { externalThreadId: event.thread }),
    externalMessageId: event.messageId,
    conversationType: event.conversationType,
    sender: {
      externalId: event.sender.id,
      address: event.sender.address,
      displayName: boundedName(event.sender.displayName),
      kind: event.sender.kind,
    },
    text: boundedText([event.text, ...notes].filter((line) => line !== '').join('\n')),
    attachments: [...attached.objects],
    eventTimeMs: BigInt(Math.trunc(event.timeMs)),
    labels: boundedLabels(event.labels),
  });
}

/** Which files svc would take, and the names of the others. */
export function sortAttachments(files: readonly InboundAttachment[]): {
  readonly taken: readonly InboundAttachment[];
  readonly leftOut: readonly string[];
} {
  const fits = ({ sizeBytes }: InboundAttachment) => (sizeBytes ?? 0) <= eventLimits.attachmentBytes;
  const taken = files.filter(fits).slice(0, eventLimits.attachments);
  return { taken, leftOut: files.filter((file) => !taken.includes(file)).map(({ filename }) => filename) };
}

/** An id that is too long becomes its hash, which identifies the event as well. */
const boundedId = (id: string): string =>
  id.length <= eventLimits.eventIdCharacters ? id : createHash('sha256').update(id).digest('hex');

const CUT = '\n[cut]';

function boundedText(given: string): string {
  const text = given.toWellFormed();
  const bytes = Buffer.from(text);
  if (bytes.length <= eventLimits.textBytes) return text;
  // Decoding what was cut inside a character ends with a replacement character, which is removed.
  return `${bytes
    .subarray(0, eventLimits.textBytes - CUT.length)
    .toString()
    .replace(/\uFFFD$/, '')}${CUT}`;
}

const boundedLabels = (labels: InboundEvent['labels']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels)
      .slice(0, eventLimits.labels)
      .map(([key, value]) => [key, boundedName(value)]),
  );

/** Half of a character at the end becomes a replacement character. */
const boundedName = (name: string): string => name.slice(0, eventLimits.nameCharacters).toWellFormed();

/** Of a long name the end stays, which says what kind of file it is. */
export const boundedFilename = (name: string): string => name.slice(-eventLimits.filenameCharacters).toWellFormed();
