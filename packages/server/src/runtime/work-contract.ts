import type { MessageRow, SessionRow, WriteTx } from '../store/contracts/index.ts';
import type { Part } from './part-contract.ts';
import type { TurnCause } from './turn-contract.ts';

/** How work comes in and what may be done to a session: exported to features. */

export type WhenBusy = 'QUEUE' | 'STEER' | 'REJECT' | 'INTERRUPT';

/** One accepted piece of work from any source. */
export interface Submission {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  /** Text first; ids are given by admission when ''. Objects and URLs are already stored and checked. */
  readonly parts: readonly Part[];
  readonly labels: Readonly<Record<string, string>>;
  readonly whenBusy: WhenBusy;
  readonly cause: TurnCause;
  /** Ids chosen by the caller for deterministic replays; otherwise allotted. */
  readonly turnId?: string;
}

export interface Admitted {
  readonly messageId: string;
  readonly turnId: string;
  readonly replyMessageId: string;
  /** True when the message joined the running turn. */
  readonly steered: boolean;
}

export interface Admission {
  /**
   * Admits a message inside the caller's transaction: checks, message, turn, wake-up. Throws Fault and changes nothing.
   * Wakes workers after the commit.
   */
  admit(tx: WriteTx, submission: Submission): Promise<Admitted>;
}

export interface SessionLifecycle {
  /** Inserts the Session resource and row, reserves agent.sessions, sets last_session_id of the agent. */
  create(
    tx: WriteTx,
    request: {
      readonly namespace: string;
      readonly agent: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
      readonly sessionId?: string;
    },
  ): Promise<SessionRow>;
  remove(tx: WriteTx, session: SessionRow): Promise<void>;
  /** Throws SESSION_BUSY while busy unless `stop`. */
  clear(tx: WriteTx, session: SessionRow, stop: boolean): Promise<void>;
  fork(
    tx: WriteTx,
    session: SessionRow,
    options: {
      readonly throughMessageId: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
    },
  ): Promise<SessionRow>;
  append(
    tx: WriteTx,
    session: SessionRow,
    message: {
      readonly id: string;
      readonly role: number;
      readonly createdAt: number;
      readonly labels: Readonly<Record<string, string>>;
      readonly parts: readonly Part[];
    },
  ): Promise<MessageRow>;
  /** Empty turnId: the running or waiting turn and all queued ones. Answers the ids that this call stopped. */
  stop(tx: WriteTx, session: SessionRow, turnId: string): Promise<readonly string[]>;
  /** Stops every running and waiting turn of the namespaces; queued ones stay. */
  stopNamespaces(tx: WriteTx, namespaces: ReadonlySet<string>): Promise<void>;
  /** Same answer again is fine; another, or a closed request, is PERMISSION_CLOSED. */
  answerPermission(
    tx: WriteTx,
    session: SessionRow,
    answer: {
      readonly requestId: string;
      readonly allow: boolean;
      readonly optionId: string;
      readonly comment: string;
      readonly decidedBy: string;
    },
  ): Promise<PermissionData>;
}

/** JSON of PermissionRow.body and of the REQUEST_PERMISSION payload, in camelCase. */
export interface PermissionData {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly action: string;
  readonly prompt: string;
  readonly input: unknown;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    readonly allow: boolean;
    readonly remember: boolean;
  }[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decision: 'PENDING' | 'ALLOW' | 'DENY';
  readonly optionId: string;
  readonly decidedBy: string;
  readonly decidedAt: number;
  readonly comment: string;
}
