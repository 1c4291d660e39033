import { Fault } from '../../../base/index.ts';
import { RESOURCES_CHANGED } from '../../../controllers/contract.ts';
import { type PeerClient, PeerFailure } from '../../../protocols/a2a/client-contract.ts';
import type { PeerPart } from '../../../protocols/a2a/contract.ts';
import { LINEAGE, writtenLineage } from '../../../protocols/a2a/lineage-contract.ts';
import type { TurnCause } from '../../../runtime/contract.ts';
import type { Bus, DelegationRow, WriteTx } from '../../../store/contracts/index.ts';
import type { ConnectionGrant, ToolContext } from '../../../tools/contract.ts';
import { type Delegation, UNREAD, waitingFor, withDelegation, withRemote, withSent } from './delegation-rules.ts';
import { peerTarget, type ReadSecret } from './peer-courier.ts';
import { type ErrandSender, errandPlace, putCancellation, putErrand } from './peer-errands.ts';
import { messageForm } from './remote-rules.ts';

export interface PeerPostDeps {
  readonly client: Pick<PeerClient, 'card'>;
  readonly secret: ReadSecret;
  readonly bus: Pick<Bus, 'publish'>;
  /** Where this server is reached, without a trailing slash; names it in the chains of turns that other servers get. */
  readonly baseUrl: () => string;
}

type Sender = ErrandSender & Pick<ToolContext, 'callId' | 'idempotencyKey'>;

interface Conversation {
  readonly row: DelegationRow;
  readonly delegation: Delegation;
}

const CALLED_OFF = 'it has not answered in time, and its work was called off';

/** Hands messages to agents elsewhere over to the queue, in the transaction that notes them, and calls them off. */
export class PeerPost {
  readonly #deps: PeerPostDeps;

  constructor(deps: PeerPostDeps) {
    this.#deps = deps;
  }

  /**
   * The message in a form that the agent takes, by its card. Throws UNAVAILABLE PEER_UNAVAILABLE, and FAILED_PRECONDITION where the agent
   * cannot be used: PEER_REFUSED, MODES_DIFFER, SECRET_NOT_FOUND.
   */
  async prepare(
    context: Pick<ToolContext, 'namespace' | 'signal'>,
    connection: ConnectionGrant,
    text: string,
  ): Promise<readonly PeerPart[]> {
    const secretRef = connection.auth?.kind === 'bearer' ? connection.auth.secretRef : '';
    const place = { cardUrl: connection.target?.external?.agentCardUrl ?? '', secretRef };
    const target = await peerTarget(this.#deps.secret, context.namespace, place);
    const { inputModes } = await this.#card(target, context.signal, connection.name);
    const form = messageForm(text, connection.inputModes, inputModes);
    if ('parts' in form) return form.parts;
    throw new Fault('FAILED_PRECONDITION', 'MODES_DIFFER', `the message cannot be sent: ${form.problem}`);
  }

  /** Notes the message with the id that it will have elsewhere, and puts it in the queue. */
  async send(
    tx: WriteTx,
    call: Sender & { readonly turnId: string },
    { row, delegation, parts, lineage }: Conversation & PeerMessageFacts,
  ): Promise<{ readonly alias: string; readonly turnId: string }> {
    const { idempotencyKey: messageId } = call;
    const { alias } = row;
    const place = delegation.peer ?? missingPeer();
    const remote = { state: 'open', text: 'waiting to be sent', taskId: '' } as const;
    const work = { key: messageId, turnId: messageId, senderTurnId: call.turnId, ...UNREAD, remote };
    const peer = { ...place, askedTaskId: '' };
    await tx.delegations.put(withDelegation(row, { ...delegation, peer, sent: withSent(delegation, work) }));
    const metadata = { [LINEAGE]: writtenLineage(lineage, this.#deps.baseUrl()) };
    await putErrand(tx, {
      sender: senderOf(call),
      alias,
      messageId,
      place: errandPlace(place),
      taskId: '',
      message: { taskId: place.askedTaskId, parts, metadata },
      since: tx.steadyNow(),
      failingSince: 0,
      delayMs: 0,
    });
    this.#notify(tx);
    return { alias, turnId: messageId };
  }

  /** Ends what an agent elsewhere has not answered, and has its tasks cancelled; the caller stores the conversation that this answers. */
  async callOff(tx: WriteTx, call: Sender, { row, delegation }: Conversation): Promise<Delegation> {
    const late = waitingFor(delegation, call.callId).filter(({ remote }) => remote?.state === 'open');
    const place = delegation.peer;
    if (place === undefined || late.length === 0) return delegation;
    for (const work of late) await putCancellation(tx, { alias: row.alias, place, work, sender: senderOf(call) });
    this.#notify(tx);
    const turnIds = late.map(({ turnId }) => turnId);
    return withRemote(delegation, turnIds, { state: 'expired', text: CALLED_OFF });
  }

  async #card(target: Parameters<PeerClient['card']>[0], signal: AbortSignal, connection: string) {
    try {
      return await this.#deps.client.card(target, signal);
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      const text = `the agent of connection ${connection} cannot be used: ${error.message}`;
      if (error.kind === 'unavailable') throw new Fault('UNAVAILABLE', 'PEER_UNAVAILABLE', text);
      throw new Fault('FAILED_PRECONDITION', 'PEER_REFUSED', text);
    }
  }

  #notify(tx: WriteTx): void {
    tx.afterCommit(() => this.#deps.bus.publish(RESOURCES_CHANGED, {}));
  }
}

interface PeerMessageFacts {
  readonly parts: readonly PeerPart[];
  readonly lineage: TurnCause['lineage'];
}

const missingPeer = (): never => {
  throw new Error('the conversation is with an agent of this server');
};

const senderOf = ({ namespace, agent, sessionId, turnId, identity }: ErrandSender): ErrandSender => ({
  namespace,
  agent,
  sessionId,
  turnId,
  identity,
});
