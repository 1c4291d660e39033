import { boolean, duration, integer, list, size, text } from '../kinds/index.ts';
import { key, optional } from './key-row.ts';

const KIB = 1_024;
const MIB = 1_048_576;
const DAY = 86_400_000;
/** Room for the largest message; a larger buffer would not fit into memory. */
const bytes = size({ min: 1 * KIB, max: 1_024 * MIB });
const count = integer({ min: 1, max: 1_000_000 });

/** Sizes and counts that bound requests and streams. */
export const requestLimitKeys = {
  'limits.requestBytes': key(bytes, 8 * MIB, 'Largest request body, decompressed.'),
  'limits.uiRequestBytes': key(bytes, 32 * MIB, 'Largest request body of the browser surface, decompressed.'),
  'limits.responseBytes': key(bytes, 4 * MIB, 'Size at which a page of a list is cut short.'),
  'limits.resourceBytes': key(bytes, MIB, 'Largest resource, as JSON.'),
  'limits.messageBytes': key(bytes, MIB, 'Largest text of one message.'),
  'limits.fileInlineBytes': key(bytes, 3 * MIB, 'Largest file content inside a request or answer.'),
  'limits.objectBytes': key(size({ min: KIB }), 256 * MIB, 'Largest upload.'),
  'limits.urlBytes': key(size({ min: 256, max: MIB }), 8 * KIB, 'Longest request target.'),
  'limits.headerBytes': key(size({ min: KIB, max: MIB }), 32 * KIB, 'All headers of a request together.'),
  'limits.annotationsBytes': key(
    size({ min: KIB, max: 16 * MIB }),
    256 * KIB,
    'All annotations of a resource together.',
  ),
  'limits.labels': key(count, 64, 'Labels of a resource.'),
  'limits.jsonDepth': key(integer({ min: 8, max: 1_000 }), 100, 'Nesting of JSON in requests.'),
  'limits.messageElements': key(
    integer({ min: 1_000, max: 10_000_000 }),
    200_000,
    'Values in one request: fields, items of lists, entries of maps.',
  ),
  'limits.sessionQueue': key(count, 100, 'Turns waiting in one session.'),
  'limits.batchSessions': key(count, 10_000, 'Sessions of one batch stream.'),
  'limits.streamBufferEvents': key(count, 1_024, 'Events waiting for a slow reader before its stream is ended.'),
  'limits.streamBufferBytes': key(bytes, MIB, 'Bytes waiting for a slow reader before its stream is ended.'),
  'limits.connections': optional(
    count,
    'Connections of all callers together; more are refused with 503. Must leave open files for the database, objects and outbound requests.',
    '3/4 of the open files that the process may have, at most 100000',
  ),
  'limits.connectionsPerAddress': optional(
    count,
    'Connections of one address (IPv6: one /64 network) that have shown no valid credential. No limit with `auth.mode: [none]` or `server.trustProxy`.',
    '1/4 of `limits.connections`',
  ),
  'limits.http2Streams': key(
    count,
    10_000,
    'Streams open on one HTTP/2 connection that has shown a valid credential; 100 before.',
  ),
} as const;

/** Limits of single features: channels, connectors, schedules and workflows. */
export const productLimitKeys = {
  'limits.channelContentMax': key(bytes, 64 * KIB, 'Largest channel message.'),
  'limits.channelSubscriptionsMax': key(count, 200, 'Subscriptions of a channel.'),
  'limits.channelMaxHops': key(integer({ max: 1_000 }), 4, 'Agents that may answer each other in a row.'),
  'limits.channelAgentRate': key(count, 60, 'Routed posts of agents per channel and minute.'),
  'limits.registerTimeout': key(
    duration({ min: 1_000 }),
    10_000,
    'Wait for a connector service to answer a registration.',
  ),
  'limits.ingestBodyMax': key(bytes, MIB, 'Largest connector event.'),
  'limits.ingestTextMax': key(bytes, 256 * KIB, 'Longest text of a connector event.'),
  'limits.ingestAttachmentsMax': key(count, 20, 'Attachments of a connector event.'),
  'limits.ingestDedupeRetention': key(duration({ min: 60_000 }), 7 * DAY, 'How long an event id is remembered.'),
  'limits.botRate': key(count, 20, 'Messages of bots per conversation and minute.'),
  'limits.pointerRetention': key(duration({ min: 60_000 }), 180 * DAY, 'How long a conversation keeps its session.'),
  'limits.deliveryTimeout': key(duration({ min: 1_000 }), 15_000, 'Wait for a connector service to take a delivery.'),
  'limits.deliveryWindow': key(duration({ min: 1_000 }), DAY, 'How long a delivery is tried.'),
  'limits.deliveryConcurrency': key(count, 8, 'Deliveries at once per registration.'),
  'limits.orderHold': key(duration(), 60_000, 'How long a failing delivery holds up those behind it.'),
  'limits.schedulesMax': key(count, 1_000, 'Schedules of a namespace.'),
  'limits.workflowDefinitionMax': key(bytes, 256 * KIB, 'Largest workflow.'),
  'limits.stepsMax': key(count, 200, 'Steps of a workflow.'),
  'limits.runInputMax': key(bytes, MIB, 'Largest input of a run.'),
  'limits.stepOutputMax': key(bytes, MIB, 'Largest output of a step.'),
  'limits.runDepthMax': key(count, 8, 'Nesting of workflow runs.'),
  'limits.runsActiveMax': key(count, 10_000, 'Unfinished runs of a namespace.'),
  'limits.deploymentReplicasMax': key(count, 5_000, 'Namespaces of a deployment.'),
  'limits.renderedObjectMax': key(bytes, MIB, 'Largest object that a deployment renders.'),
  'limits.renderConcurrency': key(integer({ min: 1, max: 256 }), 8, 'Namespaces rendered at once.'),
  'limits.knowledgeMax': key(bytes, MIB, 'Largest knowledge module.'),
} as const;

