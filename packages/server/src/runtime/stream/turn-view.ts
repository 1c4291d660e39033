import type { JournalRow, MessageRow, TurnRow } from '../../store/contracts/index.ts';
import { EVENT, type LiveTurn, PART, type Part, type PlacedPart, type Span } from '../contract.ts';
import { admittedAt, parseBody, recordedParts } from '../record/index.ts';

/** The terminal event of a turn as its row tells it. */
interface TurnTerminal {
  readonly kind: typeof EVENT.DONE | typeof EVENT.ERROR;
  readonly sequence: number;
  readonly attempt: number;
  readonly messageId: string;
  readonly reason: string;
  readonly timestamp: number;
  /** The stored ERROR part of a FAILED turn. */
  readonly part?: Part;
}

/** Everything events of one turn are cut from: spans, parts in stored order, and the end when there is one. */
export interface TurnView {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly spans: readonly Span[];
  readonly parts: readonly PlacedPart[];
  readonly startedAt: number;
  readonly terminal?: TurnTerminal;
}

const names = (turn: TurnRow): Pick<TurnView, 'namespace' | 'agent' | 'sessionId' | 'turnId'> => ({
  namespace: turn.namespace,
  agent: turn.agent,
  sessionId: turn.sessionId,
  turnId: turn.id,
});

/** A running turn of this process: what it has shown so far, the unfinished step included. */
export const viewOfLive = (turn: TurnRow, live: LiveTurn): TurnView => ({
  ...names(turn),
  spans: live.spans,
  parts: live.parts,
  startedAt: admittedAt(turn, parseBody(turn)),
});

/** An open turn that runs elsewhere or nowhere: what its journal records. */
export const viewOfJournal = (turn: TurnRow, journal: readonly JournalRow[]): TurnView => {
  const body = parseBody(turn);
  return {
    ...names(turn),
    spans: body.spans,
    parts: recordedParts(journal),
    startedAt: body.startedAt || admittedAt(turn, body),
  };
};

/** An ended turn, from its row and its stored assistant messages in order. */
export const viewOfMessages = (turn: TurnRow, messages: readonly MessageRow[]): TurnView => {
  const body = parseBody(turn);
  const parts = messages.flatMap((message) =>
    (JSON.parse(message.parts) as Part[]).map((part) => ({ messageId: message.id, part })),
  );
  const last = parts.at(-1);
  const storedError = turn.state === 'FAILED' && last?.part.type === PART.ERROR ? last.part : undefined;
  const reason = body.reason ?? (turn.state === 'STOPPED' ? 'stopped' : 'completed');
  return {
    ...names(turn),
    spans: body.spans,
    parts: storedError === undefined ? parts : parts.slice(0, -1),
    startedAt: body.startedAt || admittedAt(turn, body),
    terminal: {
      kind: turn.state === 'FAILED' ? EVENT.ERROR : EVENT.DONE,
      sequence: body.lastSequence,
      attempt: Math.max(1, turn.attempt),
      messageId: body.replyMessageIds.at(-1) ?? '',
      reason,
      timestamp: turn.finishedAt,
      ...(turn.state === 'FAILED' ? { part: storedError ?? errorPart(body.error ?? '', reason, turn.finishedAt) } : {}),
    },
  };
};

const errorPart = (content: string, reason: string, createdAt: number): Part => ({
  id: '000000',
  type: PART.ERROR,
  content,
  payload: { reason },
  createdAt,
});
