/** Parts and events: what a session stores and shows. */

/** Reference to stored bytes (svc.data.ObjectRef without presence questions). */
export interface ObjectData {
  readonly key: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filename: string;
}

/** Numeric svc.data.SessionMessagePartType values that stored parts use. */
export const PART = {
  TEXT: 1,
  REASONING: 2,
  TOOL_CALL: 3,
  TOOL_RESULT: 4,
  USAGE: 5,
  ERROR: 6,
  IMAGE: 7,
  AUDIO: 8,
  VIDEO: 9,
  FILE: 10,
  REQUEST_PERMISSION: 11,
  PERMISSION_RESULT: 12,
  COMPACTION: 13,
} as const;

export type PartType = (typeof PART)[keyof typeof PART];

/** One stored and streamed unit. Stored as compact JSON; `continuation` never leaves the server. */
export interface Part {
  /** Six digits from 000000 per message; live parts carry the id they will have stored. */
  readonly id: string;
  readonly type: PartType;
  readonly content?: string;
  readonly name?: string;
  /** Keys in snake_case, as clients read them in payload_json. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly object?: ObjectData;
  /** Provider continuation data of REASONING, or the provider's own id of a TOOL_CALL. */
  readonly continuation?: unknown;
}

/** A part together with the assistant message it belongs to: the unit of the turn's part list. */
export interface PlacedPart {
  readonly messageId: string;
  readonly part: Part;
}

/** Numeric svc.events.SessionMessagePartEventKind. */
export const EVENT = { DELTA: 1, DONE: 2, ERROR: 3, RESET: 4 } as const;

export type EventKind = (typeof EVENT)[keyof typeof EVENT];

/** One event of a session as the bus carries it (subject `ev.<sessionId>`). The same object reaches every follower. */
export interface SessionEvent {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly messageId: string;
  readonly kind: EventKind;
  /** DELTA: one part or a piece of TEXT/REASONING. ERROR: the ERROR part. Absent for DONE and RESET. */
  readonly part?: Part;
  readonly attempt: number;
  readonly fence: number;
  /** fence * 2^24 + units sent under the fence, this event included. */
  readonly sequence: number;
  /** Units of this event: UTF-16 units of a text piece, else 1. */
  readonly units: number;
  readonly timestamp: number;
  readonly reason: string;
}

/** Sequences that one fence has room for. */
export const SEQUENCE_BASE = 2 ** 24;

/** Bus subject of the events of a session; a message is a SessionEvent. */
export const eventSubject = (sessionId: string): string => `ev.${sessionId}`;

/** Message: {}; some turn became ready. */
export const WAKE_TURNS = 'wake.turns';

/** Message: {turnId, sessionId}; the worker that runs the turn checks its stop flag. */
export const STOP_TURN = 'cmd.stop';

/** Message: {sessionId, namespace, agent, reason: 'cleared' | 'deleted'}; followers end or refuse old cursors. */
export const SESSION_CHANGED = 'session.changed';
