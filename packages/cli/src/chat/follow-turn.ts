import { SessionMessagePartType } from '@svc/api/data';
import { SessionMessagePartEventKind as Kind, type SessionMessagePartEvent } from '@svc/api/events';
import type { ConnectionState } from '@svc/client';
import { lostText } from '../live-stream.ts';
import { askPermission, openRequests, type QuestionParts } from './permission-question.ts';
import type { ReplyRenderer } from './reply-renderer.ts';

export interface FollowParts extends Omit<QuestionParts, 'terminal'> {
  /** Absent where there is no one to ask. */
  readonly terminal: QuestionParts['terminal'] | undefined;
  readonly renderer: ReplyRenderer;
  /** A line for the person, separate from the reply. */
  readonly note: (text: string) => void;
}

/** How a turn ended, as far as this program saw. */
type TurnOutcome =
  | { readonly kind: 'ended'; readonly reason: string; readonly isError: boolean }
  | { readonly kind: 'interrupted' }
  /** A permission is asked for, and there is no one to answer. */
  | { readonly kind: 'unanswered'; readonly requestId: string };

/** Shows a turn to its end, through lost connections; permission requests are asked inline. */
export const followTurn = async (
  parts: FollowParts,
  turnId: string,
  onEvent: (event: SessionMessagePartEvent) => void = () => undefined,
): Promise<TurnOutcome> => {
  const onConnection = connectionNotes(parts);
  for await (const event of parts.session.stream({ turnId, onConnection })) {
    parts.renderer.show(event);
    onEvent(event);
    if (event.kind === Kind.DONE) return { kind: 'ended', reason: event.reason, isError: false };
    if (event.kind === Kind.ERROR) return { kind: 'ended', reason: event.reason, isError: true };
    if (event.kind === Kind.DELTA && event.part?.partType === SessionMessagePartType.REQUEST_PERMISSION) {
      const outcome = await decide(parts, turnId);
      if (outcome !== undefined) return outcome;
    }
  }
  return { kind: 'ended', reason: 'completed', isError: false };
};

/** Asks about open requests; one that a RESET shows again may be answered already. */
const decide = async (parts: FollowParts, turnId: string): Promise<TurnOutcome | undefined> => {
  for (const request of await openRequests(parts, turnId)) {
    if (parts.terminal === undefined) return { kind: 'unanswered', requestId: request.id };
    parts.renderer.breakLine();
    const isAnswered = await askPermission({ ...parts, terminal: parts.terminal }, request);
    if (!isAnswered) {
      await parts.session.stop(turnId);
      return { kind: 'interrupted' };
    }
  }
  return undefined;
};

/** Reports once that the connection is lost, and once that it is back. */
const connectionNotes = (parts: FollowParts): ((state: ConnectionState) => void) => {
  let isLost = false;
  return (state) => {
    if (state.state === 'lost' && !isLost && state.error?.reason !== 'SLOW_CONSUMER') {
      isLost = true;
      parts.renderer.breakLine();
      parts.note(lostText(state.error));
    } else if (state.state === 'open' && isLost) {
      isLost = false;
      parts.note('connected again');
    }
  };
};
