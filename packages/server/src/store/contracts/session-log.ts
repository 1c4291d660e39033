/**
 * Rows of conversations: session, message, turn, journal, steer entry, permission request. The store keeps and
 * finds rows; every rule about them lives in runtime. `body` fields are JSON text that the store does not read.
 */

/**
 * Holder name of object references that belong to a session. Holders of its parts are named below it
 * (`sessionHolder(id) + '/' + part`); deleting or clearing the session drops them all.
 */
export const sessionHolder = (sessionId: string): string => `session/${sessionId}`;

export type SessionState = 'IDLE' | 'PROCESSING' | 'WAITING';
export type TurnState = 'QUEUED' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

export interface SessionRow {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly state: SessionState;
  readonly fence: number;
  readonly epoch: number;
  readonly createdAt: number;
  readonly lastActive: number;
  /** Open turns (QUEUED, RUNNING, WAITING). */
  readonly openTurns: number;
  /** The RUNNING or WAITING turn, else ''. */
  readonly activeTurnId: string;
  /** Last admission number given out. */
  readonly admission: number;
  /** Greatest message id allotted so far, '' when none. */
  readonly lastMessageId: string;
  /** Last sequence published on any turn of the session. */
  readonly lastSequence: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Side state as JSON: active skills, ACP id, sandbox, token counts. */
  readonly body: string;
}

export interface MessageRow {
  readonly id: string;
  readonly sessionId: string;
  /** Numeric svc.data.MessageRole. */
  readonly role: number;
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Turn this message belongs to; '' when appended. */
  readonly turnId: string;
  /** JSON array of stored parts (canonical protobuf JSON of SessionMessagePart plus private continuation data). */
  readonly parts: string;
  /** +1 at every change of labels or parts: caches key on (id, revision). */
  readonly revision: number;
}

export interface TurnRow {
  readonly id: string;
  readonly sessionId: string;
  readonly namespace: string;
  readonly agent: string;
  /** Place in the queue of the session. INTERRUPT takes one ahead of the queued turns (fractions allowed). */
  readonly admission: number;
  readonly state: TurnState;
  /** True when a worker may claim it now: the oldest open turn of its session, QUEUED, namespace live. */
  readonly ready: boolean;
  readonly attempt: number;
  readonly fence: number;
  /** '' when unclaimed. */
  readonly worker: string;
  /** Store-clock micros; 0 when unclaimed. */
  readonly claimExpiresAt: number;
  readonly stopRequested: boolean;
  /** Unix time, micros, at which a parked turn wakes at the latest; 0 = not parked. */
  readonly wakeAt: number;
  /** Place in the line of its namespace, by the clock of the store; people are shown what the body says. */
  readonly createdAt: number;
  readonly finishedAt: number;
  readonly userMessageId: string;
  /** JSON: spans, snapshot, cause, reply message ids, usage, error, park condition, options. */
  readonly body: string;
}

export interface JournalRow {
  readonly turnId: string;
  readonly index: number;
  /** MODEL_RESPONSE, TOOL_RESULT, STEER_INPUT, COMPACTION, PARK, RESUME, HARNESS. */
  readonly kind: string;
  readonly at: number;
  readonly body: string;
}

export interface SteerRow {
  readonly sessionId: string;
  readonly messageId: string;
  readonly turnId: string;
  readonly bytes: number;
  readonly body: string;
}

export interface PermissionRow {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly open: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly body: string;
}

export interface SessionPage {
  readonly namespace: string;
  readonly agent: string;
  /** Exclusive: rows older than this (lastActive, id), newest activity first. */
  readonly before?: { readonly lastActive: number; readonly id: string };
  readonly labels?: readonly import('./resource-store.ts').LabelRequirement[];
  readonly limit: number;
}

/** What a renewal learns about one claim without a bus. */
export interface ClaimNews {
  readonly turnId: string;
  readonly held: boolean;
  readonly stopRequested: boolean;
  readonly steerCount: number;
}

/** How far a session has come, for a process that follows what others do in it. */
export interface SessionStanding {
  readonly id: string;
  readonly state: SessionState;
  readonly fence: number;
  readonly lastSequence: number;
  readonly openTurns: number;
  readonly activeTurnId: string;
  /** Journal entries of the active turn. */
  readonly recorded: number;
}

/** How far the turns that were admitted have been read. Opaque; made by the engine. */
export interface AdmissionMark {
  readonly row: number;
  /** Numbers below `row` whose transaction may still commit, each with the reads for which it is still asked. */
  readonly missing: readonly { readonly row: number; readonly readsLeft: number }[];
}

/** Sessions in which turns were admitted since a mark, each as often as a turn was, and the mark of the next read. */
export interface NewTurns {
  readonly sessions: readonly { readonly namespace: string; readonly agent: string; readonly sessionId: string }[];
  readonly mark: AdmissionMark;
}

