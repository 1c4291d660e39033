import type { CallContext } from '../../../auth/contract.ts';
import { Fault, isUuid, notFound } from '../../../base/index.ts';
import type { WriteOrigin } from '../../../controllers/contract.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import type { TurnCause } from '../../../runtime/contract.ts';
import { SESSION_ACTIVITY, type SessionActivity } from '../../../runtime/stream/stream-contract.ts';
import type { Bus, ReadTx, SessionRow, WriteTx } from '../../../store/contracts/index.ts';
import type { SessionsDeps } from './sessions-deps.ts';

/** The three names of every session request. */
export interface SessionNames {
  readonly sessionId: string;
  readonly agent: string;
  readonly ns: string;
}

export const sessionNotFound = (names: SessionNames): Fault =>
  notFound('Session', { ns: names.ns, agent: names.agent, session_id: names.sessionId });

const belongs = (row: SessionRow | undefined, names: SessionNames): row is SessionRow =>
  row !== undefined && row.namespace === names.ns && row.agent === names.agent;

/** The session's row; NOT_FOUND also for a malformed id or names of another place. */
export const readSession = async (tx: Pick<ReadTx, 'log'>, names: SessionNames): Promise<SessionRow> => {
  const row = isUuid(names.sessionId) ? await tx.log.session(names.sessionId) : undefined;
  if (!belongs(row, names)) throw sessionNotFound(names);
  return row;
};

/** As readSession for a write: the namespace has to be live and the row is held until the transaction ends. */
export const lockSession = async (
  tx: WriteTx,
  names: SessionNames,
  deps: Pick<SessionsDeps, 'namespaces'>,
): Promise<SessionRow> => {
  await deps.namespaces.requireLive(tx, names.ns);
  const row = isUuid(names.sessionId) ? await tx.log.lockSession(names.sessionId) : undefined;
  if (!belongs(row, names)) throw sessionNotFound(names);
  return row;
};

/** NOT_FOUND of the agent, or of the namespace when that is what is missing. */
export const requireAgent = async (
  tx: Pick<ReadTx, 'resources'>,
  names: { readonly ns: string; readonly agent: string },
  deps: Pick<SessionsDeps, 'agents'>,
): Promise<void> => {
  const agent = await deps.agents.current(tx, names.ns, names.agent);
  if (agent !== undefined) return;
  await requireNamespace(tx, names.ns);
  throw notFound('Agent', { ns: names.ns, name: names.agent });
};

/** Why a turn begins, for one that a call asked for. */
export const causeOf = (call: CallContext, labels: Readonly<Record<string, string>>): TurnCause => ({
  kind: 'api',
  identity: call.caller.identity,
  labels,
  lineage: [],
  requestId: call.requestId,
  ...(call.traceParent === undefined ? {} : { traceParent: call.traceParent }),
});

/** `Session/<ns>/<agent>/<id>`: target of audit records. */
const auditTarget = (names: SessionNames): string => `Session/${names.ns}/${names.agent}/${names.sessionId}`;

/** FAILED_PRECONDITION with the session's names. */
export const refusedState = (reason: string, text: string, names: SessionNames): Fault =>
  new Fault('FAILED_PRECONDITION', reason, text, {
    metadata: { ns: names.ns, agent: names.agent, session_id: names.sessionId },
  });

/** The write's audit record, and after the commit a notification for consoles. */
export const recordWrite = async (
  tx: WriteTx,
  write: {
    readonly call: WriteOrigin;
    readonly names: SessionNames;
    readonly outcome?: string;
    readonly turnId?: string;
    readonly messageId?: string;
  },
  deps: Pick<SessionsDeps, 'audit'> & { readonly bus: Pick<Bus, 'publish'> },
): Promise<void> => {
  const { names, call, outcome = 'ok', turnId = '', messageId = '' } = write;
  const { ns: namespace, agent, sessionId } = names;
  await deps.audit(tx, call, { target: auditTarget(names), namespace, resourceVersion: '', outcome });
  const activity: SessionActivity = { namespace, agent, sessionId, turnId, messageId };
  tx.afterCommit(() => deps.bus.publish(SESSION_ACTIVITY, activity));
};
