import { fromJsonString } from '@bufbuild/protobuf';
import { MessageConsumerSchema } from '@svc/api/data';
import { isUuid } from '../../../base/index.ts';
import { recordKey } from '../../../resources/index.ts';
import { type ReadTx, sessionHolder } from '../../../store/contracts/index.ts';
import {
  type TrailEntry,
  type TrailPlace,
  type TrailReading,
  type TrailSource,
  trailText,
} from '../../trail-source.ts';
import { type ConnectorContext, channelSubject, runSubject, sessionSubject } from './context/index.ts';
import { type Delivery, parseDelivery } from './outbox/index.ts';

/** Connectors of a namespace whose classes are searched for an event. */
const CONNECTORS_MAX = 1_000;
/** Messages of a session or channel among which the one of an event is searched, the newest first. */
const MESSAGES_MAX = 500;
/** Deliveries of one message. */
const DELIVERIES_MAX = 20;

/** What connectors know: the event that a message or run came from, and the deliveries of a reply. */
export const connectorTrail: TrailSource = {
  find: async (reads, wanted) => [...(await findDelivery(reads, wanted)), ...(await findEvents(reads, wanted))],
  read: async (reads, place) => {
    if (place.kind === 'delivery') return readDelivery(reads, place);
    if (place.kind === 'connector_event') return readEvent(reads, place);
    const subject = subjectOf(place);
    return subject === undefined ? undefined : readSubject(reads, place, subject);
  },
};

interface Wanted {
  readonly namespace: string;
  readonly id: string;
}

const findDelivery = async (reads: ReadTx, { namespace, id }: Wanted): Promise<readonly TrailPlace[]> => {
  const row = isUuid(id) ? await reads.deliveries.get({ id }) : undefined;
  return row?.namespace === namespace ? [{ kind: 'delivery', id, namespace }] : [];
};

/** Ids of events are unique in their class only. */
const findEvents = async (reads: ReadTx, { namespace, id }: Wanted): Promise<readonly TrailPlace[]> => {
  const scope = { type: 'namespace', namespace } as const;
  const classes = new Set<string>();
  for (const { uid } of await reads.resources.list({ kind: 'Connector', scope, limit: CONNECTORS_MAX }))
    for (const row of await reads.connectorRoutes.page('ofConnector', { connectorUid: uid }, { limit: 1 }))
      classes.add(row.classUid);
  const places: TrailPlace[] = [];
  for (const classUid of classes) {
    const event = await acceptedEvent(reads, classUid, id);
    if (event?.namespace === namespace) places.push(eventPlace({ id, namespace, classUid }));
  }
  return places;
};

/** What is kept of an event that was accepted. */
interface KeptEvent {
  readonly namespace: string;
  readonly connectorName: string;
  readonly consumer: string;
  readonly runId: string;
}

const acceptedEvent = async (reads: ReadTx, classUid: string, eventId: string): Promise<KeptEvent | undefined> => {
  const row = await reads.connectorEvents.get({ classUid, eventId });
  return row === undefined ? undefined : (JSON.parse(row.body) as KeptEvent);
};

const eventPlace = (of: {
  readonly id: string;
  readonly namespace: string;
  readonly classUid: string;
}): TrailPlace => ({
  kind: 'connector_event',
  id: of.id,
  namespace: of.namespace,
  within: of.classUid,
});

/** What a record is called among contexts and deliveries; undefined for records that neither names. */
const subjectOf = ({ kind, id, within = '' }: TrailPlace): string | undefined => {
  if (kind === 'session_message') return sessionSubject(within, id);
  if (kind === 'channel_message') return channelSubject(within, id);
  return kind === 'workflow_run' ? runSubject(id) : undefined;
};

