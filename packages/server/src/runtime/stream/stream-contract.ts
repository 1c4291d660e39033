import type { ReadTx, SessionRow } from '../../store/contracts/index.ts';
import type { Sink } from '../../streams/index.ts';
import type { SessionEvent } from '../contract.ts';

/** What features need of session streams; app hands them the implementation of `runtime/stream`. */

export interface FollowedSession {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  /** `""` and `"0"`: running turn from its start; `"live"`; or a cursor. */
  readonly after: string;
}

export interface FollowRequest {
  readonly sessions: readonly FollowedSession[];
  /**
   * Ends OK after the next terminal event of each session; on an idle session, without a turn and without a cursor, after
   * `streams.untilDoneIdleSeconds` as well.
   */
  readonly untilDone: boolean;
  /** Only this turn of the one session, from its start unless `after` says otherwise; '' = all turns. */
  readonly turnId: string;
  /** A session deleted later becomes an ERROR event and the others continue. */
  readonly batch: boolean;
  /** A unary call waits for its turn: `shutDown` lets it run on, `close` ends it. */
  readonly isWait?: boolean;
}

/** Session streams: backfill, cut-over and live joined without gap or duplicate. */
export interface SessionStreams {
  /**
   * Resolves at an OK end or when `signal` aborts; rejects with a Fault: SESSION_NOT_FOUND, TURN_NOT_FOUND, CURSOR_EXPIRED,
   * SLOW_CONSUMER (metadata `cursor`), SHUTTING_DOWN (metadata `cursor`).
   */
  follow(request: FollowRequest, sink: Sink<SessionEvent>, signal: AbortSignal): Promise<void>;
  /** Ends every stream with SHUTTING_DOWN and its cursor; later `follow` calls are refused the same way. */
  shutDown(): void;
  /** Ends what `shutDown` left, once no turn runs here any more. */
  close(): void;
}

/** Cursors of answers that carry `stream_cursor`. */
export interface AnswerCursors {
  /** From the snapshot that the answer was read in; a promise only while a turn is open. */
  answerCursor(tx: Pick<ReadTx, 'log'>, session: SessionRow): string | Promise<string>;
}

/**
 * Bus subject of notifications that something in a session changed that lists show: it was made, cleared, deleted, a
 * message was added or edited, a turn was queued, taken, parked, stopped or ended. Published after the commit; losing one costs
 * freshness only.
 */
export const SESSION_ACTIVITY = 'session.activity';

export interface SessionActivity {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  /** '' when no turn is concerned. */
  readonly turnId: string;
  /** The message that was stored or edited, '' for none. */
  readonly messageId: string;
}
