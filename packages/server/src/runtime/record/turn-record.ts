/** How the stored texts of sessions, turns, messages and permission requests read, and what follows from them alone. */
import type { JournalRow, PermissionRow, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import {
  PART,
  type Part,
  type PermissionData,
  type PlacedPart,
  type SessionSide,
  type StepRecord,
  type TurnBody,
  type TurnCause,
  type TurnUsage,
} from './contract.ts';

/** Body of a MODEL_RESPONSE entry: the parts of one model call in stored order, USAGE and TOOL_CALL included. */
export interface ModelResponseEntry {
  readonly messageId: string;
  readonly parts: readonly Part[];
  readonly usage: TurnUsage;
  /** Number of the model call in the turn, from 1. */
  readonly step: number;
  /** Absent in entries of releases before, whose requests cannot be rebuilt. */
  readonly request?: StepRecord;
}

export interface ToolResultEntry {
  readonly messageId: string;
  readonly part: Part;
  readonly callId: string;
}

/** Steering messages absorbed before the next model call. */
export interface SteerInputEntry {
  /** The message that was closed; '' when it had no parts and continues under the new id. */
  readonly closedMessageId: string;
  readonly messageIds: readonly string[];
  readonly nextMessageId: string;
}

/**
 * Kind of the entry of a summary that would have saved nothing, and so replaces nothing. A node of the release before, to which a running
 * turn may go during an upgrade, takes each entry of a kind that it does not know for one with a part and fails where there is none; of this
 * kind it reads `parts` and nothing else.
 */
export const UNUSED_SUMMARY = 'HARNESS';

/** A compaction call. */
export interface CompactionEntry {
  readonly messageId: string;
  /** The summary; absent when it replaces nothing. */
  readonly part?: Part;
  /** In entries of the kind `UNUSED_SUMMARY`, which have no part. */
  readonly parts?: readonly [];
  /** These two are absent in entries of releases before, whose requests cannot be rebuilt. */
  readonly usage?: TurnUsage;
  readonly request?: StepRecord;
}

/** A part that is in the message and changes nothing else: permission questions and answers, compaction. */
interface PartEntry {
  readonly messageId: string;
  /** Absent for a summary that replaces nothing. */
  readonly part?: Part;
}

/** The compaction call of an entry; undefined for an entry of anything else. */
export const compactionIn = ({ kind, body }: Pick<JournalRow, 'kind' | 'body'>): CompactionEntry | undefined => {
  if (kind !== 'COMPACTION' && kind !== UNUSED_SUMMARY) return undefined;
  const entry = JSON.parse(body) as CompactionEntry;
  return kind === 'COMPACTION' || entry.usage !== undefined ? entry : undefined;
};

/** JSON of SteerRow.body. */
export interface SteerBody {
  readonly cause: TurnCause;
  /** Id of the assistant message that follows this steering message. */
  readonly nextMessageId: string;
  /** Profile its label asks for; used when the message becomes a turn of its own. */
  readonly profile: string;
}

/** What a turn keeps in addition to the columns of its row. */
export const parseBody = (turn: TurnRow): TurnBody => JSON.parse(turn.body) as TurnBody;

/** When a turn was admitted, Unix time; the row's own time is its place in line. */
export const admittedAt = (turn: Pick<TurnRow, 'createdAt'>, body: TurnBody): number =>
  body.createdAt ?? turn.createdAt;

/** True when the turn has its terminal state. */
export const isTurnOver = (turn: TurnRow): boolean =>
  turn.state === 'COMPLETED' || turn.state === 'FAILED' || turn.state === 'STOPPED';

/** The request that a row keeps, with its answer once there is one. */
export const parsePermission = (row: PermissionRow): PermissionData => JSON.parse(row.body) as PermissionData;

/** Recorded parts of a running turn in stored order, from its journal. */
export const recordedParts = (journal: readonly JournalRow[]): PlacedPart[] => {
  const placed: PlacedPart[] = [];
  for (const row of journal) {
    if (row.kind === 'MODEL_RESPONSE' || row.kind === 'HARNESS') {
      const entry = JSON.parse(row.body) as Pick<ModelResponseEntry, 'messageId' | 'parts'>;
      for (const part of entry.parts) placed.push({ messageId: entry.messageId, part });
    } else if (row.kind !== 'STEER_INPUT') {
      const entry = JSON.parse(row.body) as PartEntry;
      if (entry.part !== undefined) placed.push({ messageId: entry.messageId, part: entry.part });
    }
  }
  return placed;
};

/** Units a part counts in a sequence: UTF-16 units of text and reasoning, 1 for every other part. */
export const unitsOf = (part: Part): number =>
  part.type === PART.TEXT || part.type === PART.REASONING ? (part.content ?? '').length : 1;

/** Side state of a session that has none yet. */
export const EMPTY_SIDE: SessionSide = {
  skills: [],
  tokenCorrection: {},
  remembered: {},
  acpSessionId: '',
  sandboxRef: '',
};

/** What a session keeps in addition to its messages: active skills, remembered answers and the like. */
export const parseSide = (session: SessionRow): SessionSide =>
  session.body === '' || session.body === '{}' ? EMPTY_SIDE : (JSON.parse(session.body) as SessionSide);

/** The session with another sandbox ('' = none) in place of `from`; undefined when it shows something else, or that one already. */
export const withSandbox = (
  session: SessionRow,
  { from, to }: { readonly from?: string; readonly to: string },
): SessionRow | undefined => {
  const side = parseSide(session);
  if (side.sandboxRef === to || (from !== undefined && side.sandboxRef !== from)) return undefined;
  return { ...session, body: JSON.stringify({ ...side, sandboxRef: to }) };
};

/** Id of the part at `index` of its message: six digits. */
export const partId = (index: number): string => index.toString().padStart(6, '0');

/** As everybody outside may see it: continuation data never leaves the server. */
export const publicPart = (part: Part): Part => {
  if (part.continuation === undefined) return part;
  const { continuation: _private, ...rest } = part;
  return rest;
};

/** Reply text: the text parts after the last tool call, result or permission part, joined by newline. */
export const replyTextOf = (parts: readonly Part[]): string => {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === PART.TEXT) texts.push(part.content ?? '');
    else if (
      part.type === PART.TOOL_CALL ||
      part.type === PART.TOOL_RESULT ||
      part.type === PART.REQUEST_PERMISSION ||
      part.type === PART.PERMISSION_RESULT
    )
      texts.length = 0;
  }
  return texts.join('\n');
};
