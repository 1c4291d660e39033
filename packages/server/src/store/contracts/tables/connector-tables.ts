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
