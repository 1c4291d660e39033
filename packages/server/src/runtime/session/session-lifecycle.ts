import { Fault, idsAfter, notFound, together } from '../../base/index.ts';
import {
  type MessageRow,
  RESOURCES_CHANGED,
  type SessionRow,
  type StoredResource,
  type TurnRow,
  type WriteTx,
} from '../../store/contracts/index.ts';
import {
  type AgentDirectory,
  type AgentRevision,
  type NamespaceGate,
  type ObjectAccess,
  type Part,
  SESSION_CHANGED,
  type SessionEvent,
  type SessionLifecycle,
  type SessionOverrides,
  type TurnBody,
  type UsageMeter,
} from '../contract.ts';
import { EMPTY_SIDE, EventSequencer, mergedOverrides, parseBody, parseSide, partId } from '../record/index.ts';
import { answerPermission, type SchemaCheck } from './permission-answers.ts';
import { stopNamespaces } from './stop-namespaces.ts';
import { type FinishPorts, holdObjects, runEndHooks } from './turn-finish.ts';
import { publishAfterCommit, stopTurns } from './turn-stop.ts';

/** What the lifecycle of sessions uses. */
export interface LifecyclePorts extends FinishPorts {
  readonly agents: AgentDirectory;
  readonly namespaces: NamespaceGate;
  readonly usage: UsageMeter;
  readonly objects: Pick<ObjectAccess, 'hold'>;
  readonly tools: { readonly check: SchemaCheck };
}

/** One transaction and what its steps use. */
interface Scope {
  readonly tx: WriteTx;
  readonly ports: LifecyclePorts;
}

/** Messages a fork copies per read. */
const FORK_PAGE = 500;

/** Key of the Session resource that stands for a session row. */
const sessionKey = (session: Pick<SessionRow, 'namespace' | 'agent' | 'id'>) => ({
  kind: 'Session',
  namespace: session.namespace,
  parent: session.agent,
  name: session.id,
});

