import { Fault } from '../../../base/index.ts';
import {
  type Admission,
  isTurnOver,
  lineageBelow,
  lineageProblem,
  parseBody,
  type SessionLifecycle,
  type TurnBody,
} from '../../../runtime/contract.ts';
import type { DelegationRow, ReadTx, Store, WriteTx } from '../../../store/contracts/index.ts';
import type { ConnectionGrant, ToolContext } from '../../../tools/contract.ts';
import { type DelegatedReply, replyOf, textPart } from './delegation-replies.ts';
import {
  asRead,
  type Delegation,
  depthLimit,
  firstAlias,
  freeAlias,
  MAX_ALIASES,
  nextRound,
  parseDelegation,
  UNREAD,
  waitingFor,
  withDelegation,
  withSent,
} from './delegation-rules.ts';
import type { OutwardParts, PeerPost } from './peer-post.ts';

export interface DelegationBookDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
  readonly post: PeerPost;
  readonly maxDepth: number;
  readonly maxRounds: number;
}

/** The call that asks; a tool's context has all of it. */
export type DelegatingCall = Pick<
  ToolContext,
  'namespace' | 'agent' | 'sessionId' | 'turnId' | 'callId' | 'idempotencyKey' | 'identity' | 'lineage' | 'traceHeaders'
>;

/** Another agent, as a connection names it; of one elsewhere no namespace, and the address of its card. */
type Target = Pick<Delegation, 'namespace' | 'agent' | 'peer'>;

/** An agent elsewhere that a message is meant for. */
interface OutwardMessage {
  readonly connection: ConnectionGrant;
  /** A run of the call before this one sent it. */
  readonly isSent: boolean;
}

/** What agent_status reports. */
export interface DelegationView {
  readonly target: string;
  readonly connection: string;
  readonly agent: string;
  readonly namespace: string;
  /** Messages whose replies have not arrived. */
  readonly outstanding: readonly DelegatedReply[];
}

/** What agent_wait gets. */
interface TakenReplies {
  readonly alias: string;
  readonly connection: string;
  readonly replies: readonly DelegatedReply[];
  readonly open: readonly DelegatedReply[];
}

/** Refusals of a model's request: it reads the text. */
const refused = (text: string): Fault => new Fault('INVALID_ARGUMENT', 'INVALID_ARGUMENT', text);
const failed = (reason: string, text: string): Fault => new Fault('FAILED_PRECONDITION', reason, text);

const targetOf = (connection: ConnectionGrant, call: DelegatingCall): Target => {
  const { internal, external } = connection.target ?? {};
  if (internal !== undefined && internal.agent !== '')
    return { namespace: internal.namespace === '' ? call.namespace : internal.namespace, agent: internal.agent };
  const cardUrl = external?.agentCardUrl ?? '';
  if (cardUrl === '') throw failed('CONNECTION_UNUSABLE', `connection ${connection.name} leads to no agent`);
  const { outputModes, timeoutSeconds, auth } = connection;
  const secretRef = auth?.kind === 'bearer' ? auth.secretRef : '';
  const peer = { cardUrl, secretRef, outputModes, timeoutSeconds, contextId: '', askedTaskId: '' };
  return { namespace: '', agent: cardUrl, peer };
};

/**
 * Nothing begins for a turn that is over, also when its call is still under way, and none ends while its session is held: the end of a
 * turn sees all that its calls did. Sessions are held before rows of `delegations`, and the asking one before the one that is asked.
 */
const requireOpenTurn = async (tx: WriteTx, { sessionId, turnId }: DelegatingCall): Promise<TurnBody> => {
  await tx.log.lockSession(sessionId);
  const turn = await tx.log.turn(turnId);
  if (turn === undefined || isTurnOver(turn) || turn.stopRequested)
    throw new Fault('ABORTED', 'TURN_ENDED', 'the turn is over');
  return parseBody(turn);
};

/** The conversations of sessions with other agents: one transaction for each thing an agent does with one. */
export class DelegationBook {
  readonly #deps: DelegationBookDeps;

