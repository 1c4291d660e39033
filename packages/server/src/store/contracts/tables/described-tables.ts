import { Fault } from '../../../base/index.ts';
import {
  CONNECTOR_CONTEXTS,
  CONNECTOR_EVENTS,
  CONNECTOR_POINTERS,
  CONNECTOR_ROUTES,
  CONNECTOR_SECRETS,
  CONNECTOR_UPLOADS,
  DELIVERIES,
} from './connector-tables.ts';
import type { RowOf } from './description.ts';
import { type ExpiringReads, type ExpiringTable, type ExpiringWrites, expiringTable } from './expiring-table.ts';
import { type KeyedReads, type KeyedTable, type KeyedWrites, keyedTable } from './keyed-table.ts';
import { type LeaseTable, type LeaseWrites, leaseTable } from './lease-table.ts';
import { type QueueTable, type QueueWrites, queueTable } from './queue-table.ts';
import { MCP_GRANTS, MCP_SIGN_INS, OAUTH_CLIENTS } from './sign-in-tables.ts';
import { USAGE_DAYS, USAGE_HOLDS, USAGE_RAISES, USAGE_RECORDS, USAGE_UNPRICED } from './usage-tables.ts';
import {
  WORKFLOW_EVENTS,
  WORKFLOW_RUNS,
  WORKFLOW_STEPS,
  WORKFLOW_TALLIES,
  WORKFLOW_VALUES,
} from './workflow-tables.ts';

/** Artifacts that sessions own. What an artifact is, and who may use it, is the feature's matter. */
const ARTIFACTS = keyedTable({
  name: 'artifacts',
  // Ids are UUIDv7: their order is age.
  columns: { id: 'text', sessionId: 'text', body: 'json' },
  key: ['id'],
  fixed: ['sessionId'],
  queries: { ofSession: { equal: ['sessionId'], order: ['id'], direction: 'descending' } },
});

export type ArtifactRow = RowOf<typeof ARTIFACTS>;
export type DeliveryRow = RowOf<typeof DELIVERIES>;
export type ConnectorRouteRow = RowOf<typeof CONNECTOR_ROUTES>;
export type ConnectorSecretRow = RowOf<typeof CONNECTOR_SECRETS>;
export type UsageRecordRow = RowOf<typeof USAGE_RECORDS>;
export type UsageDayRow = RowOf<typeof USAGE_DAYS>;
export type UsageRaiseRow = RowOf<typeof USAGE_RAISES>;
export type McpGrantRow = RowOf<typeof MCP_GRANTS>;
export type McpSignInRow = RowOf<typeof MCP_SIGN_INS>;
export type WorkflowRunRow = RowOf<typeof WORKFLOW_RUNS>;
export type WorkflowStepRow = RowOf<typeof WORKFLOW_STEPS>;
export type WorkflowEventRow = RowOf<typeof WORKFLOW_EVENTS>;

/** Who holds the bytes of an artifact; the reference goes with the row when its session is deleted. */
export const artifactHolder = (id: string): string => `artifact/${id}`;

/** Conversations that agents have with other agents from their sessions. What is in `body` is the feature's matter. */
const DELEGATIONS = keyedTable({
  name: 'delegations',
  // The session that delegates, the name it knows the other one by, and the session of the other agent ('' outside of this server).
  columns: { sessionId: 'text', alias: 'text', childSessionId: 'text', body: 'json' },
  key: ['sessionId', 'alias'],
  fixed: ['sessionId', 'alias', 'childSessionId'],
  queries: {
    ofSession: { equal: ['sessionId'], order: ['alias'], direction: 'ascending' },
    ofChild: { equal: ['childSessionId'], order: ['sessionId', 'alias'], direction: 'ascending' },
  },
});

export type DelegationRow = RowOf<typeof DELEGATIONS>;

/** Addresses to which states of turns are sent. What is in `body` is the feature's matter; `sealed` is encrypted. */
const TASK_PUSHES = keyedTable({
  name: 'task_pushes',
  columns: { turnId: 'text', id: 'text', sessionId: 'text', sealed: 'text', body: 'json' },
  key: ['turnId', 'id'],
  fixed: ['sessionId'],
  queries: {
    ofTurn: { equal: ['turnId'], order: ['id'], direction: 'ascending' },
    ofSession: { equal: ['sessionId'], order: ['turnId', 'id'], direction: 'ascending' },
    all: { equal: [], order: ['turnId', 'id'], direction: 'ascending' },
  },
});

export type TaskPushRow = RowOf<typeof TASK_PUSHES>;

/** Answers of calls that may be repeated. */
const IDEMPOTENCY = expiringTable({
  name: 'idempotency',
  columns: {
    // Identity, operation and key.
    scope: 'text',
    // SHA-256 of the request without wait_seconds.
    requestHash: 'text',
    // The stored answer, JSON.
    answer: 'text',
    expiresAt: 'integer',
  },
  key: ['scope'],
  expiry: 'expiresAt',
  taken: () => new Fault('ABORTED', 'CONFLICT', 'another call with this idempotency key was first'),
});

