import { Fault } from '../../../base/index.ts';
import { isLoopbackHost } from '../../../base/network/index.ts';
import { RESOURCES_CHANGED } from '../../../controllers/contract.ts';
import { type PeerClient, PeerFailure } from '../../../protocols/a2a/client-contract.ts';
import type { PeerPart } from '../../../protocols/a2a/contract.ts';
import { LINEAGE, writtenLineage } from '../../../protocols/a2a/lineage-contract.ts';
import type { ObjectAccess, ObjectData, TurnCause } from '../../../runtime/contract.ts';
import { type Bus, type DelegationRow, sessionHolder, type WriteTx } from '../../../store/contracts/index.ts';
import type { ConnectionGrant, ToolContext } from '../../../tools/contract.ts';
import { type Delegation, UNREAD, waitingFor, withDelegation, withRemote, withSent } from './delegation-rules.ts';
import { peerTarget, type ReadSecret } from './peer-courier.ts';
import { type ErrandSender, errandPlace, putCancellation, putErrand } from './peer-errands.ts';
import { filesForm, messageForm, type SentFile } from './remote-rules.ts';

export interface PeerPostDeps {
  readonly client: Pick<PeerClient, 'card'>;
  readonly secret: ReadSecret;
  readonly bus: Pick<Bus, 'publish'>;
  readonly objects: Pick<ObjectAccess, 'hold'>;
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
   * The message and its files in a form that the agent takes, by its card. Throws UNAVAILABLE PEER_UNAVAILABLE, and FAILED_PRECONDITION where the agent
   * cannot be used: PEER_REFUSED, MODES_DIFFER, SECRET_NOT_FOUND.
   */
  async prepare(
    context: Pick<ToolContext, 'namespace' | 'signal'>,
    connection: ConnectionGrant,
    message: { readonly text: string; readonly objects: readonly ObjectData[] },
  ): Promise<OutwardParts> {
    const secretRef = connection.auth?.kind === 'bearer' ? connection.auth.secretRef : '';
    const place = { cardUrl: connection.target?.external?.agentCardUrl ?? '', secretRef };
    const target = await peerTarget(this.#deps.secret, context.namespace, place);
    const { inputModes } = await this.#card(target, context.signal, connection.name);
    const form = messageForm(message.text, connection.inputModes, inputModes);
    if ('problem' in form)
      throw new Fault('FAILED_PRECONDITION', 'MODES_DIFFER', `the message cannot be sent: ${form.problem}`);
    const hasLinks = !isLoopbackHost(new URL(this.#deps.baseUrl()).hostname);
    const files = filesForm(message.objects, { declared: connection.inputModes, ofCard: inputModes, hasLinks });
    if ('problem' in files) throw new Fault('FAILED_PRECONDITION', 'MODES_DIFFER', `artifact_uris: ${files.problem}`);
    return { parts: form.parts, files: files.files };
  }

  /** Notes the message with the id that it will have elsewhere, and puts it in the queue. */
  async send(
    tx: WriteTx,
    call: Sender & { readonly turnId: string },
    { row, delegation, parts, files, lineage }: Conversation & PeerMessageFacts,
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
      message: { taskId: place.askedTaskId, parts, files, metadata },
      since: tx.steadyNow(),
      failingSince: 0,
      delayMs: 0,
    });
    // What is sent later stays as it is now, until the session is cleared or deleted.
    for (const { object } of files)
      await this.#deps.objects.hold(tx, call.namespace, object, sessionHolder(call.sessionId));
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

/** What a message to an agent elsewhere is made of. */
export interface OutwardParts {
  readonly parts: readonly PeerPart[];
  readonly files: readonly SentFile[];
}

interface PeerMessageFacts extends OutwardParts {
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
