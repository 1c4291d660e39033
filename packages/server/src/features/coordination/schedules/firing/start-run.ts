import { notFound, parseJsonText } from '../../../../base/index.ts';
import { type JsonData, recordKey } from '../../../../resources/index.ts';
import { type Admission, PART, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { ReadTx, ResourceKey, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { scheduleSpec } from '../schedule-kind.ts';
import { storedStatus } from '../schedule-status.ts';
import { reusedSession, runMessage } from './run-rules.ts';

/** A run of a workflow, as far as schedules know it. */
interface EndedWorkflow {
  readonly run: {
    readonly id: string;
    readonly namespace: string;
    readonly status: string;
    readonly error: string;
    readonly labels: Readonly<Record<string, string>>;
    /** Present where another run began it. */
    readonly parent?: unknown;
  };
}

/** Runs of workflows, which another part keeps. */
export interface WorkflowRuns {
  /** Begins a run in the transaction. Throws a Fault where it cannot be. */
  startRun(
    tx: WriteTx,
    start: {
      readonly namespace: string;
      readonly workflow: string;
      readonly input: JsonData;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
    },
  ): Promise<{ readonly runId: string }>;
  isOver(tx: Pick<ReadTx, 'workflowRuns'>, runId: string): Promise<boolean>;
  /** Calls `ended` with every end of a run, in the transaction that ends it. */
  onEnd(ended: (tx: WriteTx, end: EndedWorkflow) => Promise<void>): void;
}

/** What starting runs uses. */
export interface RunStarts {
  readonly runs: Pick<WorkflowRuns, 'startRun' | 'isOver'>;
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
}

/** The run that began: a turn in a session, or the run of a workflow. */
export interface StartedRun {
  /** '' for a workflow. */
  readonly sessionId: string;
  readonly turnId: string;
  /** '' for an agent. */
  readonly runId: string;
}

/** How events of a schedule name its run. */
export const runName = ({ turnId, runId }: Pick<StartedRun, 'turnId' | 'runId'>): string =>
  runId === '' ? `turn ${turnId}` : `run ${runId}`;

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

/** The schedule that began the run of a workflow itself; undefined for other runs. */
export const scheduleOfRun = ({
  run,
}: EndedWorkflow): { readonly key: ResourceKey; readonly uid: string } | undefined => {
  const { [NAME]: name, [UID]: uid } = run.labels;
  if (run.parent !== undefined || name === undefined || uid === undefined) return undefined;
  return { key: recordKey('Schedule', run.namespace, name), uid };
};

/**
 * Starts the target of a schedule for an instant (micros), in the caller's transaction. Throws a Fault where the target is missing, its
 * session is gone, or a limit is reached.
 */
export const startRun = async (
  { admission, lifecycle, runs }: RunStarts,
  tx: WriteTx,
  { schedule, instant }: { readonly schedule: StoredResource; readonly instant: number },
): Promise<StartedRun> => {
  const spec = scheduleSpec(schedule);
  const { namespace, name } = schedule.key;
  const agent = spec.target?.agent ?? '';
  const identity = identityOf(schedule.key);
  const labels = { 'svc/message-source': CAUSE, [NAME]: name, [RUN_AT]: String(instant) };
  const workflow = spec.target?.workflow ?? '';
  if (workflow !== '') {
    const input = parseJsonText(spec.inputJson === '' ? '{}' : spec.inputJson) as JsonData;
    const start = { namespace, workflow, input, identity, labels: { ...labels, [UID]: schedule.uid } };
    return { sessionId: '', turnId: '', ...(await runs.startRun(tx, start)) };
  }
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
  return { sessionId, turnId, runId: '' };
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
