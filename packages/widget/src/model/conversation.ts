import type { Attachment } from './attachment.ts';
import type { Problem } from './problem.ts';
import type { WireEvent, WireMessage, WireMessagePage, WirePart } from './wire.ts';

export type Role = 'user' | 'assistant' | 'system';

/** A part of a message. */
export interface ChatPart {
  readonly id: string;
  /** In lower case, such as `text` or `tool_call`. */
  readonly type: string;
  readonly text: string;
  /** Tool, action or file name, by the type. */
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Bytes that belong to the part. */
  readonly file: ChatFile | undefined;
}

export interface ChatFile {
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly filename: string;
}

/** What a message of this page has been through before the server has it. */
export interface Outgoing {
  readonly state: 'sending' | 'failed';
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Why it was not sent. */
  readonly problem: Problem | undefined;
}

export interface ChatMessage {
  /** That of the server; of an outgoing one, one of this page. */
  readonly id: string;
  readonly turnId: string;
  readonly role: Role;
  readonly parts: readonly ChatPart[];
  /** False while events may still add to it. */
  readonly isFinished: boolean;
  /** How its turn ended: completed, stopped, limit, refused; '' where that is not known. */
  readonly ending: string;
  readonly outgoing: Outgoing | undefined;
  /** What was attached to it in this page: shown without asking the server for it. */
  readonly attachments: readonly Attachment[];
}

/** A conversation as far as it is known; every change makes a new one and leaves unchanged messages as they are. */
export interface Conversation {
  /** In the order of the conversation. */
  readonly messages: readonly ChatMessage[];
  /** Turns that were begun and have not ended. */
  readonly openTurns: readonly string[];
}

export const emptyConversation: Conversation = { messages: [], openTurns: [] };

const FINISHED = { turnId: '', isFinished: true, ending: '', outgoing: undefined, attachments: [] } as const;

/** A part as it came. */
const partOf = (part: WirePart): ChatPart => ({
  id: part.id ?? '',
  type: (part.partType ?? '').replace('SESSION_MESSAGE_PART_TYPE_', '').toLowerCase(),
  text: part.content ?? '',
  name: part.name ?? '',
  payload: payloadOf(part.payloadJson ?? ''),
  file:
    part.object === undefined
      ? undefined
      : {
          mediaType: part.object.mediaType ?? '',
          sizeBytes: Number(part.object.sizeBytes ?? 0),
          filename: part.object.filename || part.name || '',
        },
});

const payloadOf = (json: string): Readonly<Record<string, unknown>> => {
  if (json === '') return {};
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
};

const ROLES: Readonly<Record<string, Role>> = { ROLE_USER: 'user', ROLE_SYSTEM: 'system' };

/** A stored message. */
const storedMessage = (message: WireMessage): ChatMessage => ({
  ...FINISHED,
  id: message.id ?? '',
  turnId: message.labels?.['svc/turn'] ?? '',
  role: ROLES[message.role ?? ''] ?? 'assistant',
  ending: message.labels?.['svc/message-state'] === 'stopped' ? 'stopped' : '',
  parts: (message.parts ?? []).map(partOf),
});

/** With stored messages, which replace what is known of them: a part that is being streamed is never stored. */
export const withStored = (conversation: Conversation, messages: readonly WireMessage[]): Conversation => {
  let shown = conversation.messages;
  for (const each of messages.map(storedMessage)) {
    const known = shown.find(({ id }) => id === each.id);
    const kept =
      known === undefined ? each : { ...each, turnId: each.turnId || known.turnId, attachments: known.attachments };
    shown = placed(shown, kept);
  }
  return { ...conversation, messages: shown };
};

/**
 * With the newest stored messages of people, and without what is gone of `known`: the ids of what was stored before they were asked for.
 * Answers are what the stream shows; a stored one may be ahead of it.
 */
export const withPage = (
  conversation: Conversation,
  page: WireMessagePage,
  known: ReadonlySet<string>,
): Conversation => {
  const messages = messagesOf(page);
  const first = page.hasMore === true ? (messages[0]?.id ?? '') : '';
  const ids = new Set(messages.map(({ id }) => id));
  const isGone = ({ id, outgoing }: ChatMessage): boolean =>
    outgoing === undefined && known.has(id) && id >= first && !ids.has(id);
  const kept = { ...conversation, messages: conversation.messages.filter((message) => !isGone(message)) };
  return withStored(
    kept,
    messages.filter(({ role }) => role !== 'ROLE_ASSISTANT'),
  );
};

/** The messages of a page. */
export const messagesOf = ({ items = [] }: WireMessagePage): readonly WireMessage[] =>
  items.flatMap(({ message }) => message ?? []);

