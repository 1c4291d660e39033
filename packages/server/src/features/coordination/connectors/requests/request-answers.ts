import { isFault } from '../../../../base/index.ts';
import { type AppendAudit, isPassing, systemOrigin } from '../../../../controllers/contract.ts';
import { type PermissionData, parsePermission, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { SessionRow, WriteTx } from '../../../../store/contracts/index.ts';
import type { ConnectorContext } from '../context/index.ts';
import { liveConnector } from '../outbox/index.ts';
import { answeredSubject, askedRequests, DELIVER, REQUESTS } from './request-deliveries.ts';
import { answerInText, type RequestAnswer } from './request-text-rules.ts';

/** Annotation of a connector: external ids of the senders whose answers count, with commas between them. */
const APPROVERS = 'option.svc/approvers';

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
   * Decides the newest open request that the connector of the event asked in its conversation, in the caller's transaction, when its
   * sender may and the text is an answer to it. Undefined when the event is an ordinary message.
   */
  answerOf(tx: WriteTx, context: ConnectorContext, text: string): Promise<AnsweredRequest | undefined>;
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

  async answerOf(tx: WriteTx, context: ConnectorContext, text: string): Promise<AnsweredRequest | undefined> {
    const { annotations } = await liveConnector(tx, context);
    if (annotations[REQUESTS] !== DELIVER || !isApprover(annotations[APPROVERS], context)) return undefined;
    for (const id of await askedRequests(tx, answeredSubject(context))) {
      const row = await tx.log.permission(id);
      if (row?.open !== true) continue;
      const data = parsePermission(row);
      const answer = answerInText(data, text);
      const session = answer === undefined ? undefined : await tx.log.lockSession(row.sessionId);
      if (answer === undefined || session === undefined) return undefined;
      return this.#decide(tx, { context, session, data, answer });
    }
    return undefined;
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

const isApprover = (approvers = '', { sender }: ConnectorContext): boolean =>
  sender.externalId !== '' &&
  approvers
    .split(',')
    .map((id) => id.trim())
    .includes(sender.externalId);
