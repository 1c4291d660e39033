import { isFault, isUuid } from '../../../../base/index.ts';
import { type AppendAudit, isPassing, systemOrigin } from '../../../../controllers/contract.ts';
import { type PermissionData, parsePermission, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { PermissionRow, SessionRow, WriteTx } from '../../../../store/contracts/index.ts';
import type { ConnectorContext } from '../context/index.ts';
import { liveConnector, parseDelivery } from '../outbox/index.ts';
import { answeredSubject, askedRequests, DELIVER, REQUESTS } from './request-deliveries.ts';
import { answerInText, type RequestAnswer } from './request-text-rules.ts';

/** Annotation of a connector: external ids of the senders whose answers count, with commas between them. */
const APPROVERS = 'option.svc/approvers';

/** Label of an event that answers the question of this one delivery, as a press of a button does; never a message. */
const ANSWERED = 'svc.delivery';

/** Why an event that names the question which it answers decides nothing. */
export type Unanswered = 'no_open_request' | 'not_an_approver' | 'no_answer';

/** The request that an event answered, by its session. */
export interface AnsweredRequest {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly requestId: string;
}

/** Answers of people in conversations of connectors; ingest asks before it treats an event as a message. */
export interface ConversationAnswers {
  /**
   * Decides a request in the caller's transaction, when the sender may and the text is an answer to it: the one of the delivery that the
   * event names in its label `svc.delivery`, else the newest open one that the connector asked in the conversation. Undefined when the
   * event is an ordinary message; one that names a delivery never is.
   */
  answerOf(
    tx: WriteTx,
    context: ConnectorContext,
    text: string,
  ): Promise<AnsweredRequest | { readonly unanswered: Unanswered } | undefined>;
}

interface RequestAnswersDeps {
  readonly lifecycle: Pick<SessionLifecycle, 'answerPermission'>;
  readonly audit: AppendAudit;
}

interface Deciding {
  readonly context: ConnectorContext;
  readonly session: SessionRow;
  readonly data: PermissionData;
  readonly answer: RequestAnswer;
}

/** Lets senders that a connector names answer what turns ask people. */
export class RequestAnswers implements ConversationAnswers {
  readonly #deps: RequestAnswersDeps;

  constructor(deps: RequestAnswersDeps) {
    this.#deps = deps;
  }

  async answerOf(
    tx: WriteTx,
    context: ConnectorContext,
    text: string,
  ): Promise<AnsweredRequest | { readonly unanswered: Unanswered } | undefined> {
    const { annotations } = await liveConnector(tx, context);
    const mayAnswer = annotations[REQUESTS] === DELIVER && isApprover(annotations[APPROVERS], context);
    const deliveryId = context.eventLabels[ANSWERED];
    if (deliveryId === undefined) return mayAnswer ? this.#answerNewest(tx, context, text) : undefined;
    if (!mayAnswer) return { unanswered: 'not_an_approver' };
    const id = await requestOfDelivery(tx, context, deliveryId);
    const row = id === undefined ? undefined : await tx.log.permission(id);
    if (row?.open !== true) return { unanswered: 'no_open_request' };
    return (await this.#answer(tx, { context, row, text })) ?? { unanswered: 'no_answer' };
  }

  async #answerNewest(tx: WriteTx, context: ConnectorContext, text: string): Promise<AnsweredRequest | undefined> {
    for (const id of await askedRequests(tx, answeredSubject(context))) {
      const row = await tx.log.permission(id);
      if (row?.open === true) return this.#answer(tx, { context, row, text });
    }
    return undefined;
  }

  async #answer(
    tx: WriteTx,
    { context, row, text }: { readonly context: ConnectorContext; readonly row: PermissionRow; readonly text: string },
  ): Promise<AnsweredRequest | undefined> {
    const data = parsePermission(row);
    const answer = answerInText(data, text);
    const session = answer === undefined ? undefined : await tx.log.lockSession(row.sessionId);
    return answer === undefined || session === undefined
      ? undefined
      : this.#decide(tx, { context, session, data, answer });
  }

  /** Data that does not fit, and a request that was closed meanwhile, leave the event an ordinary message. */
  async #decide(tx: WriteTx, { context, session, data, answer }: Deciding): Promise<AnsweredRequest | undefined> {
    const { connectorNamespace, connectorName, sender } = context;
    const decidedBy = `connector:${connectorNamespace}/${connectorName}/${sender.externalId}`;
    const { id: requestId, turnId } = data;
    const { namespace, agent, id: sessionId } = session;
    try {
      await tx.savepoint(() =>
        this.#deps.lifecycle.answerPermission(tx, session, { ...answer, requestId, comment: '', decidedBy }),
      );
    } catch (error) {
      if (!isFault(error) || isPassing(error)) throw error;
      return undefined;
    }
    const origin = { ...systemOrigin('connectors/answer-request'), caller: { identity: decidedBy } };
    const target = `Session/${namespace}/${agent}/${sessionId}`;
    await this.#deps.audit(tx, origin, { target, namespace, resourceVersion: '', outcome: 'ok' });
    return { namespace, agent, sessionId, turnId, requestId };
  }
}

/** The request that a delivery of this connector asked in this conversation; threads may differ, since platforms move replies into them. */
const requestOfDelivery = async (
  { deliveries }: Pick<WriteTx, 'deliveries'>,
  { connectorUid, conversationId }: ConnectorContext,
  deliveryId: string,
): Promise<string | undefined> => {
  const row = isUuid(deliveryId) ? await deliveries.get({ id: deliveryId }) : undefined;
  const body = row === undefined ? undefined : parseDelivery(row).body;
  const isItsOwn = body?.connectorUid === connectorUid && body.conversationId === conversationId;
  return isItsOwn ? body.source.requestId : undefined;
};

const isApprover = (approvers = '', { sender }: ConnectorContext): boolean =>
  sender.externalId !== '' &&
  approvers
    .split(',')
    .map((id) => id.trim())
    .includes(sender.externalId);
