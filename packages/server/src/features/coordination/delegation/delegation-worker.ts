import { isFault } from '../../../base/index.ts';
import type { QueueWorker, ReconcileOutcome, WorkItem } from '../../../controllers/contract.ts';
import {
  type Admission,
  type CallWakes,
  isTurnOver,
  parseBody,
  type SessionLifecycle,
} from '../../../runtime/contract.ts';
import type { DelegationRow, Store, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { type DelegatedReply, replyOf, textPart } from './delegation-replies.ts';
import { asRead, parseDelegation, READ_AS_MESSAGE, replyKey, withDelegation } from './delegation-rules.ts';

/** Queue item: a message may have its reply; key = the turn that worked on it. */
export const REPLY_READY = 'delegation.reply';

/** Queue item: a turn was stopped; key = that turn, payload = the turns it gave work to. */
export const CHILDREN_STOP = 'delegation.stop';

/** Payload of REPLY_READY: where the message was sent from. */
export interface ReplyReady {
  readonly sessionId: string;
  readonly alias: string;
  readonly turnId: string;
}

/** Payload of CHILDREN_STOP. */
export interface ChildrenStop {
  readonly turns: readonly { readonly sessionId: string; readonly turnId: string }[];
}

export interface DelegationWorkerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'stop'>;
  readonly wakes: CallWakes;
}

const DONE: ReconcileOutcome = { done: true };

/** A session that cannot take a message now is tried again after this time. */
const AGAIN_MS = 60_000;

/** A reply that no call waits for, and the turn that asked for it. */
interface Unread {
  readonly row: DelegationRow;
  readonly reply: DelegatedReply;
  readonly sender: TurnRow;
}

/**
 * Delivers replies. A call that waits is woken and takes the reply itself. While the turn that asked is open it may still
 * wait, so the reply stays where it is; the end of that turn brings the item here again. After it the reply becomes a message to its
 * session, in the transaction that notes the reply as read: it arrives once, either way.
 */
export class DelegationWorker implements QueueWorker {
  readonly kinds = [REPLY_READY, CHILDREN_STOP];
  readonly #deps: DelegationWorkerDeps;

  constructor(deps: DelegationWorkerDeps) {
    this.#deps = deps;
  }

  run(item: WorkItem): Promise<ReconcileOutcome> {
    if (item.kind === CHILDREN_STOP) return this.#stop(JSON.parse(item.payload) as ChildrenStop);
    return this.#reply(JSON.parse(item.payload) as ReplyReady);
  }

  /** One transaction for each session: none holds two. */
  async #stop({ turns }: ChildrenStop): Promise<ReconcileOutcome> {
    for (const { sessionId, turnId } of turns) {
      await this.#deps.store.write(async (tx) => {
        const session = await tx.log.lockSession(sessionId);
        const turn = await tx.log.turn(turnId);
        if (session !== undefined && turn !== undefined) await this.#deps.lifecycle.stop(tx, session, turnId);
      });
    }
    return DONE;
  }

  async #reply(ready: ReplyReady): Promise<ReconcileOutcome> {
    try {
      await this.#deps.store.write((tx) => this.#bring(tx, ready));
      return DONE;
    } catch (error) {
      if (!isFault(error)) throw error;
      // The agent is gone, and with it whatever could use the reply.
      if (error.code === 'NOT_FOUND') return { failed: error.reason };
      // It takes no messages at present: its namespace is deleted, or what it needs is away. Both may come back.
      if (error.code === 'FAILED_PRECONDITION') return { againMs: AGAIN_MS };
      throw error;
    }
  }

  async #bring(tx: WriteTx, { sessionId, alias, turnId }: ReplyReady): Promise<void> {
    const session = await tx.log.lockSession(sessionId);
    const row = await tx.delegations.get({ sessionId, alias });
    const work = row === undefined ? undefined : parseDelegation(row).sent.find((each) => each.turnId === turnId);
    if (row === undefined || work === undefined || work.readBy !== '') return;
    const reply = await replyOf(tx, work);
    if (reply.state === 'open') return;
    const active = session?.activeTurnId ?? '';
    if (active !== '' && (await this.#deps.wakes.wake(tx, active, replyKey(alias)))) return;
    const sender = await tx.log.turn(work.senderTurnId);
    // A session that was stopped begins nothing by itself: its next turn may still ask for the reply.
    if (sender === undefined || !isTurnOver(sender) || sender.state === 'STOPPED') return;
    await this.#sendMessage(tx, { row, reply, sender });
  }

  async #sendMessage(tx: WriteTx, { row, reply, sender }: Unread): Promise<void> {
    const { alias } = row;
    const delegation = parseDelegation(row);
    const { identity, lineage } = parseBody(sender).cause;
    await tx.delegations.put(withDelegation(row, asRead(delegation, [reply.turnId], READ_AS_MESSAGE)));
    const labels = { 'svc/delegation-turn': reply.turnId };
    await this.#deps.admission.admit(tx, {
      namespace: sender.namespace,
      agent: sender.agent,
      sessionId: row.sessionId,
      parts: [textPart(messageText(alias, reply), tx.now())],
      labels,
      whenBusy: 'QUEUE',
      // What follows from the reply belongs to the same chain as the turn that asked for it.
      cause: { kind: 'delegation', identity, labels, lineage },
    });
  }
}

const messageText = (alias: string, { state, text }: DelegatedReply): string => {
  if (state === 'completed') return `Reply of agent ${alias}:\n\n${text}`;
  if (state === 'asks') return `Agent ${alias} waits for an answer, which agent_send gives it:\n\n${text}`;
  return `Agent ${alias} did not answer: ${text}`;
};