const sessionDraft = (
  row: SessionRow,
  agent: AgentRevision,
  uid: string,
): Parameters<WriteTx['resources']['insert']>[0] => ({
  key: sessionKey(row),
  apiVersion: 'svc/v1',
  uid,
  generation: 1,
  createdAt: row.createdAt,
  labels: row.labels,
  annotations: {},
  owners: [
    {
      apiVersion: 'svc/v1',
      kind: 'Agent',
      namespace: agent.namespace,
      name: agent.name,
      uid: agent.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
  finalizers: [],
  spec: JSON.stringify({ agent: row.agent, labels: row.labels }),
  status: '{}',
});

/** Side state of a session without a past. */
const emptyBody = (overrides: SessionOverrides | undefined): string =>
  JSON.stringify({ ...EMPTY_SIDE, ...(overrides === undefined ? {} : { overrides }) });

const newRow = (
  names: {
    readonly namespace: string;
    readonly agent: string;
    readonly id: string;
    readonly labels: Readonly<Record<string, string>>;
  },
  body: string,
  now: number,
): SessionRow => ({
  ...names,
  state: 'IDLE',
  fence: 0,
  epoch: 0,
  createdAt: now,
  lastActive: now,
  openTurns: 0,
  activeTurnId: '',
  admission: 0,
  lastMessageId: '',
  lastSequence: 0,
  body,
});

const requireAgent = async ({ tx, ports }: Scope, namespace: string, name: string): Promise<AgentRevision> => {
  await ports.namespaces.requireLive(tx, namespace);
  const agent = await ports.agents.current(tx, namespace, name);
  if (agent === undefined) throw notFound('Agent', { ns: namespace, name });
  if (agent.deleting)
    throw new Fault('FAILED_PRECONDITION', 'RESOURCE_DELETING', `agent ${name} is being deleted`, {
      metadata: { ns: namespace, name },
    });
  return agent;
};

type CreateRequest = Parameters<SessionLifecycle['create']>[1];

const create = async ({ tx, ports }: Scope, request: CreateRequest): Promise<SessionRow> => {
  const { namespace, agent: name, labels, identity } = request;
  const agent = await requireAgent({ tx, ports }, namespace, name);
  const id = request.sessionId ?? ports.ids.next();
  if (ports.usage.governs(namespace))
    await ports.usage.reserve(tx, 'agent.sessions', { namespace, agent: name, identity }, id);
  const body = emptyBody(mergedOverrides(undefined, request.overrides ?? {}));
  const row = newRow({ namespace, agent: name, id, labels }, body, tx.now());
  await together(
    tx.resources.insert(sessionDraft(row, agent, id)),
    tx.log.insertSession(row),
    ports.agents.noteSession(tx, agent.uid, id),
  );
  tx.afterCommit(() => ports.bus.publish(RESOURCES_CHANGED, {}));
  return row;
};

const announce = ({ tx, ports }: Scope, session: SessionRow, reason: 'cleared' | 'deleted'): void => {
  const { id: sessionId, namespace, agent } = session;
  tx.afterCommit(() => ports.bus.publish(SESSION_CHANGED, { sessionId, namespace, agent, reason }));
};

/** Tells the hooks that the open turns of a session that goes are STOPPED. */
const endOpenTurns = async ({ tx, ports }: Scope, session: SessionRow): Promise<readonly TurnRow[]> => {
  const open = session.openTurns === 0 ? [] : await tx.log.openTurns(session.id);
  for (const turn of open) {
    const body: TurnBody = { ...parseBody(turn), reason: 'stopped' };
    const ended: TurnRow = { ...turn, state: 'STOPPED', ready: false, worker: '', finishedAt: tx.now() };
    await ports.usage.releaseCost(tx, turn.namespace, turn.id);
    await runEndHooks({ tx, ports }, { session, turn: ended, body, replyText: '' });
  }
  return open;
};

/** Gone at once; a live worker's writes match no row any more. */
const remove = async ({ tx, ports }: Scope, session: SessionRow): Promise<void> => {
  const stored: StoredResource | undefined = await tx.resources.get(sessionKey(session));
  if (stored !== undefined) await tx.resources.remove(stored.key, stored.version);
  tx.afterCommit(() => ports.bus.publish(RESOURCES_CHANGED, {}));
  await endOpenTurns({ tx, ports }, session);
  await tx.log.deleteSession(session.id);
  announce({ tx, ports }, session, 'deleted');
};

/** DONE of every turn that a clear ended, under the clear's fence: callers that wait for one of them continue. */
const clearedEvents = (turns: readonly TurnRow[], fence: number, at: number): readonly SessionEvent[] =>
  turns.map((turn, index) => {
    const sequencer = new EventSequencer(turn, fence, { attempt: Math.max(1, turn.attempt), unitsBefore: index });
    const messageId = parseBody(turn).replyMessageIds.at(-1) ?? '';
    return sequencer.terminal({ messageId, reason: 'stopped', part: undefined, timestamp: at });
  });

const clear = async ({ tx, ports }: Scope, session: SessionRow, stop: boolean): Promise<void> => {
  if (session.openTurns > 0 && !stop) {
    throw new Fault(
      'RESOURCE_EXHAUSTED',
      'SESSION_BUSY',
      `session ${session.id} is busy; stop it first or clear with stop`,
      { metadata: { session_id: session.id, active_turn_id: session.activeTurnId } },
    );
  }
  const open = await endOpenTurns({ tx, ports }, session);
  await tx.log.clearSession(session.id);
  const fence = session.fence + 1;
  await tx.log.saveSession({
    ...session,
    state: 'IDLE',
    fence,
    epoch: session.epoch + 1,
    openTurns: 0,
    activeTurnId: '',
    lastSequence: 0,
    lastActive: Math.max(session.lastActive, tx.now()),
    body: emptyBody(parseSide(session).overrides),
  });
  publishAfterCommit({ tx, ports }, clearedEvents(open, fence, tx.now()));
  announce({ tx, ports }, session, 'cleared');
};

/** Copies messages of ended turns; an open turn's messages stay with it. The copies hold their objects too. */
const copyMessages = async ({ tx, ports }: Scope, sessions: ForkPair, through: string): Promise<string> => {
  const { from, to } = sessions;
  const open = new Set((await tx.log.openTurns(from.id)).map((turn) => turn.id));
  let after = '';
  let last = '';
  for (;;) {
    const page: readonly MessageRow[] = await tx.log.messagesAfter(from.id, after, FORK_PAGE);
    for (const row of page) {
      if (through !== '' && row.id > through) return last;
      if (row.turnId !== '' && open.has(row.turnId)) continue;
      await tx.log.insertMessage({ ...row, sessionId: to.id, turnId: '' });
      const place = { namespace: to.namespace, sessionId: to.id };
      await holdObjects({ tx, objects: ports.objects }, place, JSON.parse(row.parts) as readonly Part[]);
      last = row.id;
    }
    const end = page.at(-1);
    if (end === undefined || page.length < FORK_PAGE) return last;
    after = end.id;
  }
};

interface ForkPair {
  readonly from: SessionRow;
  readonly to: SessionRow;
}

type ForkOptions = Parameters<SessionLifecycle['fork']>[2];

const fork = async ({ tx, ports }: Scope, session: SessionRow, options: ForkOptions): Promise<SessionRow> => {
  const through = options.throughMessageId;
  if (through !== '' && (await tx.log.message(session.id, through)) === undefined)
    throw notFound('Message', { session_id: session.id, message_id: through });
  const labels = { ...session.labels, ...options.labels, 'svc/forked-from': session.id };
  const row = await create(
    { tx, ports },
    { namespace: session.namespace, agent: session.agent, labels, identity: options.identity },
  );
  const lastMessageId = await copyMessages({ tx, ports }, { from: session, to: row }, through);
  const overrides = mergedOverrides(parseSide(session).overrides, options.overrides ?? {});
  const copy = { ...row, lastMessageId, body: emptyBody(overrides) };
  await tx.log.saveSession(copy);
  return copy;
};

type AppendMessage = Parameters<SessionLifecycle['append']>[2];

const append = async ({ tx, ports }: Scope, session: SessionRow, message: AppendMessage): Promise<MessageRow> => {
  const [fresh = ''] = message.id === '' ? idsAfter(ports.ids, session.lastMessageId, 1) : [message.id];
  const row: MessageRow = {
    id: fresh,
    sessionId: session.id,
    role: message.role,
    createdAt: message.createdAt,
    labels: message.labels,
    turnId: '',
    parts: JSON.stringify(
      message.parts.map((part, index) => ({ ...part, id: part.id === '' ? partId(index) : part.id })),
    ),
    revision: 1,
  };
  await tx.log.insertMessage(row);
  // Ids that the caller chose do not count for the ones allotted here.
  const lastMessageId = message.id === '' ? fresh : session.lastMessageId;
  await tx.log.saveSession({
    ...session,
    // Rises whatever the clock says: a session as active as when it was made counts as one without messages.
    lastActive: Math.max(session.lastActive + 1, tx.now()),
    lastMessageId,
  });
  return row;
};

const stop = async ({ tx, ports }: Scope, session: SessionRow, turnId: string): Promise<readonly string[]> => {
  if (turnId !== '') {
    const turn = await tx.log.turn(turnId);
    if (turn === undefined || turn.sessionId !== session.id)
      throw notFound('Turn', { session_id: session.id, turn_id: turnId });
  }
  return stopTurns({ tx, ports }, session.id, (turn) => turnId === '' || turn.id === turnId);
};

/** Session operations that every feature shares, each inside the caller's transaction. */
export const createSessionLifecycle = (ports: LifecyclePorts): SessionLifecycle => ({
  create: (tx, request) => create({ tx, ports }, request),
  remove: (tx, session) => remove({ tx, ports }, session),
  clear: (tx, session, withStop) => clear({ tx, ports }, session, withStop),
  requestCompaction: (tx, session) =>
    tx.log.saveSession({ ...session, body: JSON.stringify({ ...parseSide(session), compactRequested: true }) }),
  fork: (tx, session, options) => fork({ tx, ports }, session, options),
  append: (tx, session, message) => append({ tx, ports }, session, message),
  stop: (tx, session, turnId) => stop({ tx, ports }, session, turnId),
  stopNamespaces: (tx, namespaces) => stopNamespaces({ tx, ports }, namespaces),
  answerPermission: (tx, session, answer) => answerPermission({ tx, ports }, session, answer),
});