export interface SessionLogReads {
  session(id: string): Promise<SessionRow | undefined>;
  /** In one statement; a session that is gone is left out. */
  standings(ids: readonly string[]): Promise<readonly SessionStanding[]>;
  /**
   * Turns admitted by any process since the mark, at most `limit`; without one, those of the last moment before now. Costs
   * nothing per session that nothing happened in.
   */
  newTurns(mark: AdmissionMark | undefined, limit: number): Promise<NewTurns>;
  sessions(page: SessionPage): Promise<readonly SessionRow[]>;
  message(sessionId: string, id: string): Promise<MessageRow | undefined>;
  /** Messages with that id in any session, at most `limit`: forks and clients may use an id again. */
  messagesOfId(id: string, limit: number): Promise<readonly MessageRow[]>;
  /** Newest first: messages with id < `before` (absent = all), at most `limit`. */
  messagesBefore(sessionId: string, before: string | undefined, limit: number): Promise<readonly MessageRow[]>;
  /** Ascending: messages with id > `after` ('' = all), at most `limit`. */
  messagesAfter(sessionId: string, after: string, limit: number): Promise<readonly MessageRow[]>;
  turn(id: string): Promise<TurnRow | undefined>;
  /** QUEUED, RUNNING and WAITING turns in admission order. */
  openTurns(sessionId: string): Promise<readonly TurnRow[]>;
  /** Newest first by id, `before` exclusive. */
  turns(
    sessionId: string,
    options: { readonly before?: string; readonly state?: TurnState; readonly limit: number },
  ): Promise<readonly TurnRow[]>;
  /** Turns of the session that have begun, with a fence >= `fence`, ascending by fence; for cursor resumes. */
  turnsFromFence(sessionId: string, fence: number, limit: number): Promise<readonly TurnRow[]>;
  journal(turnId: string): Promise<readonly JournalRow[]>;
  steers(sessionId: string): Promise<readonly SteerRow[]>;
  permission(id: string): Promise<PermissionRow | undefined>;
  permissionsOfTurn(turnId: string): Promise<readonly PermissionRow[]>;
  /** Open requests of these namespaces or of all, oldest first by id, `after` exclusive. */
  openPermissions(
    namespaces: readonly string[] | 'all',
    after: string,
    limit: number,
  ): Promise<readonly PermissionRow[]>;
}

export interface SessionLogWrites extends SessionLogReads {
  /** As `session`, and holds the row until the transaction ends: orders admission, claim, journal, final, stop and park. */
  lockSession(id: string): Promise<SessionRow | undefined>;
  insertSession(row: SessionRow): Promise<void>;
  saveSession(row: SessionRow): Promise<void>;
  /** Removes the session with its messages, turns, journal, steers, permissions and object references. */
  deleteSession(id: string): Promise<void>;
  /** Removes messages, turns, journal, steers, permissions and object references; the row stays. */
  clearSession(id: string): Promise<void>;
  /** Fault ALREADY_EXISTS MESSAGE_EXISTS when the id is taken. */
  insertMessage(row: MessageRow): Promise<void>;
  saveMessage(row: MessageRow): Promise<void>;
  deleteMessages(sessionId: string, ids: readonly string[]): Promise<void>;
  insertTurn(row: TurnRow): Promise<void>;
  /** Writes the whole row where id matches and, when given, fence and one of the states do; false = nothing written. */
  saveTurn(row: TurnRow, guard?: { readonly fence: number; readonly states: readonly TurnState[] }): Promise<boolean>;
  /** Ready turns: oldest first within a namespace, namespaces in rotation; rows are locked against other claimers. */
  readyTurns(limit: number): Promise<readonly TurnRow[]>;
  /** RUNNING or held turns whose claim expired before `now`. */
  expiredClaims(now: number, limit: number): Promise<readonly TurnRow[]>;
  /**
   * RUNNING or held turns whose worker announced itself and is gone, whatever their leases say; the worker stays so until the
   * transaction ends. Where no one but this process can hold claims: of every worker that is not announced here.
   */
  deadClaims(limit: number): Promise<readonly TurnRow[]>;
  /** Parked turns with 0 < wakeAt <= now. */
  dueParks(now: number, limit: number): Promise<readonly TurnRow[]>;
  /** All claims of a worker, or of all workers. */
  claimedTurns(worker: string | undefined, limit: number): Promise<readonly TurnRow[]>;
  /** Claimed and parked turns of a namespace, ascending by id, `after` exclusive; costs what runs and waits, never the backlog. */
  startedTurns(namespace: string, after: string, limit: number): Promise<readonly TurnRow[]>;
  /** Extends every claim of the worker that still carries (turn id, fence) in one statement; news for each asked claim. */
  renewClaims(
    worker: string,
    claims: readonly { readonly turnId: string; readonly fence: number }[],
    expiresAt: number,
  ): Promise<readonly ClaimNews[]>;
  /** PROCESSING or WAITING sessions without an open turn, for the sweeper's repair. */
  stuckSessions(limit: number): Promise<readonly SessionRow[]>;
  appendJournal(rows: readonly JournalRow[]): Promise<void>;
  /** Drops journals of turns that ended before `beforeMicros`. */
  trimJournal(beforeMicros: number, limit: number): Promise<number>;
  insertSteer(row: SteerRow): Promise<void>;
  deleteSteers(sessionId: string, messageIds: readonly string[]): Promise<void>;
  insertPermission(row: PermissionRow): Promise<void>;
  savePermission(row: PermissionRow): Promise<void>;
  /** Marks every turn of a namespace ready or not (tombstone, revival): only the oldest open QUEUED turn of a session becomes ready. */
  setNamespaceReady(namespace: string, ready: boolean): Promise<void>;
}