  constructor(deps: DelegationBookDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a conversation over the connection and answers its alias. A `name` that is taken names the conversation that has it; without
   * one a new conversation is opened. A call that runs again answers what it opened before.
   */
  open(call: DelegatingCall, connection: ConnectionGrant, name: string): Promise<string> {
    return this.#inTurn(call, async (tx) => (await this.#opened(tx, call, { connection, name })).alias);
  }

  /** Opens the conversation where need be and answers whose session it is; `target` as for `send`. */
  reach(
    call: DelegatingCall,
    target: string,
    connections: readonly ConnectionGrant[],
  ): Promise<{ readonly namespace: string; readonly agent: string; readonly sessionId: string }> {
    return this.#inTurn(call, async (tx) => {
      const { row } = await this.#targeted(tx, call, { target, connections });
      const { namespace, agent } = parseDelegation(row);
      return { namespace, agent, sessionId: row.childSessionId };
    });
  }

  /** The connection that a message goes over, where it leads elsewhere; undefined for an agent of this server. Changes nothing. */
  async outward(
    call: DelegatingCall,
    target: string,
    connections: readonly ConnectionGrant[],
  ): Promise<OutwardMessage | undefined> {
    const row = await findRow(this.#deps.store.direct, call, target);
    const delegation = row === undefined ? undefined : parseDelegation(row);
    const name = delegation?.connection ?? target;
    const connection = connections.find((each) => each.name === name);
    if (connection === undefined || targetOf(connection, call).peer === undefined) return undefined;
    return { connection, isSent: delegation?.sent.some(({ key }) => key === call.idempotencyKey) === true };
  }

  /** Sends a message; the other agent works on it in a turn of its own. `target`: an alias, or the name of a connection for its first one. */
  send(
    call: DelegatingCall,
    message: { readonly target: string; readonly text: string } & Partial<OutwardParts>,
    connections: readonly ConnectionGrant[],
  ): Promise<{ readonly alias: string; readonly turnId: string }> {
    return this.#inTurn(call, async (tx, body) => {
      const { row, connection } = await this.#targeted(tx, call, { target: message.target, connections });
      const { alias } = row;
      const delegation = parseDelegation(row);
      const before = delegation.sent.find(({ key }) => key === call.idempotencyKey);
      if (before !== undefined) return { alias, turnId: before.turnId };
      const sender = { namespace: call.namespace, agent: call.agent, turnId: call.turnId };
      const lineage = lineageBelow(call.lineage, sender);
      const problem = lineageProblem(lineage, delegation, depthLimit(connection.maxDepth, this.#deps.maxDepth));
      if (problem !== undefined) throw failed(problem.code.toUpperCase(), problem.text);
      const round = nextRound(delegation, {
        turnId: call.turnId,
        // Servers that are not trusted name no turns.
        firstTurnId: call.lineage[0]?.turnId || undefined,
        isReply: body.cause.kind === 'delegation',
      });
      if (round.rounds > this.#deps.maxRounds)
        throw failed('ROUNDS_EXCEEDED', `rounds_exceeded: ${this.#deps.maxRounds} messages were sent to ${alias}`);
      const sent = { ...delegation, ...round };
      const { parts = [], files = [] } = message;
      if (delegation.peer !== undefined)
        return this.#deps.post.send(tx, call, { row, delegation: sent, parts, files, lineage });
      const turnId = await this.#admit(tx, call, { row, delegation, text: message.text, lineage });
      const work = { key: call.idempotencyKey, turnId, senderTurnId: call.turnId, ...UNREAD };
      await tx.delegations.put(withDelegation(row, { ...sent, sent: withSent(delegation, work) }));
      return { alias, turnId };
    });
  }

  /**
   * The replies that the call may have, and those still to come; the call takes them when none is to come, or when it waits no longer.
   * What an agent elsewhere has not answered in time is called off. One call takes a reply, and gets it again when it runs again; a turn that ends before the result of the call is recorded gives it back.
   */
  take(call: DelegatingCall, target: string, endedBy: '' | 'steering' | 'timeout'): Promise<TakenReplies> {
    return this.#inTurn(call, async (tx) => {
      const row = (await findRow(tx, call, target)) ?? missing(target);
      const stored = parseDelegation(row);
      const delegation =
        endedBy === 'timeout' ? await this.#deps.post.callOff(tx, call, { row, delegation: stored }) : stored;
      const all: DelegatedReply[] = [];
      for (const work of waitingFor(delegation, call.callId)) all.push(await replyOf(tx, work));
      const open = all.filter(({ state }) => state === 'open');
      const replies = all.filter(({ state }) => state !== 'open');
      if (replies.length > 0 && (open.length === 0 || endedBy !== '')) {
        // What was called off is not given back: its result says so as a time-out, which looks like one of the runtime.
        const [ended, late] = partitioned(replies);
        const read = asRead(delegation, ended, { readBy: call.callId, readIn: call.turnId });
        await tx.delegations.put(withDelegation(row, asRead(read, late, { readBy: call.callId, readIn: '' })));
      }
      return { alias: row.alias, connection: delegation.connection, replies, open };
    });
  }

  /** The state of a conversation; changes nothing. */
  async view(call: DelegatingCall, target: string): Promise<DelegationView> {
    const { direct } = this.#deps.store;
    const row = (await findRow(direct, call, target)) ?? missing(target);
    const { connection, namespace, agent, sent } = parseDelegation(row);
    const outstanding: DelegatedReply[] = [];
    for (const work of sent) if (work.readBy === '') outstanding.push(await replyOf(direct, work));
    return { target: row.alias, connection, namespace, agent, outstanding };
  }

  /** A transaction that finds the turn of the call open, and keeps it so. */
  #inTurn<T>(call: DelegatingCall, work: (tx: WriteTx, body: TurnBody) => Promise<T>): Promise<T> {
    return this.#deps.store.write(async (tx) => work(tx, await requireOpenTurn(tx, call)));
  }

  async #opened(
    tx: WriteTx,
    call: DelegatingCall,
    { connection, name }: { readonly connection: ConnectionGrant; readonly name: string },
  ): Promise<DelegationRow> {
    const rows = await tx.delegations.page('ofSession', { sessionId: call.sessionId }, { limit: MAX_ALIASES });
    const found = rows.find((row) => row.alias === name || parseDelegation(row).openedBy === call.idempotencyKey);
    if (found !== undefined) {
      if (parseDelegation(found).connection !== connection.name)
        throw refused(`${name} is a conversation over another connection`);
      return found;
    }
    if (rows.length >= MAX_ALIASES)
      throw failed('ALIASES_EXCEEDED', `${MAX_ALIASES} conversations are open: use one of them`);
    const target = targetOf(connection, call);
    const { sessionId } = call;
    const childSessionId = target.peer === undefined ? await this.#childSession(tx, call, target) : '';
    const delegation: Delegation = {
      connection: connection.name,
      ...target,
      openedBy: call.idempotencyKey,
      causeTurnId: '',
      rounds: 0,
      sent: [],
    };
    const alias =
      name === ''
        ? freeAlias(
            connection.name,
            rows.map((row) => row.alias),
          )
        : name;
    const row = { sessionId, alias, childSessionId, body: JSON.stringify(delegation) };
    await tx.delegations.put(row);
    return row;
  }

  async #childSession(tx: WriteTx, call: DelegatingCall, { namespace, agent }: Target): Promise<string> {
    const labels = { 'svc/parent-agent': call.agent, 'svc/parent-session': call.sessionId };
    const { identity } = call;
    return (await this.#deps.lifecycle.create(tx, { namespace, agent, labels, identity })).id;
  }

  /** The conversation to send to, with its connection, which the agent must still have and which must lead where it did. */
  async #targeted(
    tx: WriteTx,
    call: DelegatingCall,
    { target, connections }: { readonly target: string; readonly connections: readonly ConnectionGrant[] },
  ): Promise<{ readonly row: DelegationRow; readonly connection: ConnectionGrant }> {
    const known = await findRow(tx, call, target);
    if (known === undefined) {
      const named = connections.find(({ name }) => name === target) ?? missing(target);
      return { row: await this.#opened(tx, call, { connection: named, name: firstAlias(target) }), connection: named };
    }
    const delegation = parseDelegation(known);
    const connection = connections.find(({ name }) => name === delegation.connection);
    if (connection === undefined) throw failed('CONNECTION_GONE', `connection ${delegation.connection} is gone`);
    const { namespace, agent } = targetOf(connection, call);
    if (namespace !== delegation.namespace || agent !== delegation.agent)
      throw failed('CONNECTION_CHANGED', `connection ${connection.name} leads to another agent now: open it again`);
    return { row: known, connection };
  }

  async #admit(
    tx: WriteTx,
    { identity, traceHeaders }: DelegatingCall,
    work: {
      readonly row: DelegationRow;
      readonly delegation: Delegation;
      readonly text: string;
      readonly lineage: TurnBody['cause']['lineage'];
    },
  ): Promise<string> {
    const { namespace, agent } = work.delegation;
    const traceParent = traceHeaders?.['traceparent'];
    const admitted = await this.#deps.admission.admit(tx, {
      namespace,
      agent,
      sessionId: work.row.childSessionId,
      parts: [textPart(work.text, tx.now())],
      labels: {},
      whenBusy: 'QUEUE',
      cause: {
        kind: 'delegation',
        identity,
        labels: {},
        lineage: work.lineage,
        ...(traceParent === undefined ? {} : { traceParent }),
      },
    });
    return admitted.turnId;
  }
}

/** By its alias, or by the name of a connection for its first conversation. */
const findRow = async (
  { delegations }: Pick<ReadTx, 'delegations'>,
  { sessionId }: DelegatingCall,
  target: string,
): Promise<DelegationRow | undefined> => {
  const named = await delegations.get({ sessionId, alias: target });
  if (named !== undefined) return named;
  const first = await delegations.get({ sessionId, alias: firstAlias(target) });
  // Any conversation may have been given that name.
  return first !== undefined && parseDelegation(first).connection === target ? first : undefined;
};

/** Turns of replies, and of work that was called off. */
const partitioned = (replies: readonly DelegatedReply[]): readonly [readonly string[], readonly string[]] => [
  replies.filter(({ state }) => state !== 'expired').map(({ turnId }) => turnId),
  replies.filter(({ state }) => state === 'expired').map(({ turnId }) => turnId),
];

const missing = (target: string): never => {
  throw refused(`${target} is neither an open conversation nor a connection`);
};
