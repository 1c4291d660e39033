import { isTurnOver, PART, type Part, parseBody, replyTextOf } from '../../../runtime/contract.ts';
import type { ReadTx, TurnRow } from '../../../store/contracts/index.ts';
import type { SentWork } from './delegation-rules.ts';

/** How a message to another agent was answered. */
export interface DelegatedReply {
  readonly turnId: string;
  readonly state: 'open' | 'completed' | 'failed' | 'stopped' | 'gone';
  /** The reply text, or why there is none. */
  readonly text: string;
}

/** What became of the turn that worked on a message. */
export const replyOf = async (tx: Pick<ReadTx, 'log'>, { turnId }: SentWork): Promise<DelegatedReply> => {
  const turn = await tx.log.turn(turnId);
  if (turn === undefined) return { turnId, state: 'gone', text: 'its session was cleared or deleted' };
  if (!isTurnOver(turn)) return { turnId, state: 'open', text: openText(turn) };
  if (turn.state === 'STOPPED') return { turnId, state: 'stopped', text: 'it was stopped before it answered' };
  if (turn.state === 'FAILED') return { turnId, state: 'failed', text: parseBody(turn).error ?? 'it failed' };
  return { turnId, state: 'completed', text: replyTextOf(await lastParts(tx, turn)) };
};

const openText = (turn: TurnRow): string => {
  if (turn.state === 'QUEUED') return 'waiting to start';
  if (turn.state === 'RUNNING') return 'working';
  return parseBody(turn).park?.kind === 'permission' ? 'waiting for a person' : 'waiting for others';
};

const lastParts = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<readonly Part[]> => {
  const message = await tx.log.message(turn.sessionId, parseBody(turn).replyMessageIds.at(-1) ?? '');
  return message === undefined ? [] : (JSON.parse(message.parts) as Part[]);
};

/** A text as the only part of a message. */
export const textPart = (text: string, createdAt: number): Part => ({
  id: '',
  type: PART.TEXT,
  content: text,
  createdAt,
});
