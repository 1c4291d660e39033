import { isRecord } from '../../../base/index.ts';
import { isTurnOver, PART, type Part, parseBody, replyTextOf } from '../../../runtime/contract.ts';
import type { JournalRow, ReadTx, TurnRow } from '../../../store/contracts/index.ts';
import type { SentWork } from './delegation-rules.ts';

/** How a message to another agent was answered. */
export interface DelegatedReply {
  readonly turnId: string;
  /** `asks`: an agent elsewhere waits for an answer; `expired`: it had no time left. */
  readonly state: 'open' | 'completed' | 'failed' | 'stopped' | 'gone' | 'asks' | 'expired';
  /** The reply text, or why there is none. */
  readonly text: string;
}

/** What became of the work on a message. */
export const replyOf = async (tx: Pick<ReadTx, 'log'>, { turnId, remote }: SentWork): Promise<DelegatedReply> => {
  if (remote !== undefined) return { turnId, state: remote.state, text: remote.text };
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

/** Ids of the calls of a turn whose recorded results are their own. */
export const deliveringCalls = (journal: readonly JournalRow[]): ReadonlySet<string> =>
  new Set(
    journal
      .filter(({ kind }) => kind === 'TOOL_RESULT')
      .map(({ body }) => (JSON.parse(body) as { readonly part: Part }).part.payload ?? {})
      .filter((result) => !isReplaced(result))
      .map((result) => String(result['tool_call_id'])),
  );

/** The runtime answered in place of the call, which was denied or ran out of time. A call's own failures have code `failed`. */
const isReplaced = ({ is_error: isError, output }: Readonly<Record<string, unknown>>): boolean =>
  isError === true && isRecord(output) && output['code'] !== 'failed';

/** A text as the only part of a message. */
export const textPart = (text: string, createdAt: number): Part => ({
  id: '',
  type: PART.TEXT,
  content: text,
  createdAt,
});
