import { Fault, idsAfter, invalidField, notFound, together } from '../../base/index.ts';
import type { SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import {
  type Admission,
  type Admitted,
  type AgentDirectory,
  type AgentRevision,
  type NamespaceGate,
  type Part,
  type RuntimeConfig,
  STEER_ADDED,
  type Submission,
  WAKE_TURNS,
} from '../contract.ts';
import { emptyTurn, interruptPlace, newTurnBody, partId, type SteerBody } from '../record/index.ts';
import { endPausesForSteering } from './call-wakes.ts';
import type { FinishPorts } from './turn-finish.ts';
import { stopTurns } from './turn-stop.ts';

/** Most steer entries and bytes that may wait for one turn. */
const STEER_ENTRIES = 100;
const STEER_BYTES = 1024 * 1024;
const USER = 1;

/** What admission uses. */
export interface AdmissionPorts extends FinishPorts {
  readonly agents: AgentDirectory;
  readonly namespaces: NamespaceGate;
  readonly config: Pick<RuntimeConfig, 'sessionQueue'>;
}

/** One transaction and what its steps use. */
interface Scope {
  readonly tx: WriteTx;
  readonly ports: AdmissionPorts;
}

const requireAgent = (revision: AgentRevision | undefined, submission: Submission): AgentRevision => {
  const names = { ns: submission.namespace, name: submission.agent };
  if (revision === undefined) throw notFound('Agent', names);
  if (revision.deleting)
    throw new Fault('FAILED_PRECONDITION', 'RESOURCE_DELETING', `agent ${submission.agent} is being deleted`, {
      metadata: names,
    });
  if (revision.notReady !== '')
    throw new Fault(
      'FAILED_PRECONDITION',
      'AGENT_NOT_READY',
      `agent ${submission.agent} is not ready: ${revision.notReady}`,
      { metadata: names },
    );
  return revision;
};

/** Message label, else session label, else by rule at the claim. */
const requestedProfile = (submission: Submission, session: SessionRow, agent: AgentRevision): string => {
  const name = submission.labels['model-profile'] ?? session.labels['model-profile'] ?? '';
  if (name === '') return '';
  const known = agent.spec.modelPolicy?.profiles.map((profile) => profile.name) ?? [];
  if (known.includes(name)) return name;
  throw invalidField('labels.model-profile', `unknown profile "${name}"; the agent has: ${known.join(', ') || 'none'}`);
};

const queueFull = (text: string): Fault => new Fault('RESOURCE_EXHAUSTED', 'QUEUE_FULL', text);

interface Placement {
  readonly submission: Submission;
  readonly session: SessionRow;
  /** Profile the message or the session asks for, '' = by rule at the claim. */
  readonly profile: string;
}

const userMessage = (placement: Placement, ids: { readonly id: string; readonly turnId: string }, now: number) => ({
  id: ids.id,
  sessionId: placement.session.id,
  role: USER,
  createdAt: placement.submission.writtenAt ?? now,
  labels: placement.submission.labels,
  turnId: ids.turnId,
  parts: JSON.stringify(
    placement.submission.parts.map((part, index): Part => ({ ...part, id: part.id === '' ? partId(index) : part.id })),
  ),
  revision: 1,
});

/** A started turn may be joined while nothing asked it to stop; a parked one too. */
const joinable = (turn: TurnRow | undefined): turn is TurnRow => turn !== undefined && !turn.stopRequested;

const steer = async ({ tx, ports }: Scope, placement: Placement, turn: TurnRow): Promise<Admitted> => {
  const { submission, session } = placement;
  const waiting = await tx.log.steers(session.id);
  const bytes = submission.parts.reduce((sum, part) => sum + Buffer.byteLength(part.content ?? ''), 0);
  if (waiting.length >= STEER_ENTRIES || waiting.reduce((sum, entry) => sum + entry.bytes, bytes) > STEER_BYTES) {
    throw queueFull(`turn ${turn.id} already has ${waiting.length} steering messages waiting`);
  }
  const [messageId = '', replyMessageId = ''] = idsAfter(ports.ids, session.lastMessageId, 2);
  const body: SteerBody = { cause: submission.cause, nextMessageId: replyMessageId, profile: placement.profile };
  await tx.log.insertMessage(userMessage(placement, { id: messageId, turnId: turn.id }, tx.now()));
  await tx.log.insertSteer({
    sessionId: session.id,
    messageId,
    turnId: turn.id,
    bytes,
    body: JSON.stringify(body),
  });
  await tx.log.saveSession({
    ...session,
    lastActive: Math.max(session.lastActive, tx.now()),
    lastMessageId: replyMessageId,
  });
  await endPausesForSteering({ tx, ports }, turn);
  tx.afterCommit(() => ports.bus.publish(STEER_ADDED, { turnId: turn.id }));
  return { messageId, turnId: turn.id, replyMessageId, steered: true };
};

const enqueue = async (
  { tx, ports }: Scope,
  placement: Placement,
  place: { readonly admission: number; readonly ready: boolean },
): Promise<Admitted> => {
  const { submission, session, profile } = placement;
  const now = tx.now();
  const [messageId = '', replyMessageId = ''] = idsAfter(ports.ids, session.lastMessageId, 2);
  const turnId = submission.turnId ?? ports.ids.next();
  const body = newTurnBody({
    cause: submission.cause,
    profile,
    replyMessageId,
    userMessageIds: [messageId],
    createdAt: now,
    ...(submission.whenBusy === 'INTERRUPT' ? { interrupting: true as const } : {}),
  });
  await together(
    tx.log.insertMessage(userMessage(placement, { id: messageId, turnId }, now)),
    tx.log.insertTurn({
      ...emptyTurn(session, tx.steadyNow()),
      id: turnId,
      admission: place.admission,
      ready: place.ready,
      userMessageId: messageId,
      body: JSON.stringify(body),
    }),
    tx.log.saveSession({
      ...session,
      state: session.state === 'WAITING' ? 'WAITING' : 'PROCESSING',
      lastActive: Math.max(session.lastActive, now),
      openTurns: session.openTurns + 1,
      admission: Math.max(session.admission, Math.ceil(place.admission)),
      lastMessageId: replyMessageId,
    }),
  );
  if (place.ready) tx.afterCommit(() => ports.bus.publish(WAKE_TURNS, {}));
  return { messageId, turnId, replyMessageId, steered: false };
};

const interrupt = async ({ tx, ports }: Scope, placement: Placement): Promise<Admitted> => {
  const { session } = placement;
  const open = await tx.log.openTurns(session.id);
  const admission = interruptPlace(open, session.activeTurnId);
  const [head] = open;
  if (session.activeTurnId === '' && head !== undefined && head.ready) await tx.log.saveTurn({ ...head, ready: false });
  const admitted = await enqueue({ tx, ports }, placement, { admission, ready: session.activeTurnId === '' });
  if (session.activeTurnId !== '')
    await stopTurns({ tx, ports }, session.id, (turn) => turn.id === session.activeTurnId);
  return admitted;
};

const admitBusy = async (
  { tx, ports }: Scope,
  placement: Placement,
  { spec }: Pick<AgentRevision, 'spec'>,
): Promise<Admitted> => {
  const { submission, session } = placement;
  if (submission.whenBusy === 'REJECT') {
    throw new Fault('RESOURCE_EXHAUSTED', 'SESSION_BUSY', `session ${session.id} is busy`, {
      metadata: { session_id: session.id, active_turn_id: session.activeTurnId },
    });
  }
  // An external agent takes no further message during its prompt: there steering means to be next.
  if (submission.whenBusy === 'STEER' && session.activeTurnId !== '' && spec.runtime?.kind !== 'acp') {
    const active = await tx.log.turn(session.activeTurnId);
    if (joinable(active)) return steer({ tx, ports }, placement, active);
  }
  const waiting = session.openTurns - (session.activeTurnId === '' ? 0 : 1);
  if (waiting >= ports.config.sessionQueue)
    throw queueFull(`session ${session.id} already has ${waiting} turns waiting`);
  if (submission.whenBusy === 'INTERRUPT') return interrupt({ tx, ports }, placement);
  return enqueue({ tx, ports }, placement, { admission: session.admission + 1, ready: false });
};

/** The only way in for work of every source. */
export const createAdmission = (ports: AdmissionPorts): Admission => ({
  admit: async (tx, submission) => {
    await ports.namespaces.requireLive(tx, submission.namespace);
    const agent = requireAgent(await ports.agents.current(tx, submission.namespace, submission.agent), submission);
    const session = await tx.log.lockSession(submission.sessionId);
    if (session === undefined || session.namespace !== submission.namespace || session.agent !== submission.agent) {
      throw notFound('Session', {
        ns: submission.namespace,
        agent: submission.agent,
        session_id: submission.sessionId,
      });
    }
    const placement = { submission, session, profile: requestedProfile(submission, session, agent) };
    if (session.openTurns > 0) return admitBusy({ tx, ports }, placement, agent);
    return enqueue({ tx, ports }, placement, { admission: session.admission + 1, ready: true });
  },
});
