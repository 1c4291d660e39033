import { emptyView, foldEvent, type ReplyView, textOf } from '@svc/client';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Attachment } from './attachments.ts';
import { type FollowParts, followTurn } from './follow-turn.ts';

interface OneTurn {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** True to write the reply as it arrives; false to write its text at the end, for programs. */
  readonly isLive: boolean;
}

/** Sends one message and shows the reply. A turn that failed or cannot be answered is a CommandFailure that says what to do. */
export const talkOnce = async (parts: FollowParts, turn: OneTurn): Promise<void> => {
  const { turnId } = await parts.session.send(turn.text, { parts: [...turn.attachments] });
  let view: ReplyView = emptyView;
  const outcome = await followTurn(parts, turnId, (event) => {
    view = foldEvent(view, event);
  });
  const reply = view.messages.at(-1);
  if (!turn.isLive && reply !== undefined && outcome.kind === 'ended' && !outcome.isError)
    parts.write(withLineEnd(textOf(reply)));
  if (outcome.kind === 'interrupted') throw new CommandFailure('stopped', { exitCode: exitCodes.interrupted });
  if (outcome.kind === 'unanswered') {
    throw new CommandFailure('the agent asks for an answer and no one is here to give it', {
      hint: `svc inbox answer ${outcome.requestId}`,
    });
  }
  if (outcome.isError) throw new CommandFailure(`${view.lastEnd?.error ?? 'the turn failed'} (${outcome.reason})`);
};

const withLineEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
