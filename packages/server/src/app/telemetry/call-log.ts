import type { Log, LogFields } from '../../base/index.ts';
import type { FinishedCall } from '../../transport/contract.ts';
import { parseTraceParent } from './tracing/index.ts';

/** Codes that mean that the server failed: their lines are warnings. */
const SERVER_CODES: ReadonlySet<string> = new Set(['INTERNAL', 'UNKNOWN', 'DATA_LOSS']);

/** Health checks and scrapes: a line for each is of no use. */
const QUIET: ReadonlySet<string> = new Set([
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'grpc.health.v1.Health/Check',
  'grpc.health.v1.Health/Watch',
]);

/** The names in a request, by the field names of messages and path variables. */
interface NamedRequest {
  readonly ns?: unknown;
  readonly agent?: unknown;
  readonly sessionId?: unknown;
  readonly session_id?: unknown;
}

const nameOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const fieldsOf = (call: FinishedCall): LogFields => {
  const { ns, agent, sessionId, session_id } = (call.request ?? {}) as NamedRequest;
  return {
    request_id: call.requestId,
    trace_id: call.traceParent === undefined ? undefined : parseTraceParent(call.traceParent)?.traceId,
    caller: call.identity,
    operation: call.operation,
    transport: call.transport,
    namespace: nameOf(ns),
    agent: nameOf(agent),
    session: nameOf(sessionId ?? session_id),
    code: call.code,
    reason: call.reason === '' ? undefined : call.reason,
    duration_ms: Math.round(call.durationMs * 1000) / 1000,
  };
};

/**
 * One line per finished call: names, outcome and duration, no contents. Written at `level`; calls that the
 * server itself failed are warnings, health checks and scrapes are at debug.
 */
export const callLog = (log: Log, level: 'info' | 'debug'): ((call: FinishedCall) => void) => {
  return (call) => {
    if (SERVER_CODES.has(call.code)) log.warn('request', fieldsOf(call));
    else if (level === 'debug' || QUIET.has(call.operation)) log.debug('request', fieldsOf(call));
    else log.info('request', fieldsOf(call));
  };
};
