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
    newestOfHolder: { equal: ['namespace', 'holder'], order: ['subject'], direction: 'descending' },
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
