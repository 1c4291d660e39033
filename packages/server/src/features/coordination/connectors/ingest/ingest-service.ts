import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { type MessageConsumer, MessageConsumerSchema, SessionMessageConsumerSchema } from '@svc/api/data';
import {
  type ConnectorMessageEvent,
  type ConnectorMessageEventResponse,
  ConnectorMessageEventResponseSchema,
  ConnectorMessageEventStatus as Status,
} from '@svc/api/external';
import { ResourceRefSchema } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, invalidFields } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { Store, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { type AttachmentDeps, settleEventAttachments } from '../attachments/index.ts';
import { type ConsumersDeps, consume, consumerReplyMode, Refused } from '../consumers/index.ts';
import {
  type ConnectorContext,
  conversationOf,
  eventLabels,
  isFromProgram,
  SOURCE,
  senderName,
} from '../context/index.ts';
import { type LiveClassDeps, requireLiveClass, requireRegistration } from '../live-class.ts';
import { registrationIdOf } from '../registration-id.ts';
import type { AnsweredRequest, ConversationAnswers } from '../requests/index.ts';
import { connectorSpec, findRoute } from '../routes/index.ts';
import { countProgram } from './bot-guard.ts';
import { checkEvent, type EventLimits, ignoredReason } from './event-rules.ts';

export interface IngestDeps extends LiveClassDeps, AttachmentDeps, ConsumersDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  /** Answers to what turns ask people in conversations. */
  readonly answers: ConversationAnswers;
  readonly limits: EventLimits & {
    /** `limits.ingestDedupeRetention`. */
    readonly dedupeMs: number;
    /** `limits.botRate`, a minute. */
    readonly botRate: number;
  };
}

type Answer = ConnectorMessageEventResponse;

/** What is kept of an accepted event, to answer a repeated one. */
interface AcceptedEvent {
  readonly namespace: string;
  readonly connectorName: string;
  /** JSON of the consumer. */
  readonly consumer: string;
  readonly runId: string;
}

interface Arrived {
  readonly event: ConnectorMessageEvent;
  readonly call: CallContext;
  readonly attachments: readonly ObjectData[];
}

const MICROS_PER_MS = 1_000;

/**
 * Takes events of connector services. An accepted one is kept together with everything that it begins, in one transaction: of any number
 * of copies one is accepted, and each other one waits for it and is answered as a duplicate. What is not accepted leaves nothing behind.
 */
export class IngestService {
  readonly #deps: IngestDeps;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
  }

  async ingest(event: ConnectorMessageEvent, call: CallContext): Promise<Answer> {
    const { store, limits } = this.#deps;
    requireRegistration(call.caller, event.registrationId);
    const record = await requireLiveClass(this.#deps, store.direct, call.caller);
    requireClass(event, record);
    const violations = checkEvent(event, limits);
    if (violations.length > 0) throw invalidFields(violations);
    const key = { classUid: record.uid, eventId: event.eventId };
    const known = await store.direct.connectorEvents.get(key);
    if (known !== undefined) return duplicate(known.body);
    const ignored = ignoredReason(event);
    if (ignored !== '') return answer(Status.IGNORED, ignored);
    const attachments = await this.#attachments(event, record);
    return this.#accept({ event, call, attachments });
  }

  /** Files of the connector's namespace count too, so its route is needed to look them up. */
  async #attachments(event: ConnectorMessageEvent, record: StoredResource): Promise<readonly ObjectData[]> {
    if (event.attachments.length === 0) return [];
    const { matchFields } = event;
    const route = await findRoute(this.#deps.store.direct, { classRecord: record, matchFields });
    const namespaces = [record.key.namespace, ...(route === undefined ? [] : [route.connector.key.namespace])];
    return settleEventAttachments(this.#deps, { classUid: record.uid, namespaces }, event.attachments);
  }

  async #accept(arrived: Arrived): Promise<Answer> {
    let identity: Pick<AcceptedEvent, 'namespace' | 'connectorName'> | undefined;
    try {
      return await this.#deps.store.write((tx) =>
        this.#take(tx, arrived, ({ key }) => {
          identity = { namespace: key.namespace, connectorName: key.name };
        }),
      );
    } catch (error) {
      if (!(error instanceof Refused) || identity === undefined) throw error;
      return answer(Status.REJECTED, error.message, identity);
    }
  }

  async #take(tx: WriteTx, arrived: Arrived, routedTo: (connector: StoredResource) => void): Promise<Answer> {
    const { event, call, attachments } = arrived;
    const { limits } = this.#deps;
    const classUid = call.caller.registration?.classUid ?? '';
    await tx.inLine(linesOf(classUid, event));
    const record = await requireLiveClass(this.#deps, tx, call.caller);
    const known = await tx.connectorEvents.get({ classUid, eventId: event.eventId });
    if (known !== undefined) return duplicate(known.body);
    if (isFromProgram(event) && !(await countProgram(tx, { classUid, event, most: limits.botRate })))
      return answer(Status.IGNORED, 'loop_guard');
    const route = await findRoute(tx, { classRecord: record, matchFields: event.matchFields });
    if (route === undefined) return answer(Status.UNMATCHED, 'no_route');
    const { connector } = route;
    const names = { namespace: connector.key.namespace, connectorName: connector.key.name };
    if (route.isDisabled) {
      const isOff = connectorSpec(connector).enabled === false;
      return answer(Status.REJECTED, isOff ? 'connector_disabled' : 'namespace_deleted', names);
    }
    routedTo(connector);
    const consumed = await this.#consume(tx, { event, attachments, connector, record });
    if ('unanswered' in consumed) return answer(Status.IGNORED, consumed.unanswered, names);
    const { consumer, runId } = consumed;
    const accepted = { ...names, consumer: toJsonString(MessageConsumerSchema, consumer), runId };
    const expiresAt = tx.steadyNow() + limits.dedupeMs * MICROS_PER_MS;
    await tx.connectorEvents.put({ classUid, eventId: event.eventId, body: JSON.stringify(accepted), expiresAt });
    return answer(Status.ACCEPTED, 'accepted', { ...names, consumer, runId });
  }

  async #consume(
    tx: WriteTx,
    of: Pick<Arrived, 'event' | 'attachments'> & {
      readonly connector: StoredResource;
      readonly record: StoredResource;
    },
  ) {
    const { event, attachments, connector, record } = of;
    const { consumer } = connectorSpec(connector);
    if (consumer === undefined) throw new Fault('NOT_FOUND', 'CONSUMER_NOT_FOUND', 'the connector has no consumer');
    const context = contextFor(event, { connector, record, consumer });
    const { namespace, name } = connector.key;
    const answered = await this.#deps.answers.answerOf(tx, context, event.text);
    if (answered !== undefined && 'unanswered' in answered) return answered;
    if (answered !== undefined) return { consumer: answeredConsumer(consumer, answered), runId: '' };
    const identity = `${SOURCE}:${namespace}/${name}/${event.sender?.externalId ?? ''}`;
    const labels = eventLabels(context, event);
    return consume(this.#deps, tx, { event, connector, consumer, context, labels, attachments, identity });
  }
}

