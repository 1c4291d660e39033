import type { JournalRow, SessionRow, TurnRow } from '../store/contracts/index.ts';
import type { Part, PlacedPart, SessionSide, TurnBody, TurnUsage } from './contract.ts';

/** Body of a MODEL_RESPONSE entry: the parts of one model call in stored order, USAGE and TOOL_CALL included (RT-5). */
export interface ModelResponseEntry {
  readonly messageId: string;
  readonly parts: readonly Part[];
  readonly usage: TurnUsage;
  /** Number of the model call in the turn, from 1. */
  readonly step: number;
}

export interface ToolResultEntry {
  readonly messageId: string;
  readonly part: Part;
  readonly callId: string;
}

/** Steering messages absorbed before the next model call (RT-2.5 row 2). */
export interface SteerInputEntry {
  /** The message that was closed; '' when it had no parts and goes on under the new id (RT-R12). */
  readonly closedMessageId: string;
  readonly messageIds: readonly string[];
  readonly nextMessageId: string;
}

/** A part that stands in the message and changes nothing else: permission questions and answers, compaction. */
export interface PartEntry {
  readonly messageId: string;
  readonly part: Part;
}

export const parseBody = (turn: TurnRow): TurnBody => JSON.parse(turn.body) as TurnBody;

/** Recorded parts of a running turn in stored order, from its journal (RT-2.6). */
export const recordedParts = (journal: readonly JournalRow[]): PlacedPart[] => {
  const placed: PlacedPart[] = [];
  for (const row of journal) {
    if (row.kind === 'MODEL_RESPONSE') {
      const entry = JSON.parse(row.body) as ModelResponseEntry;
      for (const part of entry.parts) placed.push({ messageId: entry.messageId, part });
    } else if (row.kind !== 'STEER_INPUT') {
      const entry = JSON.parse(row.body) as PartEntry;
      placed.push({ messageId: entry.messageId, part: entry.part });
    }
  }
  return placed;
};

/** Units a part counts in a sequence: UTF-16 units of text and reasoning, 1 for every other part (RT-1). */
export const unitsOf = (part: Part): number => (part.type === 1 || part.type === 2 ? (part.content ?? '').length : 1);

export const EMPTY_SIDE: SessionSide = {
  skills: [],
  tokenCorrection: {},
  remembered: {},
  acpSessionId: '',
  sandboxRef: '',
};

export const parseSide = (session: SessionRow): SessionSide =>
  session.body === '' || session.body === '{}' ? EMPTY_SIDE : (JSON.parse(session.body) as SessionSide);

/** Id of the part at `index` of its message: six digits (RT-5). */
export const partId = (index: number): string => index.toString().padStart(6, '0');
