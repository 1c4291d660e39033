import { EVENT, type SessionEvent } from '../contract.ts';
import { isText } from './cut-events.ts';

/** Bytes of what an event brings. */
export const contentBytes = ({ part }: SessionEvent): number => {
  if (part === undefined) return 0;
  const payload = part.payload === undefined ? 0 : JSON.stringify(part.payload).length;
  return (part.content?.length ?? 0) + payload;
};

/** DELTAs of one part kind and message that follow each other in their session as one; undefined for any others. */
export const joinEvents = (last: SessionEvent, event: SessionEvent): SessionEvent | undefined => {
  if (!continuesPart(last, event) || last.part === undefined) return undefined;
  const content = (last.part.content ?? '') + (event.part?.content ?? '');
  return { ...event, part: { ...last.part, content }, units: last.units + event.units, timestamp: last.timestamp };
};

const continuesPart = (last: SessionEvent, event: SessionEvent): boolean =>
  event.kind === EVENT.DELTA &&
  last.kind === EVENT.DELTA &&
  isText(last.part) &&
  last.part?.type === event.part?.type &&
  last.part?.id === event.part?.id &&
  last.messageId === event.messageId &&
  last.fence === event.fence;
