import { RESOURCES_CHANGED } from '../../../controllers/contract.ts';
import type { RemoteTask } from '../../../protocols/a2a/client-contract.ts';
import type { Bus, DelegationRow, ReadTx, Store, WriteTx } from '../../../store/contracts/index.ts';
import { type Delegation, parseDelegation, type SentWork, withDelegation, withRemote } from './delegation-rules.ts';
import { REPLY_READY, type ReplyReady } from './delegation-worker.ts';
import { PEER_ERRAND, type PeerErrand, putErrand } from './peer-errands.ts';
import type { RemoteWork } from './remote-rules.ts';

/** What is to be done for a message. */
export type ErrandStep =
  | { readonly do: 'send'; readonly contextId: string }
  | { readonly do: 'ask' }
  /** An earlier message of the conversation goes first: its answer names the context. */
  | { readonly do: 'later' }
  /** No one waits for the work. */
  | { readonly do: 'cancel' };

interface Found {
  readonly row: DelegationRow;
  readonly delegation: Delegation;
  readonly work: SentWork;
}

/** What the work has come to. */
interface Settlement {
  readonly outcome: Omit<RemoteWork, 'taskId'>;
  /** As the agent showed it last. */
  readonly task?: RemoteTask;
  /** The agent knows the context no longer: the next message begins another. */
  readonly losesContext?: boolean;
  /** The agent still works on it: its task is cancelled. */
  readonly calledOff?: boolean;
}

export interface PeerRecordsDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly bus: Pick<Bus, 'publish'>;
}

/** What is stored of messages to agents elsewhere: each news of one is kept in a transaction. */
export class PeerRecords {
  readonly #deps: PeerRecordsDeps;

  constructor(deps: PeerRecordsDeps) {
    this.#deps = deps;
  }

  /** What is due for the message, by what is stored of its conversation. */
  step(errand: PeerErrand): Promise<ErrandStep> {
    return this.#deps.store.read(async (tx) => {
      const found = await foundOf(tx, errand);
      if (found?.work.remote?.state !== 'open') return { do: 'cancel' };
      if (errand.taskId !== '' || errand.message === undefined) return { do: 'ask' };
      const earlier = found.delegation.sent.slice(0, found.delegation.sent.indexOf(found.work));
      if (earlier.some(({ remote }) => remote?.state === 'open' && remote.taskId === '')) return { do: 'later' };
      return { do: 'send', contextId: found.delegation.peer?.contextId ?? '' };
    });
  }

  /** The agent has named its task: from now on it is asked for, whatever happens here. */
  begun(errand: PeerErrand, { id, contextId }: RemoteTask, delayMs: number): Promise<PeerErrand> {
    const { message: _sent, ...rest } = errand;
    const next: PeerErrand = { ...rest, taskId: id, failingSince: 0, delayMs };
    return this.#deps.store.write(async (tx) => {
      const found = await this.#locked(tx, errand);
      if (found?.work.remote?.state === 'open') {
        const noted = withRemote(withContext(found.delegation, contextId), [errand.messageId], {
          taskId: id,
          text: 'working',
        });
        await tx.delegations.put(withDelegation(found.row, noted));
        await putErrand(tx, next, delayMs);
      } else await this.#soon(tx, next);
      return next;
    });
  }

  /** The work has come to something: the session that asked for it gets the reply. Work that is no longer wanted is called off. */
  async settled(errand: PeerErrand, { outcome, task, losesContext, calledOff }: Settlement): Promise<void> {
    const { sender, alias, messageId } = errand;
    await this.#deps.store.write(async (tx) => {
      const found = await this.#locked(tx, errand);
      if (found?.work.remote?.state !== 'open') return this.#close(tx, errand, task);
      const { delegation, row } = found;
      const place = losesContext === true ? withoutContext(delegation) : withContext(delegation, task?.contextId ?? '');
      const noted = withRemote(place, [messageId], outcome);
      const asked = outcome.state === 'asks' ? (task?.id ?? '') : '';
      await tx.delegations.put(withDelegation(row, withAsked(noted, asked)));
      await (calledOff === true ? putErrand(tx, errand) : tx.queue.cancel(PEER_ERRAND, messageId));
      const ready: ReplyReady = { sessionId: sender.sessionId, alias, turnId: messageId };
      const item = { kind: REPLY_READY, key: messageId, dueAt: tx.steadyNow(), attempts: 0 };
      await tx.queue.put({ ...item, payload: JSON.stringify(ready) }, { replace: true });
      this.#notify(tx);
    });
  }

  /** The errand is tried again later, unless the work was called off meanwhile: then at once. */
  async again(errand: PeerErrand, delayMs: number): Promise<void> {
    await this.#deps.store.write(async (tx) => {
      const found = await this.#locked(tx, errand);
      const isWanted = found === undefined || found.work.remote?.state === 'open' || errand.failingSince > 0;
      await (isWanted ? putErrand(tx, errand, delayMs) : this.#soon(tx, errand));
    });
  }

  /** Nothing is left to do. */
  async closed(errand: PeerErrand): Promise<void> {
    await this.#deps.store.write((tx) => tx.queue.cancel(PEER_ERRAND, errand.messageId));
  }

  /** A task that has come to something needs no cancellation, unless it waits for an answer. */
  async #close(tx: WriteTx, errand: PeerErrand, task: RemoteTask | undefined): Promise<void> {
    const mayWork = task?.state === 'input-required' || task?.state === 'auth-required';
    if (mayWork) await this.#soon(tx, { ...errand, taskId: task.id });
    else await tx.queue.cancel(PEER_ERRAND, errand.messageId);
  }

  /** Sessions are held before rows of `delegations`. */
  async #locked(tx: WriteTx, errand: PeerErrand): Promise<Found | undefined> {
    await tx.log.lockSession(errand.sender.sessionId);
    return foundOf(tx, errand);
  }

  async #soon(tx: WriteTx, errand: PeerErrand): Promise<void> {
    await putErrand(tx, errand);
    this.#notify(tx);
  }

  #notify(tx: WriteTx): void {
    tx.afterCommit(() => this.#deps.bus.publish(RESOURCES_CHANGED, {}));
  }
}

const foundOf = async (
  { delegations }: Pick<ReadTx, 'delegations'>,
  { sender, alias, messageId }: PeerErrand,
): Promise<Found | undefined> => {
  const row = await delegations.get({ sessionId: sender.sessionId, alias });
  if (row === undefined) return undefined;
  const delegation = parseDelegation(row);
  const work = delegation.sent.find(({ turnId }) => turnId === messageId);
  return work === undefined ? undefined : { row, delegation, work };
};

/** The context that the agent named first stays. */
const withContext = (delegation: Delegation, contextId: string): Delegation => {
  const { peer } = delegation;
  return peer === undefined || peer.contextId !== '' ? delegation : { ...delegation, peer: { ...peer, contextId } };
};

const withoutContext = (delegation: Delegation): Delegation =>
  delegation.peer === undefined ? delegation : { ...delegation, peer: { ...delegation.peer, contextId: '' } };

const withAsked = (delegation: Delegation, askedTaskId: string): Delegation =>
  delegation.peer === undefined ? delegation : { ...delegation, peer: { ...delegation.peer, askedTaskId } };
