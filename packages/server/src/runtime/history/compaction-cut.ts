import { PART, type Part, type TranscriptMessage } from '../contract.ts';

/** The newest COMPACTION of a transcript and the messages that it does not cover. */
export interface CompactionCut {
  readonly part: Part;
  /** Everything after the covered position, in order. */
  readonly rest: readonly TranscriptMessage[];
}

/** Last COMPACTION part of a message; undefined when there is none. */
export const compactionOf = (parts: readonly Part[]): Part | undefined =>
  parts.findLast((part) => part.type === PART.COMPACTION);

/** Id of the last message that a COMPACTION part covers, '' when it names none. */
export const coveredThrough = (part: Part): string => {
  const through = part.payload?.['through_message_id'];
  return typeof through === 'string' ? through : '';
};

/**
 * Splits a transcript at the position its newest COMPACTION covers. A covered message that is not in the transcript was
 * left out by the reader with everything before it, so then all of it is the rest.
 */
export const cutAtCompaction = (messages: readonly TranscriptMessage[]): CompactionCut | undefined => {
  const holder = messages.findLast((message) => compactionOf(message.parts) !== undefined);
  const part = holder === undefined ? undefined : compactionOf(holder.parts);
  if (part === undefined) return undefined;
  const through = coveredThrough(part);
  const last = messages.findIndex((message) => message.id === through);
  return { part, rest: messages.slice(last + 1) };
};
