import { createHash } from 'node:crypto';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { type Clock, decodePageToken, encodePageToken, Fault, invalidField, notFound } from '../../../base/index.ts';
import type { WriteOrigin } from '../../../controllers/contract.ts';
import { operator, viewer } from '../../../operations/index.ts';
import type {
  PeerAgent,
  PeerCard,
  PeerMessage,
  PeerPart,
  PeerPush,
  PeerPushes,
  PeerTask,
  PeerTaskEvent,
} from '../../../protocols/a2a/contract.ts';
import { readLineage } from '../../../protocols/a2a/lineage-contract.ts';
import {
  EVENT,
  isTurnOver,
  lineageProblem,
  PART,
  type SessionEvent,
  type TurnCause,
} from '../../../runtime/contract.ts';
import type { SessionStreams } from '../../../runtime/stream/stream-contract.ts';
import type { Store, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { type ObjectLinks, openRequest, peerTask, REPLY, taskNotFound, turnOf } from './peer-tasks.ts';
import { TaskOutlet } from './task-outlet.ts';
import type { TaskPushes } from './task-pushes.ts';
import { BREAKS, CAUSE, decisionOf } from './task-rules.ts';

const GATEWAY = 'svc.gateway.GatewayService';

interface SessionNames {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
}

interface PeerFile {
  readonly source:
    | { readonly url: string }
    | { readonly bytes: Uint8Array; readonly mediaType: string; readonly sha256: string };
  readonly mediaType: string;
  readonly filename: string;
}

/** What this feature needs of sessions; features/conversation/sessions satisfies it. */
export interface PeerSessions {
  createSession(names: { readonly ns: string; readonly agent: string }, call: CallContext): Promise<string>;
  readonly chat: {
    send(
      names: SessionNames,
      message: {
        readonly text: string;
        readonly files: readonly PeerFile[];
        readonly labels: Readonly<Record<string, string>>;
        readonly whenBusy: 'QUEUE' | 'STEER';
        readonly lineage: TurnCause['lineage'];
        readonly cause: string;
        /** Runs in the transaction that admits the message, and never again for the same one. */
        readonly admitted?: (tx: WriteTx, turnId: string) => Promise<void>;
      },
      call: CallContext,
    ): Promise<{ readonly turnId: string }>;
    answer(
      names: SessionNames,
      answer: {
        readonly requestId: string;
        readonly allow: boolean;
        readonly comment: string;
        readonly optionId: string;
        readonly value?: unknown;
      },
      call: CallContext,
    ): Promise<void>;
    stop(names: SessionNames, call: CallContext, turnId: string): Promise<void>;
  };
}

export interface SessionAgentDeps {
  readonly store: Pick<Store, 'direct' | 'read'>;
  readonly streams: SessionStreams;
  readonly sessions: PeerSessions;
  readonly authorizer: Pick<Authorizer, 'authorize' | 'allows'>;
  readonly links: ObjectLinks;
  readonly clock: Clock;
  /** Longest time that a call waits for its task, milliseconds. */
  readonly waitMs: number;
  /** `a2a.maxDepth`. */
  readonly maxDepth: number;
  /** `a2a.trustedPeers`: identities whose word on the turns that led to a message counts. */
  readonly trustedPeers: readonly string[];
  /** Where this server is reached, without a trailing slash. */
  readonly serverUrl: () => string;
  readonly pushes: TaskPushes;
}

/** The agent of a card, and the caller that uses it. */
export interface PeerCall {
  readonly ns: string;
  readonly agent: string;
  readonly card: PeerCard;
  readonly context: CallContext;
}

/** The same call as an operation of the gateway; a spread would lose what a context computes (its signal). */
const callAs = (context: CallContext, operation: string, idempotencyKey: string): CallContext => ({
  operation: `${GATEWAY}/${operation}`,
  caller: context.caller,
  requestId: context.requestId,
  idempotencyKey,
  traceParent: context.traceParent,
  get signal() {
    return context.signal;
  },
  setHeader: (name, value) => context.setHeader(name, value),
});

/** An agent of this server as one caller uses it: tasks are turns, contexts are sessions. */
export class SessionAgent implements PeerAgent {
  readonly pushes: PeerPushes;
  readonly #deps: SessionAgentDeps;
  readonly #call: PeerCall;

  constructor(deps: SessionAgentDeps, call: PeerCall) {
    this.#deps = deps;
    this.#call = call;
    this.pushes = {
      set: async (push) => this.#setPush(await this.#seen(push.taskId), push),
      get: async (taskId, id) => deps.pushes.get((await this.#seen(taskId)).id, id === '' ? taskId : id),
      list: async (taskId) => deps.pushes.list((await this.#seen(taskId)).id),
      remove: async (taskId, id) => this.#removePush(await this.#seen(taskId), id),
    };
  }

  card(): PeerCard {
    return this.#call.card;
  }

  extendedCard(): PeerCard {
    return this.#call.card;
  }

  async send(message: PeerMessage, { isImmediate, push }: Parameters<PeerAgent['send']>[1]): Promise<PeerTask> {
    const turn = await this.#submit(message, push);
    return isImmediate ? this.#read(turn.id) : this.#settled(turn);
  }

  async *stream(message: PeerMessage, push?: PeerPush): AsyncGenerator<PeerTaskEvent, void, undefined> {
    yield* this.#events(await this.#submit(message, push), this.#call.context.signal);
  }

  async *follow(taskId: string): AsyncGenerator<PeerTaskEvent, void, undefined> {
    yield* this.#events(await this.#seen(taskId), this.#call.context.signal);
  }

  async task(taskId: string): Promise<PeerTask> {
    return this.#read((await this.#seen(taskId)).id);
  }

  async tasks({ contextId, pageSize, pageToken }: Parameters<PeerAgent['tasks']>[0]) {
    const names = this.#names(contextId);
    if (contextId === '') throw invalidField('contextId', 'is required');
    this.#deps.authorizer.authorize(viewer('fields'), names, this.#call.context.caller);
    const question = ['peer-tasks', names.ns, names.agent, contextId];
    const [before] = decodePageToken(pageToken, question) ?? [];
    return this.#deps.store.read(async (tx) => {
      const session = await tx.log.session(contextId);
      if (session?.namespace !== names.ns || session.agent !== names.agent)
        throw notFound('Session', { session_id: contextId });
      const place = before === undefined ? {} : { before };
      const rows = await tx.log.turns(contextId, { limit: pageSize + 1, ...place });
      const tasks: PeerTask[] = [];
      for (const row of rows.slice(0, pageSize)) tasks.push(await peerTask(tx, row, this.#deps.links));
      const last = tasks.at(-1);
      const hasMore = rows.length > pageSize && last !== undefined;
      return { tasks, nextPageToken: hasMore ? encodePageToken(question, [last.id]) : '' };
    });
  }

  async cancel(taskId: string): Promise<PeerTask> {
    const turn = await this.#seen(taskId);
    const names = this.#names(turn.sessionId);
    const { context } = this.#call;
    this.#deps.authorizer.authorize(operator('fields'), names, context.caller);
    if (isTurnOver(turn)) throw new Fault('FAILED_PRECONDITION', 'TASK_ENDED', `task ${taskId} is over`);
    await this.#deps.sessions.chat.stop(names, callAs(context, 'StopSessionGeneration', ''), turn.id);
    return this.#settled(turn);
  }

  #setPush(turn: TurnRow, push: PeerPush): Promise<PeerPush> {
    const origin = this.#operate(turn, 'CreateTaskPushNotificationConfig');
    return this.#deps.pushes.set(turn, { push, isWithMessage: false, origin });
  }

  /** The address of a new task is stored with the message that begins it. */
  #withPush(push: PeerPush | undefined) {
    if (push === undefined) return {};
    const { pushes } = this.#deps;
    const admitted = async (tx: WriteTx, turnId: string): Promise<void> => {
      const turn = await tx.log.turn(turnId);
      if (turn === undefined) throw taskNotFound(turnId);
      const origin = this.#operate(turn, 'CreateTaskPushNotificationConfig');
      await pushes.put(tx, turn, { push, isWithMessage: true, origin });
    };
    return { admitted };
  }

  #removePush(turn: TurnRow, id: string): Promise<void> {
    const origin = this.#operate(turn, 'DeleteTaskPushNotificationConfig');
    return this.#deps.pushes.remove(turn, id === '' ? turn.id : id, origin);
  }

  /** The origin of a write to the session of the task, for a caller who may. */
  #operate({ sessionId }: TurnRow, method: string): WriteOrigin {
    const { caller, requestId } = this.#call.context;
    this.#deps.authorizer.authorize(operator('fields'), this.#names(sessionId), caller);
    return { requestId, operation: `a2a/${method}`, caller };
  }

  /** The turns that led to a message; one that has an agent of this server twice, or is too deep, is refused. */
  #lineage(metadata: PeerMessage['metadata']): TurnCause['lineage'] {
    const { trustedPeers, serverUrl, maxDepth } = this.#deps;
    const { ns: namespace, agent, context } = this.#call;
    const isTrusted = trustedPeers.includes(context.caller.identity);
    const lineage = readLineage(metadata, { isTrusted, serverUrl: serverUrl() });
    const problem = lineageProblem(lineage, { namespace, agent }, maxDepth);
    if (problem === undefined) return lineage;
    throw new Fault('FAILED_PRECONDITION', problem.code.toUpperCase(), problem.text);
  }

  #names(sessionId: string): SessionNames {
    const { ns, agent } = this.#call;
    return { ns, agent, sessionId };
  }

  /** The turn, where the caller may read its session. */
  async #seen(taskId: string): Promise<TurnRow> {
    const { ns, agent, context } = this.#call;
    const turn = await turnOf(this.#deps.store.direct, { ns, agent }, taskId);
    const target = { namespace: ns, agent, session: turn.sessionId };
    if (!this.#deps.authorizer.allows(context.caller, 'viewer', target)) throw taskNotFound(taskId);
    return turn;
  }

  #read(turnId: string): Promise<PeerTask> {
    const { ns, agent } = this.#call;
    return this.#deps.store.read(async (tx) => peerTask(tx, await turnOf(tx, { ns, agent }, turnId), this.#deps.links));
  }

  /** The turn that the message begins, answers or joins. */
  async #submit(message: PeerMessage, push: PeerPush | undefined): Promise<TurnRow> {
    const { store, authorizer, sessions } = this.#deps;
    const { ns, agent, context } = this.#call;
    const open = message.taskId === '' ? undefined : await this.#seen(message.taskId);
    if (open !== undefined && message.contextId !== '' && message.contextId !== open.sessionId)
      throw invalidField('message.contextId', 'is not the context of the task');
    if (open !== undefined && isTurnOver(open))
      throw new Fault('FAILED_PRECONDITION', 'TASK_ENDED', `task ${open.id} is over: send without its id`);
    const lineage = this.#lineage(message.metadata);
    if (push !== undefined) this.#deps.pushes.require(ns, push);
    const given = open?.sessionId ?? message.contextId;
    authorizer.authorize(operator('fields'), { ns, agent, sessionId: given }, context.caller);
    const key = createHash('sha256').update(`${ns}\n${agent}\n${message.id}`).digest('base64url');
    const asked = open === undefined ? undefined : await openRequest(store.direct, open.id);
    if (open !== undefined && asked !== undefined) {
      const decision = decisionOf(asked, message.parts);
      const names = asked.options.map(({ name }) => name).join(', ');
      if (decision === undefined) throw invalidField('message.parts', `must be an answer: ${names}`);
      const answered = callAs(context, 'AnswerPermission', '');
      if (push !== undefined) await this.#setPush(open, push);
      await sessions.chat.answer(this.#names(open.sessionId), { ...decision, comment: '' }, answered);
      return open;
    }
    const sessionId =
      given === '' ? await sessions.createSession({ ns, agent }, callAs(context, 'CreateSession', key)) : given;
    const whenBusy = open === undefined ? 'QUEUE' : 'STEER';
    const sent = {
      ...contentOf(message.parts),
      labels: {},
      whenBusy,
      lineage,
      cause: CAUSE,
      ...this.#withPush(push),
    } as const;
    const { turnId } = await sessions.chat.send(this.#names(sessionId), sent, callAs(context, 'SendMessage', key));
    return turnOf(store.direct, { ns, agent }, turnId);
  }

  /** The task once it ended or waits for a person, or as it is when time is up. */
  async #settled(turn: TurnRow): Promise<PeerTask> {
    const { clock, waitMs } = this.#deps;
    const control = new AbortController();
    const cancel = clock.after(waitMs, () => control.abort());
    try {
      const signal = AbortSignal.any([control.signal, this.#call.context.signal]);
      for await (const event of this.#events(turn, signal)) if (event.kind === 'artifact') continue;
      return await this.#read(turn.id);
    } finally {
      cancel();
    }
  }

  async *#events(turn: TurnRow, signal: AbortSignal): AsyncGenerator<PeerTaskEvent, void, undefined> {
    const first = await this.#read(turn.id);
    yield { kind: 'task', task: first };
    if (isSettled(first)) return;
    const outlet = new TaskOutlet();
    const control = new AbortController();
    const { namespace, agent, sessionId } = turn;
    const request = {
      sessions: [{ namespace, agent, sessionId, after: '' }],
      untilDone: true,
      turnId: turn.id,
      batch: false,
    };
    const followed = this.#deps.streams.follow(request, outlet, AbortSignal.any([control.signal, signal])).then(
      () => outlet.end(),
      (error: unknown) => outlet.end(error),
    );
    try {
      yield* this.#translated(turn, outlet.events());
    } finally {
      control.abort();
      await followed;
    }
  }

  async *#translated(
    turn: TurnRow,
    events: AsyncGenerator<SessionEvent, void, undefined>,
  ): AsyncGenerator<PeerTaskEvent, void, undefined> {
    let isFresh = true;
    let isWorking = false;
    for await (const { kind, part } of events) {
      if (kind === EVENT.DONE || kind === EVENT.ERROR || part?.type === PART.REQUEST_PERMISSION) {
        const task = await this.#read(turn.id);
        if (isSettled(task)) {
          for (const artifact of task.artifacts)
            yield artifactEvent(task, artifact.parts, { isAppended: false, isLast: true });
          yield { kind: 'status', task };
          return;
        }
      }
      if (!isWorking) {
        isWorking = true;
        const task = await this.#read(turn.id);
        yield { kind: 'status', task: { ...task, state: 'working', statusParts: [] } };
      }
      if (kind === EVENT.RESET || (part !== undefined && BREAKS.has(part.type))) isFresh = true;
      if (part?.type !== PART.TEXT) continue;
      const parts: readonly PeerPart[] = [{ kind: 'text', text: part.content ?? '' }];
      const place = { id: turn.id, contextId: turn.sessionId };
      yield artifactEvent(place, parts, { isAppended: !isFresh, isLast: false });
      isFresh = false;
    }
  }
}

