import type { MessageRow, ReadTx, TurnRow } from '../../store/contracts/index.ts';
import type { HistoryReader, Part, StepRecord, TranscriptMessage } from '../contract.ts';
import { parseBody, recordedParts } from '../record/index.ts';

const PAGE = 256;
const ASSISTANT = 2;

/** What a model was shown of a conversation, and whether all of it is still there. */
export interface StepTranscript {
  readonly messages: readonly TranscriptMessage[];
  /** Messages of the history more (or less) than were seen. */
  readonly surplus: number;
  /** Something of the turn itself is gone. */
  readonly isIncomplete: boolean;
  /** There are messages before the history that were not read. */
  readonly olderId: string | undefined;
}

/** Messages of the turn up to the one that was being written, ascending. */
const ownRows = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow, record: StepRecord): Promise<readonly MessageRow[]> => {
  const [first = turn.userMessageId] = parseBody(turn).userMessageIds;
  const last = await tx.log.message(turn.sessionId, record.messageId);
  const rows = last === undefined ? [] : [last];
  for (let before = record.messageId; before > first; ) {
    const page = await tx.log.messagesBefore(turn.sessionId, before, PAGE);
    rows.push(...page.filter(({ id }) => id >= first));
    if (page.length < PAGE) break;
    before = page.at(-1)?.id ?? '';
  }
  return rows.filter(({ turnId }) => turnId === turn.id).reverse();
};

const shown = ({ id, role, turnId, labels, parts }: MessageRow): TranscriptMessage => ({
  id,
  role,
  turnId,
  labels,
  parts: JSON.parse(parts) as readonly Part[],
});

/** The turn's own messages as its model saw them: the one that was being written only as far as it was recorded. */
const ownMessages = async (
  tx: Pick<ReadTx, 'log'>,
  turn: TurnRow,
  record: StepRecord,
): Promise<readonly TranscriptMessage[]> => {
  const { messageId } = record;
  const stored = (await ownRows(tx, turn, record)).map(shown);
  const others = stored.filter(({ id }) => id !== messageId);
  if (record.parts === 0) return others;
  const journaled = (): readonly Part[] =>
    recordedParts(recorded).flatMap((it) => (it.messageId === messageId ? [it.part] : []));
  const recorded = stored.some(({ id }) => id === messageId) ? [] : await tx.log.journal(turn.id);
  const parts = (stored.find(({ id }) => id === messageId)?.parts ?? journaled()).slice(0, record.parts);
  return [...others, { id: messageId, role: ASSISTANT, turnId: turn.id, labels: {}, parts }];
};

/** Reads what the model of a step was shown, as it is stored now. */
export const stepTranscript = async (
  tx: ReadTx,
  at: { readonly turn: TurnRow; readonly record: StepRecord },
  history: Pick<HistoryReader, 'within'>,
): Promise<StepTranscript> => {
  const { turn, record } = at;
  const session = { id: turn.sessionId };
  const before = await history.within({ tx, session, turn }, record.history);
  const own = await ownMessages(tx, turn, record);
  const ids = new Set(own.map(({ id }) => id));
  const isIncomplete =
    parseBody(turn).userMessageIds.some((id) => !ids.has(id)) || (own.at(-1)?.parts.length ?? 0) < record.parts;
  const { oldest } = record.history;
  const older = oldest === '' ? [] : await tx.log.messagesBefore(turn.sessionId, oldest, 1);
  return {
    messages: [...before, ...own],
    surplus: before.length - record.history.count,
    isIncomplete,
    olderId: older[0]?.id,
  };
};
