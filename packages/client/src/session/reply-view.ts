import { type SessionMessage, type SessionMessagePart, SessionMessagePartType } from '@svc/api/data';
import { type SessionMessagePartEvent, SessionMessagePartEventKind } from '@svc/api/events';

/** A message as far as it is known: stored ones complete, the one being written up to the last event. */
export interface ShownMessage {
  readonly id: string;
  readonly turnId: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly SessionMessagePart[];
  /** False while events may still add to it. */
  readonly isFinished: boolean;
}

/** How the newest turn ended while watching. */
export interface TurnEnd {
  readonly turnId: string;
  readonly kind: 'done' | 'error';
  /** completed, stopped, limit, refused, or the class of an error. */
  readonly reason: string;
  /** Readable text of an error. */
  readonly error: string;
}

/** What a reader of a session sees; every fold returns a new view and leaves the old one unchanged. */
export interface ReplyView {
  readonly messages: readonly ShownMessage[];
  readonly lastEnd: TurnEnd | undefined;
}

/** Nothing known yet. */
export const emptyView: ReplyView = { messages: [], lastEnd: undefined };

const roles = ['assistant', 'user', 'assistant', 'system'] as const;

/** A view of stored messages, to be continued with the events after their cursor. */
export const viewOfMessages = (messages: readonly SessionMessage[]): ReplyView => ({
  lastEnd: undefined,
  messages: messages.map((message) => ({
    id: message.id,
    turnId: '',
    role: roles[message.role] ?? 'assistant',
    parts: message.parts,
    isFinished: true,
  })),
});

/** Adds one event: DELTA extends, RESET discards everything shown of its message, DONE and ERROR end a turn. */
export const foldEvent = (view: ReplyView, event: SessionMessagePartEvent): ReplyView => {
  switch (event.kind) {
    case SessionMessagePartEventKind.DELTA:
      return event.part === undefined ? view : withMessage(view, event, (parts) => appendPart(parts, event.part));
    case SessionMessagePartEventKind.RESET:
      return withMessage(view, event, () => []);
    case SessionMessagePartEventKind.DONE:
      return ended(view, event, { kind: 'done', error: '' });
    case SessionMessagePartEventKind.ERROR: {
      const shown =
        event.part === undefined ? view : withMessage(view, event, (parts) => appendPart(parts, event.part));
      return ended(shown, event, { kind: 'error', error: event.part?.content ?? '' });
    }
    default:
      return view;
  }
};

const withMessage = (
  view: ReplyView,
  event: SessionMessagePartEvent,
  change: (parts: readonly SessionMessagePart[]) => readonly SessionMessagePart[],
): ReplyView => {
  const index = view.messages.findLastIndex((message) => message.id === event.messageId);
  const before = view.messages[index];
  const parts = change(before?.parts ?? []);
  const message: ShownMessage = {
    id: event.messageId,
    turnId: event.turnId,
    role: 'assistant',
    parts,
    isFinished: false,
  };
  const messages = before === undefined ? [...view.messages, message] : view.messages.with(index, message);
  return { ...view, messages };
};

/** Text and reasoning of one part arrive in pieces under its id; other parts arrive complete. */
const appendPart = (
  parts: readonly SessionMessagePart[],
  part: SessionMessagePart | undefined,
): readonly SessionMessagePart[] => {
  if (part === undefined) return parts;
  const last = parts.at(-1);
  const isPiece = last !== undefined && isJoinable(part) && last.partType === part.partType && last.id === part.id;
  return isPiece ? parts.with(-1, { ...last, content: last.content + part.content }) : [...parts, part];
};

const isJoinable = (part: SessionMessagePart): boolean =>
  part.partType === SessionMessagePartType.TEXT || part.partType === SessionMessagePartType.REASONING;

const ended = (
  view: ReplyView,
  event: SessionMessagePartEvent,
  how: { readonly kind: TurnEnd['kind']; readonly error: string },
): ReplyView => ({
  messages: view.messages.map((message) =>
    message.turnId === event.turnId ? { ...message, isFinished: true } : message,
  ),
  lastEnd: { turnId: event.turnId, reason: event.reason, ...how },
});

/** The text of a message without reasoning and tools. */
export const textOf = (message: { readonly parts: readonly SessionMessagePart[] }): string =>
  message.parts
    .filter((part) => part.partType === SessionMessagePartType.TEXT)
    .map((part) => part.content)
    .join('');