const isSettled = ({ state }: PeerTask): boolean => state !== 'submitted' && state !== 'working';

const artifactEvent = (
  { id: taskId, contextId }: Pick<PeerTask, 'id' | 'contextId'>,
  parts: readonly PeerPart[],
  place: { readonly isAppended: boolean; readonly isLast: boolean },
): PeerTaskEvent => ({ kind: 'artifact', taskId, contextId, artifact: { id: REPLY, parts }, ...place });

/** Texts and data as the text of a message, files as its files. */
const contentOf = (parts: readonly PeerPart[]): { readonly text: string; readonly files: readonly PeerFile[] } => {
  const texts: string[] = [];
  const files: PeerFile[] = [];
  for (const part of parts) {
    if (part.kind === 'text') texts.push(part.text);
    else if (part.kind === 'data') texts.push(JSON.stringify(part.value));
    else files.push(fileOf(part));
  }
  return { text: texts.join('\n'), files };
};

const fileOf = (part: Extract<PeerPart, { kind: 'url' | 'bytes' }>): PeerFile => {
  const { filename } = part;
  const mediaType = part.mediaType === '' ? 'application/octet-stream' : part.mediaType;
  if (part.kind === 'url') return { source: { url: part.url }, mediaType, filename };
  const sha256 = createHash('sha256').update(part.bytes).digest('hex');
  return { source: { bytes: part.bytes, mediaType, sha256 }, mediaType, filename };
};
