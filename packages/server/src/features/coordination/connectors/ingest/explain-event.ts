import { create } from '@bufbuild/protobuf';
import { type MessageConsumer, MessageConsumerSchema, SessionMessageConsumerSchema } from '@svc/api/data';
import {
  type ConnectorMessageEvent,
  ConnectorMessageEventSchema,
  ConnectorMessageEventStatus as Status,
} from '@svc/api/external';
import {
  type ExplainMessageEventRequest,
  type ExplainMessageEventResponse,
  ExplainMessageEventResponseSchema,
} from '@svc/api/gateway';
import type { Authorizer, CallContext } from '../../../../auth/contract.ts';
import { Fault, type Ids, invalidField, invalidFields, isFault } from '../../../../base/index.ts';
import { isPassing } from '../../../../controllers/contract.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import { type ReadTx, type StoredResource, undone } from '../../../../store/contracts/index.ts';
import { requireLiveClass, requireRegistration } from '../live-class.ts';
import { connectorSpec, type RouteVerdict, routeVerdicts } from '../routes/index.ts';
import { checkEvent, ignoredReason } from './event-rules.ts';
import { explanationOf } from './explanations.ts';
import { eventAttachments, type IngestDeps, requireClass } from './ingest-service.ts';
import { eventAnswer, type Taken, type Transact, takeEvent } from './take-event.ts';

export interface ExplainEventDeps extends IngestDeps {
  readonly ids: Pick<Ids, 'next'>;
  readonly authorizer: Pick<Authorizer, 'allows'>;
}

type IsVisible = (namespace: string) => boolean;

/** The event would reach a connector that the caller may not read. */
class Hidden extends Fault {
  constructor() {
    super('PERMISSION_DENIED', 'other_namespace', 'a connector of another namespace takes the event');
  }
}

/** An event that is explained: its connector, its class, and itself as ingest would see it. */
interface Explained {
  readonly event: ConnectorMessageEvent;
  readonly connector: StoredResource;
  readonly record: StoredResource;
  readonly isVisible: IsVisible;
}

interface Routes {
  readonly verdicts: readonly RouteVerdict[];
  readonly isTruncated: boolean;
}

/**
 * ExplainMessageEvent: what ingest would answer to an event of the class of a connector. Runs what ingest runs and undoes it. What ingest
 * would refuse with an error is part of the answer, unless the form of the event is wrong.
 */
export const explainEvent = async (
  deps: ExplainEventDeps,
  request: ExplainMessageEventRequest,
  { caller }: Pick<CallContext, 'caller'>,
): Promise<ExplainMessageEventResponse> => {
  const { store, authorizer } = deps;
  const { connector, record } = await connectorAndClass(store.direct, request);
  const event = eventOf(request, { id: deps.ids.next(), connector });
  const registration = { classUid: record.uid, namespace: record.key.namespace, className: record.key.name };
  requireRegistration(registration, event.registrationId);
  requireClass(event, record);
  const violations = checkEvent(event, deps.limits);
  if (violations.length > 0)
    throw invalidFields(violations.map((fault) => ({ ...fault, field: `event.${fault.field}` })));
  const isVisible: IsVisible = (namespace) => authorizer.allows(caller, 'viewer', { namespace });
  const explained: Explained = { event, connector, record, isVisible };
  const attachments = await eventAttachments(deps, event, record);
  let routes: Routes = { verdicts: [], isTruncated: false };
  const transact: Transact = (work) =>
    undone(store, async (tx) => {
      routes = await routesOf(tx, explained);
      const ignored = ignoredReason(event);
      return ignored === '' ? work(tx) : { answer: eventAnswer(Status.IGNORED, ignored) };
    });
  const routedTo = ({ key }: StoredResource): void => {
    if (!isVisible(key.namespace)) throw new Hidden();
  };
  try {
    await requireLiveClass(deps, store.direct, registration);
    const taken = await takeEvent(deps, { transact, routedTo }, { event, registration, attachments });
    return answerOf(taken, routes, isVisible);
  } catch (error) {
    if (!isFault(error) || isPassing(error)) throw error;
    const { reason, message: explanation } = error;
    return create(ExplainMessageEventResponseSchema, { reason, explanation, ...shownRoutes(routes) });
  }
};

const connectorAndClass = async (
  reads: Pick<ReadTx, 'resources'>,
  { ns, connector: name }: ExplainMessageEventRequest,
): Promise<Pick<Explained, 'connector' | 'record'>> => {
  const key = recordKey('Connector', ns, name);
  const connector = await reads.resources.get(key);
  if (connector === undefined) throw resourceNotFound(key);
  const { classRef } = connectorSpec(connector);
  const classKey = recordKey('ConnectorClass', classRef?.namespace || ns, classRef?.name ?? '');
  const record = await reads.resources.get(classKey);
  if (record === undefined) throw resourceNotFound(classKey);
  return { connector, record };
};

/** The event under an id that no other one has, with the match fields of the connector where it names none. */
const eventOf = (
  { event }: ExplainMessageEventRequest,
  of: { readonly id: string; readonly connector: StoredResource },
): ConnectorMessageEvent => {
  if (event === undefined) throw invalidField('event', 'is required');
  const { matchFields } = event;
  const isBare = Object.keys(matchFields).length === 0;
  return create(ConnectorMessageEventSchema, {
    ...event,
    eventId: of.id,
    matchFields: isBare ? connectorSpec(of.connector).matchFields : matchFields,
  });
};

const routesOf = (tx: Pick<ReadTx, 'resources' | 'connectorRoutes'>, explained: Explained): Promise<Routes> => {
  const { event, connector, record, isVisible } = explained;
  const { matchFields } = event;
  return routeVerdicts(tx, { classRecord: record, matchFields, connectorUid: connector.uid, isVisible });
};

const shownRoutes = ({ verdicts, isTruncated }: Routes) => ({
  routes: [...verdicts],
  routesTruncated: isTruncated,
});

const answerOf = ({ answer, consumed }: Taken, routes: Routes, isVisible: IsVisible): ExplainMessageEventResponse => {
  const { status, reason, namespace, connectorName } = answer;
  const seen = isVisible(namespace);
  const { consumer } = consumed ?? {};
  const isOpen = consumer !== undefined && isVisible(namespaceOf(consumer));
  return create(ExplainMessageEventResponseSchema, {
    status,
    reason,
    explanation: explanationOf(reason),
    ...(seen ? { ns: namespace, connector: connectorName } : {}),
    ...(consumer === undefined
      ? {}
      : { consumer: shownConsumer(consumer, isOpen && consumed?.session === 'existing') }),
    session: consumed?.session ?? '',
    answersRequest: consumed?.answersRequest ?? false,
    ...shownRoutes(routes),
    subscriptions: isOpen ? [...(consumed?.subscriptions ?? [])] : [],
  });
};

const namespaceOf = ({ session, channel, workflow }: MessageConsumer): string =>
  session?.agent?.namespace ?? channel?.channel?.namespace ?? workflow?.namespace ?? '';

/** Without the id of a session that was undone, or that the caller may not know. */
const shownConsumer = (consumer: MessageConsumer, isSessionShown: boolean): MessageConsumer =>
  consumer.session === undefined || isSessionShown
    ? consumer
    : create(MessageConsumerSchema, {
        session: create(SessionMessageConsumerSchema, { ...consumer.session, sessionId: '' }),
      });
