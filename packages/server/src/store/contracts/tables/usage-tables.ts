import { keyedTable } from './keyed-table.ts';

/** What model calls used, in tokens and money. */
const USED = {
  requests: 'integer',
  inputTokens: 'integer',
  cachedInputTokens: 'integer',
  cacheWriteTokens: 'integer',
  outputTokens: 'integer',
  reasoningTokens: 'integer',
  totalTokens: 'integer',
  // Millionths of the unit of prices.
  costMicros: 'integer',
  // Requests whose model has no price: they cost 0 here.
  unpriced: 'integer',
} as const;

const WHO = { namespace: 'text', agent: 'text', provider: 'text', model: 'text', identity: 'text' } as const;

/** Money that is reserved for the model call of a turn under way: which counters it raised. */
export const USAGE_HOLDS = keyedTable({
  name: 'usage_holds',
  columns: { turnId: 'text', held: 'text', createdAt: 'integer' },
  key: ['turnId'],
  fixed: [],
  queries: { oldest: { equal: [], order: ['createdAt', 'turnId'], direction: 'ascending' } },
});

/** One row for each model call, until it is added to its day. */
export const USAGE_RECORDS = keyedTable({
  name: 'usage_records',
  // Ids are UUIDv7: their order is age.
  columns: { id: 'text', ...WHO, day: 'integer', ...USED },
  key: ['id'],
  fixed: ['namespace'],
  queries: {
    oldest: { equal: [], order: ['id'], direction: 'ascending' },
    ofNamespace: { equal: ['namespace'], order: ['id'], direction: 'ascending' },
  },
});

/** What was used on one day, counted from 1970-01-01 UTC. */
export const USAGE_DAYS = keyedTable({
  name: 'usage_days',
  columns: { ...WHO, day: 'integer', ...USED },
  key: ['namespace', 'day', 'agent', 'provider', 'model', 'identity'],
  fixed: [],
  queries: {
    ofNamespace: {
      equal: ['namespace'],
      order: ['day', 'agent', 'provider', 'model', 'identity'],
      direction: 'ascending',
    },
    oldest: {
      equal: [],
      order: ['day', 'namespace', 'agent', 'provider', 'model', 'identity'],
      direction: 'ascending',
    },
  },
});

/** What a person added to a limit, for one identity and one window. */
export const USAGE_RAISES = keyedTable({
  name: 'usage_raises',
  columns: {
    // Id of the request that was answered with it.
    id: 'text',
    // Key of the counter of the limit, without an identity.
    counter: 'text',
    identity: 'text',
    amount: 'integer',
    until: 'integer',
    decidedBy: 'text',
  },
  key: ['id'],
  fixed: ['counter', 'identity', 'until'],
  queries: {
    ofCounter: { equal: ['counter'], order: ['id'], direction: 'ascending' },
    oldest: { equal: [], order: ['until', 'id'], direction: 'ascending' },
  },
});

/** Models without a price that a limit of money met, and when last. */
export const USAGE_UNPRICED = keyedTable({
  name: 'usage_unpriced',
  columns: { policyUid: 'text', provider: 'text', model: 'text', at: 'integer' },
  key: ['policyUid', 'provider', 'model'],
  fixed: [],
  queries: {
    ofPolicy: { equal: ['policyUid'], order: ['provider', 'model'], direction: 'ascending' },
    oldest: { equal: [], order: ['at', 'policyUid', 'provider', 'model'], direction: 'ascending' },
  },
});
