import type { SessionRow, TurnRow, TurnState } from '../../store/contracts/index.ts';
import type { PlacedPart, TurnBody, TurnUsage } from './contract.ts';
import { parseBody } from './turn-record.ts';

/** Rows and bodies of turns as they change: made, queued, ended. */

/** Body of a turn that no one has claimed yet. */
export const newTurnBody = (
  start: Pick<TurnBody, 'cause' | 'profile' | 'userMessageIds' | 'interrupting'> & {
    readonly replyMessageId: string;
    readonly createdAt: number;
  },
): TurnBody => ({
  cause: start.cause,
  spans: [],
  replyMessageIds: [start.replyMessageId],
  profile: start.profile,
  startedAt: 0,
  createdAt: start.createdAt,
  lastSequence: 0,
  activeMicros: 0,
  toolCalls: 0,
  modelCalls: 0,
  journalCount: 0,
  resume: '',
  sentParts: 0,
  pendingStops: [],
  userMessageIds: start.userMessageIds,
  ...(start.interrupting === true ? { interrupting: true as const } : {}),
});

/** Columns of a turn that waits in the queue of its session. */
export const emptyTurn = (
  session: SessionRow,
  steadyNow: number,
): Omit<TurnRow, 'id' | 'admission' | 'userMessageId' | 'body'> => ({
  sessionId: session.id,
  namespace: session.namespace,
  agent: session.agent,
  state: 'QUEUED',
  ready: false,
  attempt: 0,
  fence: 0,
  worker: '',
  claimExpiresAt: 0,
  stopRequested: false,
  wakeAt: 0,
  createdAt: steadyNow,
  finishedAt: 0,
});

/** True while a worker executes the turn: only that worker may end it. */
export const hasLiveClaim = (turn: TurnRow): boolean =>
  turn.state === 'RUNNING' || (turn.state === 'WAITING' && turn.worker !== '');

/** True once a worker claimed the turn. */
export const hasStarted = (turn: TurnRow): boolean => turn.attempt > 0;

/** Admission number right behind `active` and before every turn that has not started (for INTERRUPT). */
export const interruptPlace = (open: readonly TurnRow[], activeTurnId: string): number => {
  const waiting = open.filter((turn) => turn.id !== activeTurnId);
  const active = open.find((turn) => turn.id === activeTurnId);
  const [first] = waiting;
  const low = active?.admission ?? (first?.admission ?? 1) - 1;
  const high = first?.admission ?? low + 1;
  return low + (high - low) / 2;
};

/** Place of the turn made of left-over steer entries: the next one, behind turns that interrupted. */
export const steeredPlace = (ended: TurnRow, open: readonly TurnRow[]): number => {
  const behind = open.findIndex((turn) => parseBody(turn).interrupting !== true);
  const last = open[(behind === -1 ? open.length : behind) - 1];
  if (last === undefined) return ended.admission;
  const next = behind === -1 ? undefined : open[behind];
  return next === undefined ? last.admission + 1 : last.admission + (next.admission - last.admission) / 2;
};

/** Session row after one of its open turns ended. */
export const afterTurnEnd = (session: SessionRow, turn: TurnRow, at: number): SessionRow => {
  const openTurns = Math.max(0, session.openTurns - 1);
  const wasActive = session.activeTurnId === turn.id;
  const state = openTurns === 0 ? 'IDLE' : wasActive ? 'PROCESSING' : session.state;
  return {
    ...session,
    openTurns,
    activeTurnId: wasActive ? '' : session.activeTurnId,
    state,
    lastActive: Math.max(session.lastActive, at),
  };
};

/** How a turn ends. */
export type FinalState = Extract<TurnState, 'COMPLETED' | 'FAILED' | 'STOPPED'>;

/** Row and body of a turn that ends; a FAILED one keeps the text of its ERROR part, the last of `placed`. */
export const endedRow = (
  turn: TurnRow,
  end: {
    readonly body: TurnBody;
    readonly placed: readonly PlacedPart[];
    readonly state: FinalState;
    readonly reason: string;
    readonly lastSequence: number;
    readonly now: number;
  },
): { readonly row: TurnRow; readonly body: TurnBody } => {
  const { placed, state, reason } = end;
  const error = state === 'FAILED' ? placed.at(-1)?.part.content : undefined;
  const body: TurnBody = {
    ...end.body,
    lastSequence: end.lastSequence,
    reason,
    pendingStops: [],
    ...(error === undefined ? {} : { error }),
  };
  const row: TurnRow = {
    ...turn,
    state,
    ready: false,
    worker: '',
    claimExpiresAt: 0,
    wakeAt: 0,
    finishedAt: end.now,
    body: JSON.stringify(body),
  };
  return { row, body };
};

/** Labels that tell where an assistant message comes from and how it ended. */
export const messageLabels = (
  turn: TurnRow,
  body: TurnBody,
  end: { readonly state: string; readonly reason: string },
): Record<string, string> => ({
  'svc/turn': turn.id,
  'svc/attempt': String(Math.max(1, turn.attempt)),
  ...(body.snapshot === undefined || body.snapshot.profile === '' ? {} : { 'svc/profile': body.snapshot.profile }),
  'svc/finish-reason': end.reason,
  'svc/message-state': end.state,
});

/** What both cost together; undefined while no part of it has a price. */
const addCosts = (total: number | undefined, cost: number | undefined): number | undefined =>
  total === undefined && cost === undefined ? undefined : (total ?? 0) + (cost ?? 0);

/** The sum of a turn; available only where every call was counted by its provider. */
export const addUsage = (total: TurnUsage | undefined, usage: TurnUsage): TurnUsage =>
  total === undefined ? usage : summed(total, usage);

const summed = (total: TurnUsage, { costMicros, ...usage }: TurnUsage): TurnUsage => {
  const cost = addCosts(total.costMicros, costMicros);
  return {
    ...usage,
    inputTokens: total.inputTokens + usage.inputTokens,
    cachedInputTokens: total.cachedInputTokens + usage.cachedInputTokens,
    cacheWriteTokens: total.cacheWriteTokens + usage.cacheWriteTokens,
    outputTokens: total.outputTokens + usage.outputTokens,
    reasoningTokens: total.reasoningTokens + usage.reasoningTokens,
    totalTokens: total.totalTokens + usage.totalTokens,
    usageAvailable: total.usageAvailable && usage.usageAvailable,
    ...(cost === undefined ? {} : { costMicros: cost }),
  };
};
