import { isFault } from '../base/index.ts';
import type { SessionRow, TurnRow, WriteTx } from '../store/contracts/index.ts';
import {
  type AgentRevision,
  eventSubject,
  type Part,
  type SessionEvent,
  type Span,
  type TurnBody,
} from './contract.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { type ClaimedTurn, errorPart, finishUnclaimed, profilesInOrder, type TurnErrorClass } from './turn/index.ts';
import { parseBody, partId, recordedParts } from './turn-record.ts';

type ClaimDeps = Pick<
  RuntimeDeps,
  'ids' | 'bus' | 'endHooks' | 'agents' | 'namespaces' | 'config' | 'models' | 'workerId' | 'log'
>;

/** One transaction and what its steps use. */
interface Scope {
  readonly tx: WriteTx;
  readonly deps: ClaimDeps;
}

const publish = (tx: WriteTx, bus: ClaimDeps['bus'], events: readonly SessionEvent[]): void => {
  tx.afterCommit(() => {
    for (const event of events) bus.publish(eventSubject(event.sessionId), event);
  });
};

/** Ends a turn that may not run, in the transaction of its claim (RT-2.8, K29). */
const refuse = async (
  { tx, deps }: Scope,
  found: { readonly session: SessionRow; readonly turn: TurnRow },
  cause: { readonly errorClass: TurnErrorClass; readonly sentence: string },
): Promise<void> => {
  const errorId = deps.ids.next();
  const { namespace, agent, sessionId, id } = found.turn;
  deps.log.warn('turn refused at its claim', {
    error_id: errorId,
    namespace,
    agent,
    session: sessionId,
    turn: id,
    class: cause.errorClass,
  });
  const part = (index: number, at: number): Part => errorPart({ ...cause, errorId }, partId(index), at);
  publish(
    tx,
    deps.bus,
    await finishUnclaimed(tx, { ...found, state: 'FAILED', reason: cause.errorClass, errorPart: part }, deps),
  );
};

/** The agent revision a turn runs: the snapshot's, else the current one (RT-2.1). */
const revisionFor = async ({ tx, deps }: Scope, turn: TurnRow, body: TurnBody): Promise<AgentRevision | undefined> => {
  const current = await deps.agents.current(tx, turn.namespace, turn.agent);
  if (current === undefined || body.snapshot === undefined) return current;
  const { agentUid, agentGeneration } = body.snapshot;
  if (current.uid === agentUid && current.generation === agentGeneration) return current;
  return deps.agents.revision(tx, current, agentUid, agentGeneration);
};

const isNamespaceLive = async ({ tx, deps }: Scope, namespace: string): Promise<boolean> => {
  try {
    await deps.namespaces.requireLive(tx, namespace);
    return true;
  } catch (error) {
    if (isFault(error) && error.code === 'FAILED_PRECONDITION') return false;
    throw error;
  }
};

/** Span of the new fence: where its events begin in the turn's recorded parts (RT-2.6). */
const spanOf = (body: TurnBody, fence: number, attempt: number, recordedIds: readonly string[]): Span => {
  const messageId = body.replyMessageIds.at(-1) ?? '';
  if (body.resume !== 'recovered') return { fence, attempt, firstPart: body.sentParts, reset: false, messageId };
  const first = recordedIds.indexOf(messageId);
  return {
    fence,
    attempt,
    firstPart: first === -1 ? recordedIds.length : first,
    reset: true,
    reason: 'recovered',
    messageId,
  };
};

