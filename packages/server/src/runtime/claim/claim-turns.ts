import { isFault, together } from '../../base/index.ts';
import type { ModelRegistry } from '../../models/contract.ts';
import type { SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import type { AgentDirectory, AgentRevision, NamespaceGate, Part, RuntimeConfig, TurnBody } from '../contract.ts';
import {
  errorPart,
  isStoreAway,
  nextSpan,
  parseBody,
  parseSide,
  partId,
  profilesInOrder,
  recordedParts,
  type TurnErrorClass,
  withOverrides,
} from '../record/index.ts';
import {
  type FinishPorts,
  finishUnclaimed,
  type ProgressPorts,
  publishAfterCommit,
  runProgressHooks,
} from '../session/index.ts';
import type { ClaimedTurn } from './turn-claim.ts';

/** What claiming uses. */
export interface ClaimingPorts extends FinishPorts, ProgressPorts {
  readonly agents: AgentDirectory;
  readonly namespaces: NamespaceGate;
  readonly models: Pick<ModelRegistry, 'defaultTarget'>;
  readonly config: Pick<RuntimeConfig, 'maxAttempts' | 'leaseMs'>;
  /** Name of this process in claims. */
  readonly workerId: string;
}

/** One transaction and what its steps use. */
interface Scope<D = ClaimingPorts> {
  readonly tx: WriteTx;
  readonly ports: D;
}

/** A turn about to be claimed, and the session it belongs to, locked. */
interface Candidate {
  readonly session: SessionRow;
  readonly turn: TurnRow;
  readonly body: TurnBody;
}

interface Refusal {
  readonly errorClass: TurnErrorClass;
  readonly sentence: string;
}

/** Ends a turn that may not run, in the transaction of its claim. */
const refuse = async ({ tx, ports }: Scope, { session, turn }: Candidate, cause: Refusal): Promise<void> => {
  const errorId = ports.ids.next();
  const { namespace, agent, sessionId, id } = turn;
  const names = { namespace, agent, session: sessionId, turn: id };
  ports.log.warn('turn refused at its claim', { error_id: errorId, ...names, class: cause.errorClass });
  const part = (index: number, at: number): Part => errorPart({ ...cause, errorId }, partId(index), at);
  const end = { session, turn, state: 'FAILED', reason: cause.errorClass, errorPart: part } as const;
  publishAfterCommit({ tx, ports }, await finishUnclaimed({ tx, ports }, end));
};

/** The agent revision a turn runs: the snapshot's, else the current one. */
const revisionFor = async ({ tx, ports }: Scope, { turn, body }: Candidate): Promise<AgentRevision | undefined> => {
  const current = await ports.agents.current(tx, turn.namespace, turn.agent);
  if (current === undefined || body.snapshot === undefined) return current;
  const { agentUid, agentGeneration } = body.snapshot;
  if (current.uid === agentUid && current.generation === agentGeneration) return current;
  return ports.agents.revision(tx, current, agentUid, agentGeneration);
};

const isNamespaceLive = async ({ tx, ports }: Scope, namespace: string): Promise<boolean> => {
  try {
    await ports.namespaces.requireLive(tx, namespace);
    return true;
  } catch (error) {
    if (isFault(error) && error.code === 'FAILED_PRECONDITION') return false;
    throw error;
  }
};

/** Why the turn may not run now; undefined when it may. */
const refusalOf = (agent: AgentRevision | undefined, attempt: number, ports: ClaimingPorts): Refusal | undefined => {
  if (agent === undefined || agent.deleting) return { errorClass: 'agent_gone', sentence: 'The agent was deleted.' };
  if (agent.notReady !== '')
    return { errorClass: 'agent_not_ready', sentence: `The agent is not ready: ${agent.notReady}` };
  const { maxAttempts } = ports.config;
  if (attempt > maxAttempts)
    return { errorClass: 'attempts_exhausted', sentence: `The turn was tried ${maxAttempts} times.` };
  return undefined;
};

/** Rows of the claim: session fence up, turn RUNNING with snapshot and span. */
const writeClaim = async (
  { tx, ports }: Scope,
  { session, turn, body }: Candidate,
  facts: { readonly agent: AgentRevision; readonly attempt: number },
): Promise<ClaimedTurn> => {
  const { agent, attempt } = facts;
  const journal = turn.attempt === 0 ? [] : await tx.log.journal(turn.id);
  const now = tx.now();
  const fence = session.fence + 1;
  const [profile] = profilesInOrder(agent.spec, body.profile, ports.models.defaultTarget);
  const first = { agentUid: agent.uid, agentGeneration: agent.generation, profile: profile.name, nowMicros: now };
  const { park: _park, ...rest } = body;
  const nextBody: TurnBody = {
    ...rest,
    snapshot: body.snapshot ?? first,
    spans: [...body.spans, nextSpan(body, { fence, attempt, recorded: recordedParts(journal) })],
    resume: '',
    startedAt: body.startedAt === 0 ? now : body.startedAt,
  };
  const claimed: TurnRow = {
    ...turn,
    state: 'RUNNING',
    ready: false,
    attempt,
    fence,
    worker: ports.workerId,
    claimExpiresAt: tx.steadyNow() + ports.config.leaseMs * 1000,
    wakeAt: 0,
    body: JSON.stringify(nextBody),
  };
  const nextSession: SessionRow = { ...session, fence, activeTurnId: turn.id, state: 'PROCESSING' };
  await together(
    tx.log.saveTurn(claimed),
    tx.log.saveSession(nextSession),
    ports.agents.noteSession(tx, agent.uid, session.id),
  );
  await runProgressHooks({ tx, ports }, claimed, (hook) => hook.turnTaken(tx, { turn: claimed, body: nextBody }));
  const namespaceLabels = await ports.namespaces.labels(tx, turn.namespace);
  return { turn: claimed, session: nextSession, body: nextBody, agent, journal, namespaceLabels };
};

const claimOne = async ({ tx, ports }: Scope, turn: TurnRow): Promise<ClaimedTurn | undefined> => {
  const session = await tx.log.lockSession(turn.sessionId);
  if (session === undefined) return undefined;
  const isBusy = session.activeTurnId !== '' && session.activeTurnId !== turn.id;
  if (isBusy || !(await isNamespaceLive({ tx, ports }, turn.namespace))) {
    await tx.log.saveTurn({ ...turn, ready: false });
    return undefined;
  }
  const candidate = { session, turn, body: parseBody(turn) };
  const stored = await revisionFor({ tx, ports }, candidate);
  const { overrides } = parseSide(session);
  const agent = stored && withOverrides(stored, overrides, ports.models.defaultTarget);
  const attempt = candidate.body.resume === 'recovered' ? turn.attempt + 1 : Math.max(1, turn.attempt);
  const refusal = refusalOf(agent, attempt, ports);
  if (agent === undefined || refusal !== undefined) {
    if (refusal !== undefined) await refuse({ tx, ports }, candidate, refusal);
    return undefined;
  }
  return writeClaim({ tx, ports }, candidate, { agent, attempt });
};

/** Runs `work` so that its failure undoes only its own writes: one broken turn must not hold up the others. */
export const isolated = async <T>(
  { tx, ports }: Scope<Pick<FinishPorts, 'log'>>,
  turn: TurnRow,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await tx.savepoint(work);
  } catch (error) {
    if (isStoreAway(error)) throw error;
    const { namespace, agent, sessionId, id } = turn;
    ports.log.error('a turn could not be moved on', { namespace, agent, session: sessionId, turn: id }, error);
    return undefined;
  }
};

