import type { ConnectorMessageEvent } from '@svc/api/external';

/** What follows from an event alone. */

const MICROS_PER_MS = 1_000;
/** How far the clock of a platform may be ahead, micros. */
const AHEAD = 300_000_000;
const PROGRAMS: ReadonlySet<string> = new Set(['bot', 'app', 'system']);

/** True for what a program wrote: such messages are limited, so that two programs that answer each other come to an end. */
export const isFromProgram = ({ sender }: ConnectorMessageEvent): boolean =>
  PROGRAMS.has((sender?.kind ?? '').trim().toLowerCase());

/** When the message was written, micros: as its platform says where that can be, else now. */
export const writtenAt = ({ eventTimeMs }: ConnectorMessageEvent, now: number): number => {
  const at = Number(eventTimeMs) * MICROS_PER_MS;
  return at > 0 && at <= now + AHEAD ? at : now;
};

/** First name of the sender that is not blank, '' for none. */
export const senderName = ({ sender }: ConnectorMessageEvent): string =>
  [sender?.displayName, sender?.externalId, sender?.address].find((name) => (name ?? '').trim() !== '') ?? '';

/** What tells a conversation from all others of a connector: its ids, or where it has none its match fields. */
export const conversationOf = (event: ConnectorMessageEvent): readonly string[] => {
  const { externalConversationId: conversation, externalThreadId: thread = '', matchFields } = event;
  if (conversation !== '' || thread !== '') return [conversation, thread];
  const fields = Object.entries(matchFields).sort(([left], [right]) => (left < right ? -1 : 1));
  return ['', '', ...fields.flat()];
};