const claimOne = async ({ tx, deps }: Scope, candidate: TurnRow): Promise<ClaimedTurn | undefined> => {
  const session = await tx.log.lockSession(candidate.sessionId);
  const turn = candidate;
  if (session === undefined) return undefined;
  if (!(await isNamespaceLive({ tx, deps }, turn.namespace))) {
    await tx.log.saveTurn({ ...turn, ready: false });
    return undefined;
  }
  const body = parseBody(turn);
  const found = { session, turn };
  const agent = await revisionFor({ tx, deps }, turn, body);
  if (agent === undefined || agent.deleting)
    return void (await refuse({ tx, deps }, found, { errorClass: 'agent_gone', sentence: 'The agent was deleted.' }));
  if (agent.notReady !== '')
    return void (await refuse({ tx, deps }, found, {
      errorClass: 'agent_not_ready',
      sentence: `The agent is not ready: ${agent.notReady}`,
    }));
  const attempt = body.resume === 'recovered' ? turn.attempt + 1 : Math.max(1, turn.attempt);
  if (attempt > deps.config.maxAttempts)
    return void (await refuse({ tx, deps }, found, {
      errorClass: 'attempts_exhausted',
      sentence: `The turn was tried ${deps.config.maxAttempts} times.`,
    }));
  const journal = turn.attempt === 0 ? [] : await tx.log.journal(turn.id);
  const now = tx.now();
  const fence = session.fence + 1;
  const [profile] = profilesInOrder(agent.spec, body.profile, deps.models.defaultTarget);
  const snapshot = body.snapshot ?? {
    agentUid: agent.uid,
    agentGeneration: agent.generation,
    profile: profile.name,
    nowMicros: now,
  };
  const span = spanOf(
    body,
    fence,
    attempt,
    recordedParts(journal).map((entry) => entry.messageId),
  );
  const { park: _park, ...rest } = body;
  const nextBody: TurnBody = {
    ...rest,
    snapshot,
    spans: [...body.spans, span],
    resume: '',
    startedAt: body.startedAt === 0 ? now : body.startedAt,
  };
  const claimed: TurnRow = {
    ...turn,
    state: 'RUNNING',
    ready: false,
    attempt,
    fence,
    worker: deps.workerId,
    claimExpiresAt: now + deps.config.leaseMs * 1000,
    wakeAt: 0,
    body: JSON.stringify(nextBody),
  };
  await tx.log.saveTurn(claimed);
  const nextSession: SessionRow = { ...session, fence, activeTurnId: turn.id, state: 'PROCESSING' };
  await tx.log.saveSession(nextSession);
  return {
    turn: claimed,
    session: nextSession,
    body: nextBody,
    agent,
    journal,
    namespaceLabels: await deps.namespaces.labels(tx, turn.namespace),
  };
};

/** Claims ready turns in one transaction: oldest first within a namespace, namespaces in rotation (RT-2.4). */
export const claimReadyTurns = async ({ tx, deps }: Scope, limit: number): Promise<readonly ClaimedTurn[]> => {
  const claimed: ClaimedTurn[] = [];
  for (const candidate of await tx.log.readyTurns(limit)) {
    const one = await claimOne({ tx, deps }, candidate);
    if (one !== undefined) claimed.push(one);
  }
  return claimed;
};

/** Makes turns whose worker is gone claimable again, as a new attempt; a stop flag ends them at once (RT-K19). */
export const releaseDeadClaim = async (
  tx: WriteTx,
  turn: TurnRow,
  deps: Pick<ClaimDeps, 'ids' | 'bus' | 'endHooks'>,
): Promise<void> => {
  const session = await tx.log.lockSession(turn.sessionId);
  if (session === undefined) return;
  const body = parseBody(turn);
  const released: TurnRow = {
    ...turn,
    state: 'QUEUED',
    ready: true,
    worker: '',
    claimExpiresAt: 0,
    body: JSON.stringify({ ...body, resume: 'recovered' }),
  };
  if (turn.stopRequested) {
    publish(
      tx,
      deps.bus,
      await finishUnclaimed(
        tx,
        { session, turn: { ...released, ready: false, fence: turn.fence }, state: 'STOPPED', reason: 'stopped' },
        deps,
      ),
    );
    return;
  }
  await tx.log.saveTurn(released);
  await tx.log.saveSession({ ...session, state: 'PROCESSING' });
};
