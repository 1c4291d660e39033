import type { ReadTx, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import { parseBody } from '../record/index.ts';
import type { CursorCodec } from './cursor.ts';
import { startOfMessage, startOfTurn } from './cut-events.ts';
import { restingPosition } from './session-feed.ts';
import type { AnswerCursors } from './stream-contract.ts';
import { viewOfJournal } from './turn-view.ts';

/** The turn of a session that has begun and not ended: running, waiting, or handed over. */
export const startedTurn = async (tx: Pick<ReadTx, 'log'>, session: SessionRow): Promise<TurnRow | undefined> => {
  if (session.openTurns === 0) return undefined;
  if (session.activeTurnId !== '') return await tx.log.turn(session.activeTurnId);
  const open = await tx.log.openTurns(session.id);
  return open.find((turn) => turn.fence > 0);
};

/** `stream_cursor` of answers: resuming there gives exactly what the answer lacks. */
export const createAnswerCursors = (codec: CursorCodec): AnswerCursors => {
  const encode = (session: SessionRow, sequence: number): string =>
    codec.encode({ sessionId: session.id, epoch: session.epoch, sequence });

  const whileRunning = async (tx: Pick<ReadTx, 'log'>, session: SessionRow): Promise<string> => {
    const turn = await startedTurn(tx, session);
    const body = turn === undefined ? undefined : parseBody(turn);
    const first = body === undefined ? undefined : startOfTurn(body.spans);
    if (turn === undefined || body === undefined || first === undefined)
      return encode(session, restingPosition(session));
    const unfinished = body.replyMessageIds.at(-1) ?? '';
    if (body.replyMessageIds.length < 2) return encode(session, first);
    const view = viewOfJournal(turn, await tx.log.journal(turn.id));
    return encode(session, startOfMessage(view, unfinished) ?? first);
  };

  return {
    answerCursor: (tx, session) =>
      session.openTurns === 0 ? encode(session, restingPosition(session)) : whileRunning(tx, session),
  };
};