/** Addresses that answer a request without signing in, by the hash of their secret part. */
const ANSWER_LINKS = expiringTable({
  name: 'answer_links',
  columns: { tokenHash: 'text', requestId: 'text', expiresAt: 'integer' },
  key: ['tokenHash'],
  expiry: 'expiresAt',
  taken: () => new Fault('ABORTED', 'CONFLICT', 'this link exists already'),
});

/** Background work that one process does at once. */
const LEASES = leaseTable('leases');

/** Leases of sandboxes by the uid of the sandbox, and who waits for one. Times are those of the store's clock. */
const SANDBOX_LEASES = keyedTable({
  name: 'sandbox_leases',
  columns: {
    id: 'text',
    // The policy whose quota counts it.
    scope: 'text',
    since: 'integer',
    state: 'text',
    token: 'text',
    expiresAt: 'integer',
    usedAt: 'integer',
    body: 'json',
  },
  key: ['id'],
  fixed: ['scope', 'since'],
  queries: { ofScope: { equal: ['scope'], order: ['since', 'id'], direction: 'ascending' } },
});

export type SandboxLeaseRow = RowOf<typeof SANDBOX_LEASES>;

/** Texts that requests to models were made of, each once for a namespace. What is in `body` is the runtime's matter. */
const PROMPT_SOURCES = keyedTable({
  name: 'prompt_sources',
  columns: { namespace: 'text', hash: 'text', body: 'text', expiresAt: 'integer' },
  key: ['namespace', 'hash'],
  fixed: [],
  queries: {
    oldest: { equal: [], order: ['expiresAt', 'namespace', 'hash'], direction: 'ascending' },
    ofNamespace: { equal: ['namespace'], order: ['hash'], direction: 'ascending' },
  },
});

/** The outbox and the timers of every feature, by the kind of work. */
const QUEUE = queueTable('queue');

/**
 * The described tables by the name they have in a transaction. A new one is a row here and a migration for each engine: handles,
 * dumps, restores and the conformance suites follow from the row.
 */
export const DESCRIBED_TABLES = {
  answerLinks: ANSWER_LINKS,
  artifacts: ARTIFACTS,
  connectorContexts: CONNECTOR_CONTEXTS,
  connectorEvents: CONNECTOR_EVENTS,
  connectorPointers: CONNECTOR_POINTERS,
  connectorRoutes: CONNECTOR_ROUTES,
  connectorSecrets: CONNECTOR_SECRETS,
  connectorUploads: CONNECTOR_UPLOADS,
  deliveries: DELIVERIES,
  delegations: DELEGATIONS,
  idempotency: IDEMPOTENCY,
  leases: LEASES,
  promptSources: PROMPT_SOURCES,
  mcpGrants: MCP_GRANTS,
  mcpSignIns: MCP_SIGN_INS,
  oauthClients: OAUTH_CLIENTS,
  queue: QUEUE,
  usageDays: USAGE_DAYS,
  usageHolds: USAGE_HOLDS,
  usageRaises: USAGE_RAISES,
  usageRecords: USAGE_RECORDS,
  usageUnpriced: USAGE_UNPRICED,
  sandboxLeases: SANDBOX_LEASES,
  taskPushes: TASK_PUSHES,
  workflowEvents: WORKFLOW_EVENTS,
  workflowRuns: WORKFLOW_RUNS,
  workflowSteps: WORKFLOW_STEPS,
  workflowTallies: WORKFLOW_TALLIES,
  workflowValues: WORKFLOW_VALUES,
} as const;

export type TableDescription = KeyedTable | ExpiringTable | LeaseTable | QueueTable;

type Described = typeof DESCRIBED_TABLES;

/** Name of a described table in a transaction. */
export type DescribedName = keyof Described;

type WritesOf<Table> = Table extends KeyedTable
  ? KeyedWrites<Table>
  : Table extends ExpiringTable
    ? ExpiringWrites<Table>
    : Table extends LeaseTable
      ? LeaseWrites
      : Table extends QueueTable
        ? QueueWrites
        : never;

type ReadsOf<Table> = Table extends KeyedTable
  ? KeyedReads<Table>
  : Table extends ExpiringTable
    ? ExpiringReads<Table>
    : never;

/** Leases and queues are read only by transactions that write them. */
type ReadName = { [Name in DescribedName]: ReadsOf<Described[Name]> extends never ? never : Name }[DescribedName];

/** The described tables in a snapshot. */
export type DescribedReads = { readonly [Name in ReadName]: ReadsOf<Described[Name]> };

/** The described tables in a write transaction. */
export type DescribedWrites = { readonly [Name in DescribedName]: WritesOf<Described[Name]> };
