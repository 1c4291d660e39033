import type { FaultPoints, MessageRow, SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import type { ClaimChange, ClaimState, TurnClaim } from '../claim/index.ts';
import type {
  AgentRevision,
  AttemptSpan,
  HistoryExtent,
  PlacedPart,
  TranscriptMessage,
  TurnBody,
  TurnUsage,
} from '../contract.ts';
import type { Knobs, ResolvedProfile, SteerInputEntry, TurnErrorClass } from '../record/index.ts';
import type { ModelAnswer, PartWriter } from './answer/index.ts';

/** Between the loop of an attempt and the kinds of steps. */

/** The claim as steps use it: what they record goes through `commit` of the turn. */
type StepClaim = Pick<TurnClaim, 'fence' | 'lost' | 'patiently' | 'guarded'>;

/** Work of one guarded transaction; what it answers is written with it. */
export type StepCommit = (tx: WriteTx, state: ClaimState) => Promise<ClaimChange>;

/**
 * A turn as its steps see it. The attempt owns it and alone changes it: steps read it, and what they do to it are the
 * functions below, each of which keeps what is recorded, shown and remembered in step.
 */
export interface StepTurn {
  /** Columns as they were claimed. */
  readonly row: Omit<TurnRow, 'body'>;
  /** The turn's body as the claim last committed or read it. */
  readonly body: TurnBody;
  readonly session: SessionRow;
  readonly agent: AgentRevision;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly profiles: readonly [ResolvedProfile, ...ResolvedProfile[]];
  readonly knobs: Knobs;
  readonly claim: StepClaim;
  /** Aborted by stop, loss of the claim or time-out. */
  readonly signal: AbortSignal;
  /** Trace and number of the attempt under way; a restart begins another one. */
  readonly span: AttemptSpan;
  readonly attempt: number;
  /** Assistant message being written, and the index of its next part. */
  readonly messageId: string;
  readonly nextIndex: number;
  /** Parts of the whole turn that are recorded, in stored order. */
  readonly recorded: readonly PlacedPart[];
  /** Writer of the model call under way. */
  readonly writer: PartWriter | undefined;
  /** Stop was asked for. */
  readonly isStopped: boolean;
  /** Nothing new may start: stop, time-out, hand-over or loss of the claim. */
  readonly isStopping: boolean;
  /** Steer entries may wait. */
  readonly steerPending: boolean;
  /** Micros the turn was active so far, earlier claims included; `runtime.turnTimeout` limits it. */
  activeMicros(): number;
  /** How far the history before the turn reaches. */
  readonly historyExtent: HistoryExtent;
  /** Whole model history with the parts recorded so far. */
  messages(): TranscriptMessage[];

  /** Records what `work` answers; parts that were not shown live are shown after the commit. */
  commit(work: StepCommit): Promise<void>;
  /** As `commit`, for the answer in `writer`, whose text was shown live. */
  commitAnswer(work: StepCommit): Promise<void>;
  /** A writer for a model call about to begin. */
  beginAnswer(): PartWriter;
  /** Takes back the answer under way: a new fence and attempt, which begin with a RESET of its message. */
  restart(): Promise<void>;
  /** Steering messages are recorded: the turn continues under the message after them. */
  absorb(entry: SteerInputEntry, messages: readonly MessageRow[]): void;
  /** Takes in what others recorded: answers of people. */
  refresh(): Promise<void>;
  /** Resolves when others recorded something, when the turn is aborted, and at the latest after `ms`. */
  news(ms: number): Promise<void>;
  /** While held, the turn takes no slot of its worker and is not active: its process waits for a person. */
  hold(isHeld: boolean): void;
  /** Sets `steerPending`. */
  noteSteers(arePending: boolean): void;
}

/** What a failed turn says; `metadata` holds the facts of a refusal. */
export interface StepFailure {
  readonly kind: 'failed';
  readonly errorClass: TurnErrorClass;
  readonly sentence: string;
  readonly usage: TurnUsage | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An answer without tool calls: the turn ends with it, unless steering asks for one more model call. */
export interface StepAnswer {
  readonly kind: 'answered';
  readonly answer: ModelAnswer;
  /** False when this was the last call that the turn may make. */
  readonly maySteer: boolean;
  /** Records the answer as a step, so that the turn continues behind it. */
  record(): Promise<void>;
}

/** How a step of the loop left the turn. */
export type StepResult =
  /** `next`: nothing of this kind is left to do; `again`: it recorded something; `aborted`: its signal ended it. */
  { readonly kind: 'next' | 'again' | 'parked' | 'aborted' } | StepFailure | StepAnswer;

export const NEXT: StepResult = { kind: 'next' };
export const AGAIN: StepResult = { kind: 'again' };
export const PARKED: StepResult = { kind: 'parked' };
export const ABORTED: StepResult = { kind: 'aborted' };

/** One kind of step. When `run` resolves, all that it records is committed and part of the turn. */
export interface Step<Request, Result> {
  run(turn: StepTurn, request: Request): Promise<Result>;
}

/** A step that the loop begins by itself: a row of the table in step-table.ts. */
export interface LoopStep extends Step<void, StepResult> {
  readonly kind: string;
  /** Whether there may be something to do; cheap, and without waiting. */
  isDue(turn: StepTurn): boolean;
}

/** Crash tests end the process at a named point. */
export interface FaultPort {
  readonly faultPoint: FaultPoints;
}