/** Claims ready turns in one transaction: oldest first within a namespace, namespaces in rotation. */
export const claimReadyTurns = async (scope: Scope, limit: number): Promise<readonly ClaimedTurn[]> => {
  const claimed: ClaimedTurn[] = [];
  for (const candidate of await scope.tx.log.readyTurns(limit)) {
    const one = await isolated(scope, candidate, () => claimOne(scope, candidate));
    if (one !== undefined) claimed.push(one);
  }
  return claimed;
};

/** Makes a turn whose worker is gone claimable again, as a new attempt; a stop flag ends it at once. */
export const releaseDeadClaim = async ({ tx, ports }: Scope<FinishPorts>, found: TurnRow): Promise<void> => {
  const [session, turn] = await together(tx.log.lockSession(found.sessionId), tx.log.turn(found.id));
  if (session === undefined || turn === undefined) return;
  if (turn.fence !== found.fence || turn.worker !== found.worker || turn.worker === '') return;
  const body: TurnBody = { ...parseBody(turn), resume: 'recovered' };
  const state = 'QUEUED' as const;
  const released: TurnRow = { ...turn, state, worker: '', claimExpiresAt: 0, wakeAt: 0, body: JSON.stringify(body) };
  if (turn.stopRequested) {
    const end = { session, turn: released, state: 'STOPPED', reason: 'stopped' } as const;
    publishAfterCommit({ tx, ports }, await finishUnclaimed({ tx, ports }, end));
    return;
  }
  await together(
    tx.log.saveTurn({ ...released, ready: true }),
    tx.log.saveSession({ ...session, state: 'PROCESSING' }),
  );
};

/** Releases what a worker still holds; its turns continue elsewhere as new attempts. */
export const releaseClaims = async (
  { tx, ports }: Scope<FinishPorts & Pick<ClaimingPorts, 'workerId'>>,
  limit: number,
): Promise<void> => {
  for (const turn of await tx.log.claimedTurns(ports.workerId, limit))
    await isolated({ tx, ports }, turn, () => releaseDeadClaim({ tx, ports }, turn));
};
