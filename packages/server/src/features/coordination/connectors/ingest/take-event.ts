import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { type MessageConsumer, MessageConsumerSchema, SessionMessageConsumerSchema } from '@svc/api/data';
import {
  type ConnectorMessageEvent,
  type ConnectorMessageEventResponse,
  ConnectorMessageEventResponseSchema,
  ConnectorMessageEventStatus as Status,
} from '@svc/api/external';
import { ResourceRefSchema } from '@svc/api/resources';
import type { CallerRegistration } from '../../../../auth/contract.ts';
import { Fault } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { type Consumed, type ConsumersDeps, consume, consumerReplyMode, Refused } from '../consumers/index.ts';
import {
  type ConnectorContext,
  conversationOf,
  eventLabels,
  isFromProgram,
  SOURCE,
  senderName,
} from '../context/index.ts';
import { type LiveClassDeps, requireLiveClass } from '../live-class.ts';
import { registrationIdOf } from '../registration-id.ts';
import type { AnsweredRequest, ConversationAnswers } from '../requests/index.ts';
import { connectorSpec, findRoute } from '../routes/index.ts';
import { countProgram } from './bot-guard.ts';

export interface TakeEventDeps extends LiveClassDeps, ConsumersDeps {
  /** Answers to what turns ask people in conversations. */
  readonly answers: ConversationAnswers;
  readonly limits: {
    /** `limits.ingestDedupeRetention`. */
    readonly dedupeMs: number;
    /** `limits.botRate`, a minute. */
    readonly botRate: number;
  };
}

/** An event whose form was checked, with the objects that it names. */
export interface Arrived {
  readonly event: ConnectorMessageEvent;
  readonly registration: CallerRegistration;
  readonly attachments: readonly ObjectData[];
}

/** What became of an event: the answer to it, and where it went when it was accepted. */
export interface Taken {
  readonly answer: ConnectorMessageEventResponse;
  /** Absent for an event that was not accepted. */
  readonly consumed?: Consumed & { readonly answersRequest: boolean };
}

/** What is kept of an accepted event, to answer a repeated one. */
interface AcceptedEvent {
  readonly namespace: string;
  readonly connectorName: string;
  /** JSON of the consumer. */
  readonly consumer: string;
  readonly runId: string;
}

/** Runs work in a transaction: one that is committed, or one that is undone. */
export type Transact = (work: (tx: WriteTx) => Promise<Taken>) => Promise<Taken>;

const MICROS_PER_MS = 1_000;

/**
 * Routes an event and begins what its consumer begins, in one transaction. `routedTo` gets the connector before its
 * consumer gets the event, and may refuse it by a throw.
 */
export const takeEvent = async (
  deps: TakeEventDeps,
  { transact, routedTo }: { readonly transact: Transact; readonly routedTo?: (connector: StoredResource) => void },
  arrived: Arrived,
): Promise<Taken> => {
  let identity: Pick<AcceptedEvent, 'namespace' | 'connectorName'> | undefined;
  try {
    return await transact((tx) =>
      take({ deps, tx }, arrived, (connector) => {
        identity = { namespace: connector.key.namespace, connectorName: connector.key.name };
        routedTo?.(connector);
      }),
    );
  } catch (error) {
    if (!(error instanceof Refused) || identity === undefined) throw error;
    return { answer: eventAnswer(Status.REJECTED, error.message, identity) };
  }
};

/** An event that names a question and answers none. */
type UnansweredRequest = Extract<
  Awaited<ReturnType<ConversationAnswers['answerOf']>>,
  { readonly unanswered: unknown }
>;

interface Scope {
  readonly deps: TakeEventDeps;
  readonly tx: WriteTx;
}

const take = async (
  { deps, tx }: Scope,
  arrived: Arrived,
  routedTo: (connector: StoredResource) => void,
): Promise<Taken> => {
  const { event, registration, attachments } = arrived;
  const { limits } = deps;
  const { classUid } = registration;
  await tx.inLine(linesOf(classUid, event));
  const record = await requireLiveClass(deps, tx, registration);
  const known = await tx.connectorEvents.get({ classUid, eventId: event.eventId });
  if (known !== undefined) return { answer: duplicate(known.body) };
  if (isFromProgram(event) && !(await countProgram(tx, { classUid, event, most: limits.botRate })))
    return { answer: eventAnswer(Status.IGNORED, 'loop_guard') };
  const route = await findRoute(tx, { classRecord: record, matchFields: event.matchFields });
  if (route === undefined) return { answer: eventAnswer(Status.UNMATCHED, 'no_route') };
  const { connector } = route;
  const names = { namespace: connector.key.namespace, connectorName: connector.key.name };
  if (route.isDisabled) {
    const isOff = connectorSpec(connector).enabled === false;
    return { answer: eventAnswer(Status.REJECTED, isOff ? 'connector_disabled' : 'namespace_deleted', names) };
  }
  routedTo(connector);
  const consumed = await hand({ deps, tx }, { event, attachments, connector, record });
  if ('unanswered' in consumed) return { answer: eventAnswer(Status.IGNORED, consumed.unanswered, names) };
  const { consumer, runId } = consumed;
  const accepted = { ...names, consumer: toJsonString(MessageConsumerSchema, consumer), runId };
  const expiresAt = tx.steadyNow() + limits.dedupeMs * MICROS_PER_MS;
  await tx.connectorEvents.put({ classUid, eventId: event.eventId, body: JSON.stringify(accepted), expiresAt });
  return { answer: eventAnswer(Status.ACCEPTED, 'accepted', { ...names, consumer, runId }), consumed };
};

/** The event answers a request of its conversation, or goes to the consumer of its connector. */
const hand = async (
  { deps, tx }: Scope,
  of: Pick<Arrived, 'event' | 'attachments'> & {
    readonly connector: StoredResource;
    readonly record: StoredResource;
  },
): Promise<NonNullable<Taken['consumed']> | UnansweredRequest> => {
  const { event, attachments, connector, record } = of;
  const { consumer } = connectorSpec(connector);
  if (consumer === undefined) throw new Fault('NOT_FOUND', 'CONSUMER_NOT_FOUND', 'the connector has no consumer');
  const context = contextFor(event, { connector, record, consumer });
  const { namespace, name } = connector.key;
  const answered = await deps.answers.answerOf(tx, context, event.text);
  if (answered !== undefined && 'unanswered' in answered) return answered;
  if (answered !== undefined)
    return { consumer: answeredConsumer(consumer, answered), runId: '', session: 'existing', answersRequest: true };
  const identity = `${SOURCE}:${namespace}/${name}/${event.sender?.externalId ?? ''}`;
  const labels = eventLabels(context, event);
  const consumed = await consume(deps, tx, { event, connector, consumer, context, labels, attachments, identity });
  return { ...consumed, answersRequest: false };
};

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

/** The answer to an event. */
export const eventAnswer = (status: Status, reason: string, named?: Named): ConnectorMessageEventResponse =>
  create(ConnectorMessageEventResponseSchema, { status, reason, ...named });

/** The answer to a copy of an accepted event, by what is kept of that. */
export const duplicate = (body: string): ConnectorMessageEventResponse => {
  const { consumer, ...names } = JSON.parse(body) as AcceptedEvent;
  return eventAnswer(Status.DUPLICATE, 'duplicate', {
    ...names,
    consumer: fromJsonString(MessageConsumerSchema, consumer),
  });
};
