import { keyedTable } from './keyed-table.ts';

/** Where a message of a messaging platform came from, by what it caused. What is in `body` is the feature's matter. */
export const CONNECTOR_CONTEXTS = keyedTable({
  name: 'connector_contexts',
  // The holder is what the subject belongs to: its session or channel.
  columns: { namespace: 'text', subject: 'text', holder: 'text', body: 'json', createdAt: 'integer' },
  key: ['namespace', 'subject'],
  fixed: ['holder'],
  queries: {
    oldest: { equal: [], order: ['createdAt', 'namespace', 'subject'], direction: 'ascending' },
    ofNamespace: { equal: ['namespace'], order: ['subject'], direction: 'ascending' },
    ofHolder: { equal: ['holder'], order: ['subject', 'namespace'], direction: 'descending' },
  },
});

/** Secrets by which connector services call back, as hashes, by the id in their text. */
export const CONNECTOR_SECRETS = keyedTable({
  name: 'connector_secrets',
  columns: {
    id: 'text',
    classUid: 'text',
    namespace: 'text',
    className: 'text',
    hash: 'text',
    state: 'text',
    createdAt: 'integer',
    // By the clock of the store; counts for secrets that were replaced.
    acceptedUntil: 'integer',
    // What the class was registered as with it.
    body: 'json',
  },
  key: ['id'],
  fixed: ['classUid', 'createdAt'],
  queries: { ofClass: { equal: ['classUid'], order: ['createdAt', 'id'], direction: 'ascending' } },
});

/** Routes of connectors. An empty slot is the one holder of a route; further connectors wait for it, or are off. */
export const CONNECTOR_ROUTES = keyedTable({
  name: 'connector_routes',
  columns: {
    classUid: 'text',
    routeId: 'text',
    slot: 'text',
    connectorUid: 'text',
    namespace: 'text',
    connector: 'text',
  },
  key: ['classUid', 'routeId', 'slot'],
  fixed: [],
  queries: {
    ofRoute: { equal: ['classUid', 'routeId'], order: ['slot'], direction: 'ascending' },
    ofConnector: { equal: ['connectorUid'], order: ['classUid', 'routeId', 'slot'], direction: 'ascending' },
    ofClass: { equal: ['classUid'], order: ['routeId', 'slot'], direction: 'ascending' },
  },
});

/** Events that were accepted, so that a repeated one is known. Times are those of the store's clock. */
export const CONNECTOR_EVENTS = keyedTable({
  name: 'connector_events',
  columns: { classUid: 'text', eventId: 'text', body: 'json', expiresAt: 'integer' },
  key: ['classUid', 'eventId'],
  fixed: [],
  queries: {
    ofClass: { equal: ['classUid'], order: ['eventId'], direction: 'ascending' },
    oldest: { equal: [], order: ['expiresAt', 'classUid', 'eventId'], direction: 'ascending' },
  },
});

/** The session that a conversation of a platform continues in. */
export const CONNECTOR_POINTERS = keyedTable({
  name: 'connector_pointers',
  // The conversation is the hash of everything that tells it from others.
  columns: { connectorUid: 'text', conversation: 'text', classUid: 'text', sessionId: 'text', usedAt: 'integer' },
  key: ['connectorUid', 'conversation'],
  fixed: ['classUid'],
  queries: {
    ofConnector: { equal: ['connectorUid'], order: ['conversation'], direction: 'ascending' },
    ofClass: { equal: ['classUid'], order: ['connectorUid', 'conversation'], direction: 'ascending' },
    oldest: { equal: [], order: ['usedAt', 'connectorUid', 'conversation'], direction: 'ascending' },
  },
});

/** Attachments that a connector service sent ahead of the events that name them. */
export const CONNECTOR_UPLOADS = keyedTable({
  name: 'connector_uploads',
  columns: { classUid: 'text', objectKey: 'text', namespace: 'text', body: 'json', createdAt: 'integer' },
  key: ['classUid', 'objectKey'],
  fixed: [],
  queries: {
    ofClass: { equal: ['classUid'], order: ['objectKey'], direction: 'ascending' },
    oldest: { equal: [], order: ['createdAt', 'classUid', 'objectKey'], direction: 'ascending' },
  },
});

/** Messages on their way to connector services. What is in `body` is the feature's matter. */
export const DELIVERIES = keyedTable({
  name: 'deliveries',
  columns: {
    // Ids are UUIDv7: their order is the order of the messages.
    id: 'text',
    namespace: 'text',
    connector: 'text',
    classUid: 'text',
    // Messages of one lane are sent in order.
    lane: 'text',
    // What is delivered: a message of a session or a channel, a run, a request of a lane.
    subject: 'text',
    state: 'text',
    // Unix micros; the greatest integer while the delivery is under way.
    expiresAt: 'integer',
    body: 'json',
  },
  key: ['id'],
  fixed: ['namespace', 'connector', 'classUid', 'lane', 'subject'],
  queries: {
    ofNamespace: { equal: ['namespace'], order: ['id'], direction: 'descending' },
    ofState: { equal: ['namespace', 'state'], order: ['id'], direction: 'descending' },
    ofConnector: { equal: ['namespace', 'connector'], order: ['id'], direction: 'descending' },
    ofConnectorState: { equal: ['namespace', 'connector', 'state'], order: ['id'], direction: 'descending' },
    ofClass: { equal: ['classUid', 'state'], order: ['id'], direction: 'ascending' },
    ofLane: { equal: ['lane', 'state'], order: ['id'], direction: 'ascending' },
    ofSubject: { equal: ['subject'], order: ['id'], direction: 'descending' },
    oldest: { equal: [], order: ['expiresAt', 'id'], direction: 'ascending' },
  },
});

/** Who holds the bytes of the files of a delivery; the reference goes with the row. */
export const deliveryHolder = (id: string): string => `delivery/${id}`;