/** The event that caused a message or a run, and the deliveries of it. */
const readSubject = async (reads: ReadTx, place: TrailPlace, subject: string): Promise<TrailReading> => {
  const { namespace, id } = place;
  const kept = await reads.connectorContexts.get({ namespace, subject });
  const context = kept === undefined ? undefined : (JSON.parse(kept.body) as ConnectorContext);
  const rows = await reads.deliveries.page('ofSubject', { subject }, { limit: DELIVERIES_MAX });
  const deliveries = rows.map((row): TrailPlace => ({ kind: 'delivery', id: row.id, namespace: row.namespace }));
  const caused = Object.fromEntries(rows.map((row) => [row.id, id]));
  if (kept === undefined || context === undefined) return { entries: [], links: deliveries, causes: caused };
  const { eventId, classUid, connectorNamespace } = context;
  const event = eventPlace({ id: eventId, namespace: connectorNamespace, classUid });
  return {
    entries: [eventEntry(context, kept.createdAt)],
    links: [event, ...deliveries],
    causes: { ...caused, [id]: eventId },
  };
};

const eventEntry = (context: ConnectorContext, at: number): TrailEntry => ({
  kind: 'connector_event',
  id: context.eventId,
  namespace: context.connectorNamespace,
  name: context.connectorName,
  at,
  state: 'accepted',
  text: trailText(`from ${context.sender.name || context.sender.externalId} in ${context.conversationId}`),
});

/** What an event became: a message of a session or a channel, or a run. */
const readEvent = async (reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined> => {
  const event = await acceptedEvent(reads, place.within ?? '', place.id);
  if (event === undefined) return undefined;
  if (event.runId !== '')
    return { entries: [], links: [{ kind: 'workflow_run', id: event.runId, namespace: event.namespace }] };
  const { session, channel } = fromJsonString(MessageConsumerSchema, event.consumer);
  if (session !== undefined) {
    const holder = sessionHolder(session.sessionId);
    return { entries: [], links: await messagesOf(reads, { place, holder, kind: 'session_message' }) };
  }
  const { namespace, name = '' } = channel?.channel ?? {};
  const found = await reads.resources.get(recordKey('Channel', namespace || event.namespace, name));
  const holder = `channel/${found?.uid ?? ''}`;
  return { entries: [], links: await messagesOf(reads, { place, holder, kind: 'channel_message' }) };
};

const messagesOf = async (
  reads: ReadTx,
  of: { readonly place: TrailPlace; readonly holder: string; readonly kind: 'session_message' | 'channel_message' },
): Promise<readonly TrailPlace[]> => {
  const { place, holder, kind } = of;
  const rows = await reads.connectorContexts.page('ofHolder', { holder }, { limit: MESSAGES_MAX });
  return rows
    .filter(({ body }) => (JSON.parse(body) as ConnectorContext).eventId === place.id)
    .map(({ namespace, subject }) => ({
      kind,
      id: subject.slice(holder.length + 1),
      namespace,
      within: holder.slice(holder.indexOf('/') + 1),
    }));
};

const ENDED: ReadonlySet<string> = new Set(['delivered', 'rejected', 'dead', 'skipped']);

const readDelivery = async (reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined> => {
  const row = await reads.deliveries.get({ id: place.id });
  if (row === undefined) return undefined;
  const delivery = parseDelivery(row);
  const { body, state } = delivery;
  const entry = {
    kind: place.kind,
    id: row.id,
    namespace: row.namespace,
    name: row.connector,
    at: body.createdAt,
    state,
    reason: body.lastError,
    text: trailText(`${body.attempts} ${body.attempts === 1 ? 'try' : 'tries'}: ${body.text}`),
  };
  const source = sourcePlace(delivery);
  return {
    entries: [ENDED.has(state) ? { ...entry, endedAt: body.updatedAt } : entry],
    links: source === undefined ? [] : [source],
    causes: source === undefined ? {} : { [row.id]: source.id },
  };
};

/** What a delivery says. */
const sourcePlace = ({ namespace, body: { source } }: Delivery): TrailPlace | undefined => {
  const { sessionId, messageId, channelUid, channelMessageId, runId } = source;
  if (sessionId !== undefined && messageId !== undefined)
    return { kind: 'session_message', id: messageId, namespace, within: sessionId };
  if (channelUid !== undefined && channelMessageId !== undefined)
    return { kind: 'channel_message', id: channelMessageId, namespace, within: channelUid };
  return runId === undefined ? undefined : { kind: 'workflow_run', id: runId, namespace };
};