/**
 * Copies of an event wait for each other, and so do messages of a conversation, of which the first makes its session. Both lines are entered at
 * once: two events that entered them one after the other could wait for each other.
 */
const linesOf = (classUid: string, event: ConnectorMessageEvent): readonly string[] =>
  [`event ${event.eventId}`, `conversation ${JSON.stringify(conversationOf(event))}`].map(
    (line) => `${line} of connector class ${classUid}`,
  );

/** The consumer of an event that answered a request: the session whose turn asked. */
const answeredConsumer = (
  consumer: MessageConsumer,
  { namespace, agent: name, sessionId }: AnsweredRequest,
): MessageConsumer =>
  create(MessageConsumerSchema, {
    session: create(SessionMessageConsumerSchema, {
      agent: create(ResourceRefSchema, { namespace, name }),
      sessionId,
      continuity: consumer.session?.continuity ?? '',
      replyMode: consumer.session?.replyMode ?? '',
    }),
  });

const requireClass = ({ connectorClass }: ConnectorMessageEvent, { key }: StoredResource): void => {
  if (connectorClass === '' || connectorClass === key.name) return;
  throw new Fault('FAILED_PRECONDITION', 'CLASS_MISMATCH', `the registration is of connector class ${key.name}`);
};

const contextFor = (
  event: ConnectorMessageEvent,
  of: { readonly connector: StoredResource; readonly record: StoredResource; readonly consumer: MessageConsumer },
): ConnectorContext => {
  const { connector, record, consumer } = of;
  return {
    classUid: record.uid,
    classNamespace: record.key.namespace,
    className: record.key.name,
    registrationId: registrationIdOf(record.key),
    connectorUid: connector.uid,
    connectorNamespace: connector.key.namespace,
    connectorName: connector.key.name,
    eventId: event.eventId,
    conversationId: event.externalConversationId,
    threadId: event.externalThreadId ?? '',
    messageId: event.externalMessageId,
    conversationType: event.conversationType,
    sender: {
      kind: event.sender?.kind ?? '',
      externalId: event.sender?.externalId ?? '',
      name: senderName(event),
    },
    matchFields: event.matchFields,
    replyMode: consumerReplyMode(consumer),
    eventLabels: event.labels,
  };
};

interface Named {
  readonly namespace: string;
  readonly connectorName: string;
  readonly consumer?: MessageConsumer;
  readonly runId?: string;
}

const answer = (status: Status, reason: string, named?: Named): Answer =>
  create(ConnectorMessageEventResponseSchema, { status, reason, ...named });

const duplicate = (body: string): Answer => {
  const { consumer, ...names } = JSON.parse(body) as AcceptedEvent;
  return answer(Status.DUPLICATE, 'duplicate', {
    ...names,
    consumer: fromJsonString(MessageConsumerSchema, consumer),
  });
};
