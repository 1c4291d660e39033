import { Fault, notFound } from '../../../../base/index.ts';
import { recordKey } from '../../../../resources/index.ts';
import { type Admission, PART, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { scheduleSpec, targetNotExecuted } from '../schedule-kind.ts';
import { storedStatus } from '../schedule-status.ts';
import { reusedSession, runMessage } from './run-rules.ts';

/** What starting runs uses. */
export interface RunStarts {
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
}

/** The run that began. */
export interface StartedRun {
  readonly sessionId: string;
  readonly turnId: string;
}

/** Labels of the message, of a session made for it, and of the cause of the turn. */
const NAME = 'svc/schedule-name';
const RUN_AT = 'svc/schedule-run-at';
/** Label of the cause alone: a schedule that was made again under the name is another one. */
const UID = 'svc/schedule-uid';
const CAUSE = 'schedule';

/** Whom the turns of a schedule work for. */
const identityOf = ({ namespace, name }: ResourceKey): string => `schedule:${namespace}/${name}`;

/** The schedule that caused a turn, as far as the turn says: whether it still exists is not checked. */
export const scheduleOfTurn = (
  { cause }: { readonly cause: { readonly kind: string; readonly labels: Readonly<Record<string, string>> } },
  namespace: string,
): { readonly key: ResourceKey; readonly uid: string } | undefined => {
  const { [NAME]: name, [UID]: uid } = cause.labels;
  if (cause.kind !== CAUSE || name === undefined || uid === undefined) return undefined;
  return { key: recordKey('Schedule', namespace, name), uid };
};

/**
 * Starts the target of a schedule for an instant (micros), in the caller's transaction. Throws a Fault where the target is missing, its
 * session is gone, or a limit is reached.
 */
export const startRun = async (
  { admission, lifecycle }: RunStarts,
  tx: WriteTx,
  { schedule, instant }: { readonly schedule: StoredResource; readonly instant: number },
): Promise<StartedRun> => {
  const spec = scheduleSpec(schedule);
  const cannot = targetNotExecuted(spec);
  if (cannot !== undefined) throw new Fault('FAILED_PRECONDITION', 'NOT_EXECUTED', cannot);
  const { namespace, name } = schedule.key;
  const agent = spec.target?.agent ?? '';
  const identity = identityOf(schedule.key);
  const labels = { 'svc/message-source': CAUSE, [NAME]: name, [RUN_AT]: String(instant) };
  const known = await sessionFor(tx, schedule);
  const sessionId = known ?? (await lifecycle.create(tx, { namespace, agent, labels, identity })).id;
  const text = runMessage(name, instant, spec.inputMessage);
  const { turnId } = await admission.admit(tx, {
    namespace,
    agent,
    sessionId,
    parts: [{ id: '', type: PART.TEXT, content: text, createdAt: tx.now() }],
    labels,
    whenBusy: 'QUEUE',
    cause: { kind: CAUSE, identity, labels: { ...labels, [UID]: schedule.uid }, lineage: [] },
  });
  return { sessionId, turnId };
};

/** The session that is used again; undefined where the run gets one of its own. Throws where the one that the schedule names is gone. */
const sessionFor = async (tx: WriteTx, schedule: StoredResource): Promise<string | undefined> => {
  const spec = scheduleSpec(schedule);
  const named = reusedSession(spec);
  if (named === undefined) return undefined;
  const id = named === '' ? (storedStatus(schedule).lastSessionId ?? '') : named;
  const session = id === '' ? undefined : await tx.log.session(id);
  const isMeant = session?.namespace === schedule.key.namespace && session.agent === spec.target?.agent;
  if (isMeant) return id;
  if (named === '') return undefined;
  throw notFound('Session', { ns: schedule.key.namespace, agent: spec.target?.agent ?? '', session_id: named });
};