/** With an event of the stream. */
export const withEvent = (conversation: Conversation, event: WireEvent): Conversation => {
  switch ((event.kind ?? '').replace('SESSION_MESSAGE_PART_EVENT_KIND_', '')) {
    case 'DELTA':
      return withParts(begun(conversation, event), event, (parts) => withPart(parts, event.part));
    case 'RESET':
      return withParts(begun(conversation, event), event, () => []);
    case 'DONE':
      return ended(conversation, event);
    case 'ERROR':
      return ended(
        withParts(conversation, event, (parts) => withPart(parts, event.part)),
        event,
      );
    default:
      return conversation;
  }
};

const begun = (conversation: Conversation, { turnId = '' }: WireEvent): Conversation =>
  withOpenTurn(conversation, turnId);

/** With a turn that has not ended. */
export const withOpenTurn = (conversation: Conversation, turnId: string): Conversation =>
  turnId === '' || conversation.openTurns.includes(turnId)
    ? conversation
    : { ...conversation, openTurns: [...conversation.openTurns, turnId] };

const withParts = (
  conversation: Conversation,
  { messageId = '', turnId = '' }: WireEvent,
  change: (parts: readonly ChatPart[]) => readonly ChatPart[],
): Conversation => {
  const known = conversation.messages.find(({ id }) => id === messageId);
  const before = known ?? { ...FINISHED, id: messageId, role: 'assistant' as const, parts: [] };
  const message = { ...before, turnId, isFinished: false, parts: change(before.parts) };
  return { ...conversation, messages: placed(conversation.messages, message) };
};

/** Text and reasoning of one part come in pieces under its id; other parts come whole. */
const withPart = (parts: readonly ChatPart[], given: WirePart | undefined): readonly ChatPart[] => {
  if (given === undefined) return parts;
  const part = partOf(given);
  const last = parts.at(-1);
  const isPiece =
    (part.type === 'text' || part.type === 'reasoning') && last?.type === part.type && last.id === part.id;
  return isPiece ? parts.with(-1, { ...last, text: last.text + part.text }) : [...parts, part];
};

const ended = (conversation: Conversation, { turnId = '', reason = '' }: WireEvent): Conversation => ({
  openTurns: conversation.openTurns.filter((open) => open !== turnId),
  messages: conversation.messages.map((message) =>
    message.turnId === turnId && message.role === 'assistant'
      ? { ...message, isFinished: true, ending: reason }
      : message,
  ),
});

/** With the message in place of the one of its id, else where its id belongs. Outgoing ones come last. */
const placed = (messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] => {
  const known = messages.findLastIndex(({ id }) => id === message.id);
  if (known >= 0) return messages.with(known, message);
  const next = messages.findIndex(({ id, outgoing }) => outgoing === undefined && id > message.id);
  return next < 0 ? [...messages, message] : messages.toSpliced(next, 0, message);
};

/** With a message that is on its way to the server. */
export const withOutgoing = (
  conversation: Conversation,
  message: { readonly id: string; readonly text: string; readonly attachments: readonly Attachment[] },
): Conversation => {
  const outgoing: Outgoing = { ...message, state: 'sending', problem: undefined };
  const shown: ChatMessage = {
    ...FINISHED,
    id: message.id,
    role: 'user',
    outgoing,
    attachments: message.attachments,
    parts: message.text === '' ? [] : [partOf({ partType: 'TEXT', content: message.text })],
  };
  return { ...conversation, messages: [...without(conversation, message.id), shown] };
};

const without = ({ messages }: Conversation, id: string): readonly ChatMessage[] =>
  messages.filter((message) => message.id !== id);

/** With what became of a message that was on its way. */
export const withSent = (
  conversation: Conversation,
  id: string,
  sent: { readonly messageId: string; readonly turnId: string },
): Conversation => {
  const message = conversation.messages.find((each) => each.id === id);
  if (message === undefined) return conversation;
  const stored = { ...message, id: sent.messageId, turnId: sent.turnId, outgoing: undefined };
  const others = without(conversation, id).filter((each) => each.id !== sent.messageId);
  return { ...conversation, messages: placed(others, stored) };
};

/** With the reason why a message could not be sent. */
export const withUnsent = (conversation: Conversation, id: string, problem: Problem): Conversation => ({
  ...conversation,
  messages: conversation.messages.map((message) =>
    message.id === id && message.outgoing !== undefined
      ? { ...message, outgoing: { ...message.outgoing, state: 'failed' as const, problem } }
      : message,
  ),
});

/** Without a message. */
export const withoutMessage = (conversation: Conversation, id: string): Conversation => ({
  ...conversation,
  messages: without(conversation, id),
});