/** Timeouts and retention periods. */
export const timeKeys = {
  'streams.historySeconds': key(duration(), 600_000, 'How long events of finished turns and channels can be resumed.'),
  'streams.untilDoneIdleSeconds': key(
    duration({ min: 1_000, max: 3_600_000 }),
    30_000,
    'How long a stream with `until_done`, without turn or cursor, waits on an idle session for a turn before it ends.',
  ),
  'streams.historyEvents': key(count, 10_000, 'Events kept per channel.'),
  'watch.historySeconds': key(duration(), DAY, 'How far back a watch of resources can resume.'),
  'deadlines.unarySeconds': key(duration({ min: 1_000, max: 3_600_000 }), 60_000, 'Longest plain call.'),
  'deadlines.waitSeconds': key(duration({ min: 1_000, max: 3_600_000 }), 300_000, 'Cap of `wait_seconds`.'),
  'idempotency.hours': key(duration({ min: 3_600_000 }), DAY, 'How long the answer to an idempotency key is kept.'),
  'permissions.timeoutSeconds': key(
    duration({ min: 1_000 }),
    3_600_000,
    'Time to answer a permission request; then it is denied.',
  ),
  'requests.timeoutSeconds': key(
    duration({ min: 1_000 }),
    7 * DAY,
    'Time to answer what a turn asks a person apart from permissions: data, a sign-in, a higher limit; then it is declined.',
  ),
  'requests.links': key(
    boolean,
    false,
    'Let `svc inbox link` make addresses at which a request is answered without signing in.',
  ),
  'schedules.minSpacingSeconds': key(duration({ min: 1_000 }), 1_000, 'Least time between two runs of a schedule.'),
  'namespaces.graceSeconds': key(duration(), DAY, 'How long the contents of a deleted namespace can be brought back.'),
  'files.ephemeralDays': key(duration({ min: DAY }), 30 * DAY, 'Life of EPHEMERAL files.'),
  'files.namespaceBytes': key(size(), 0, 'Bytes of files in a namespace; 0 means no limit.'),
  'retention.runs': key(duration(), 30 * DAY, 'How long finished workflow runs are kept; 0 keeps them.'),
  'retention.sessions': key(duration(), 0, 'How long idle sessions are kept; 0 keeps them.'),
  'retention.channelMessages': key(duration(), 0, 'How long channel messages are kept; 0 keeps them.'),
  'retention.audit': key(duration(), 365 * DAY, 'How long audit records are kept; 0 keeps them.'),
  'retention.usage': key(
    duration(),
    40 * DAY,
    'How long usage counters are kept, at least the longest window; 0 keeps them.',
  ),
  'a2a.maxDepth': key(count, 8, 'Agents that may give work to each other in a row; a connection may allow fewer.'),
  'a2a.maxRounds': key(
    count,
    50,
    'Messages that an agent may send to another one in one conversation since the last message from outside.',
  ),
  'a2a.trustedPeers': key(
    list(text('identity')),
    [],
    'Identities of servers that are believed when they name the turns that led to a message; of others only the number counts.',
  ),
  'tasks.lifetime': key(duration({ min: 60_000 }), 7 * DAY, 'How long a task may stay open.'),
  'tasks.retention': key(duration(), 90 * DAY, 'How long finished tasks are kept; 0 keeps them.'),
  'usage.alertPercent': key(
    integer({ min: 1, max: 100 }),
    80,
    'Part of a usage limit at which it is shown as an alert.',
  ),
} as const;
