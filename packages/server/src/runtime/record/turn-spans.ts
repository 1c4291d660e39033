import type { PlacedPart, Span, TurnBody } from './contract.ts';

/** A span that begins with a RESET of `messageId`: followers get its recorded parts again. */
export const resetSpan = (
  recorded: readonly PlacedPart[],
  begin: Pick<Span, 'fence' | 'attempt' | 'messageId'> & { readonly reason: 'recovered' | 'retry' },
): Span => {
  const { fence, attempt, reason, messageId } = begin;
  const first = recorded.findIndex((entry) => entry.messageId === messageId);
  return { fence, attempt, firstPart: first === -1 ? recorded.length : first, reset: true, reason, messageId };
};

/** Span of a new fence, for a claim or for an end that no worker shows: after the loss of a worker it begins with a RESET. */
export const nextSpan = (
  body: TurnBody,
  claim: { readonly fence: number; readonly attempt: number; readonly recorded: readonly PlacedPart[] },
): Span => {
  const { fence, attempt, recorded } = claim;
  const messageId = body.replyMessageIds.at(-1) ?? '';
  if (body.resume === 'recovered') return resetSpan(recorded, { fence, attempt, reason: 'recovered', messageId });
  return { fence, attempt, firstPart: body.sentParts, reset: false, messageId };
};
