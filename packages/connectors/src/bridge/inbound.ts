import { createHash } from 'node:crypto';
import type { Adapter, Attachment, Author, Message } from 'chat';
import type { InboundAttachment, InboundEvent, Sender } from '../kit/index.ts';
import type { ChatConnector } from './chat-connector.ts';
import { judge } from './outbound.ts';

export interface MessageSource {
  readonly connector: ChatConnector;
  readonly adapter: Adapter;
  /** As the adapter reports it; the message itself may name its own thread in place of the one it replies to. */
  readonly threadId: string;
}

/** The event of a message that was written or edited. */
export function eventOf(source: MessageSource, message: Message, kind: 'created' | 'updated'): InboundEvent {
  const { adapter, connector, threadId } = source;
  const { id, raw } = message;
  const location = connector.locate(adapter, { threadId, messageId: id, raw });
  return {
    ...location,
    eventId: `${adapter.name}:${location.conversation}:${id}${kind === 'updated' ? `:${versionOf(message)}` : ''}`,
    kind,
    messageId: id,
    sender: senderOf(message.author),
    text: message.text,
    attachments: message.attachments.map(attachmentOf),
    timeMs: message.metadata.dateSent.getTime(),
    labels: isAddressed(adapter, message) || isCommandText(connector, message) ? { mention: 'true' } : {},
  };
}

interface Deletion {
  readonly messageId: string;
  readonly raw: unknown;
  readonly deletedAt?: Date;
  readonly previousMessage?: Message;
}

/** The event of a message that was deleted. */
export function deletionOf(source: MessageSource, deletion: Deletion): InboundEvent {
  const { adapter, connector, threadId } = source;
  const { messageId, raw } = deletion;
  const location = connector.locate(adapter, { threadId, messageId, raw });
  return {
    ...location,
    eventId: `${adapter.name}:${location.conversation}:${messageId}:deleted`,
    kind: 'deleted',
    messageId,
    sender: deletion.previousMessage === undefined ? unknownSender : senderOf(deletion.previousMessage.author),
    text: '',
    attachments: [],
    timeMs: deletion.deletedAt?.getTime() ?? 0,
    labels: {},
  };
}

const unknownSender: Sender = { id: '', address: '', displayName: '', kind: 'user' };

/** Who wrote a message or pressed a button. */
export const senderOf = (author: Author): Sender => ({
  id: author.userId,
  address: author.email ?? '',
  displayName: author.fullName || author.userName,
  kind: kindOf(author),
});

function kindOf(author: Author): Sender['kind'] {
  if (author.isSystem === true) return 'system';
  return author.isBot === true ? 'bot' : 'user';
}

/** Tells the edits of a message apart: by their time, or by the text where the platform gives none. */
function versionOf({ metadata, text }: Message): string {
  const edited = metadata.editedAt?.getTime();
  return edited === undefined
    ? `edited-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
    : `edited-${edited}`;
}

/** Adapters that read no mentions of their platform leave them to the text. */
const isAddressed = (adapter: Adapter, message: Message): boolean =>
  message.isMention ??
  [adapter.userName, adapter.botUserId].some(
    (name) => name !== undefined && name !== '' && message.text.includes(`@${name}`),
  );

const isCommandText = ({ commandsAreTexts = false }: ChatConnector, { text }: Message): boolean =>
  commandsAreTexts && /^\/[^\s/]+(?:\s|$)/.test(text);

const mediaTypes = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  file: 'application/octet-stream',
} as const;

function attachmentOf(attachment: Attachment): InboundAttachment {
  const { name, mimeType, type, size } = attachment;
  return {
    filename: name ?? type,
    mediaType: mimeType ?? mediaTypes[type],
    sizeBytes: size,
    read: () => contentOf(attachment),
  };
}

/** Undefined for what has no content, such as a link, or one that the platform refuses for good. */
async function contentOf({ data, fetchData }: Attachment): Promise<Uint8Array | undefined> {
  if (data !== undefined) return data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data;
  if (fetchData === undefined) return undefined;
  try {
    return new Uint8Array(await fetchData());
  } catch (error) {
    if (judge(error).outcome === 'rejected') return undefined;
    throw error;
  }
}
