import { create } from '@bufbuild/protobuf';
import { type TaskExecutionRef, TaskExecutionRefSchema, TaskPhase, type TaskStatus } from '@svc/api/resources';
import { isFault } from '../../../base/index.ts';
import { isPassing, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../controllers/contract.ts';
import { type Admission, isTurnOver, PART, type SessionLifecycle, type TurnCause } from '../../../runtime/contract.ts';
import type { ResourceKey, SessionRow, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { TaskMoves } from './task-moves.ts';
import { originOf, TASK_LABEL, taskCause } from './task-origin.ts';
import { type TaskChange, taskSpec, taskStatus } from './task-status.ts';

/** Queue item that begins the work of a fresh task; key = uid. */
const TASK_DISPATCH = 'task.dispatch';

interface Dispatch {
  readonly key: ResourceKey;
  /** Who declared the task; used where no agent asked for it. */
  readonly identity: string;
}

/** Has the delegate begin, in the transaction that creates the task; a task without a delegate waits for its owner. */
export const queueDispatch = async (tx: WriteTx, stored: StoredResource, identity: string): Promise<void> => {
  if (taskSpec(stored).delegate === undefined) return;
  const payload: Dispatch = { key: stored.key, identity };
  const item = { kind: TASK_DISPATCH, key: stored.uid, dueAt: tx.steadyNow(), attempts: 0 };
  await tx.queue.put({ ...item, payload: JSON.stringify(payload) });
};

/** A task that goes needs no one to begin it. */
export const cancelDispatch = (tx: WriteTx, uid: string): Promise<void> => tx.queue.cancel(TASK_DISPATCH, uid);

interface TaskDispatcherDeps {
  readonly store: Pick<Store, 'write'>;
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
  readonly moves: TaskMoves;
}

/** Begins the work of tasks: a session of the delegate, and in it a turn with the task's description. */
export class TaskDispatcher implements QueueWorker {
  readonly kinds = [TASK_DISPATCH];
  readonly #deps: TaskDispatcherDeps;

  constructor(deps: TaskDispatcherDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const dispatch = JSON.parse(item.payload) as Dispatch;
    await this.#deps.store.write(async (tx) => {
      const record = await tx.resources.get(dispatch.key);
      if (record === undefined || record.uid !== item.key || record.deletionTimestamp !== undefined) return;
      const { phase, executionRef: begun } = taskStatus(record);
      // Its owner may have put it to RUNNING meanwhile.
      const isWaiting = phase === TaskPhase.QUEUED || phase === TaskPhase.RUNNING;
      if (isWaiting && begun === undefined) await this.#begin(tx, record, dispatch.identity);
    });
    return { done: true };
  }

  async #begin(tx: WriteTx, record: StoredResource, declarer: string): Promise<void> {
    const { moves } = this.#deps;
    const refusal = foreignDelegate(record);
    if (refusal !== undefined) return void (await moves.move(tx, record, { ...failed(refusal), by: ['runtime'] }));
    let change: TaskChange;
    try {
      const executionRef = await tx.savepoint(() => this.#start(tx, record, declarer));
      change = { executionRef, execution: 'Queued' };
    } catch (error) {
      if (!isFault(error) || isPassing(error)) throw error;
      change = failed(error.message);
    }
    await moves.move(tx, record, { ...change, by: ['runtime'] });
  }

  async #start(tx: WriteTx, record: StoredResource, declarer: string): Promise<TaskExecutionRef> {
    const { admission, lifecycle } = this.#deps;
    const { title, description, delegate } = taskSpec(record);
    const { identity: asker, lineage } = originOf(record);
    const identity = asker === '' ? declarer : asker;
    const place = { namespace: delegate?.namespace || record.key.namespace, agent: delegate?.name ?? '' };
    const labels = { [TASK_LABEL]: record.key.name };
    const session = await lifecycle.create(tx, { ...place, labels, identity });
    const text = [title, description].filter(Boolean).join('\n\n');
    const work = { text, cause: taskCause(record.key, { identity, lineage }) };
    return executionRef(session, await admitWork({ tx, admission }, session, work));
  }
}

const failed = (progressSummary: string): TaskChange => ({ phase: TaskPhase.FAILED, progressSummary });

/** Only a connection that the owner's spec declares leads into another namespace. */
const foreignDelegate = (record: StoredResource): string | undefined => {
  const namespace = taskSpec(record).delegate?.namespace ?? '';
  if (namespace === '' || namespace === record.key.namespace || originOf(record).connection !== '') return undefined;
  return 'The delegate is in another namespace, which only a connection of an agent leads to.';
};

/** The delegate's session. */
type WorkPlace = Pick<SessionRow, 'namespace' | 'agent' | 'id'>;

const executionRef = ({ namespace, agent, id }: WorkPlace, runId: string): TaskExecutionRef =>
  create(TaskExecutionRefSchema, { kind: 'AGENT_SESSION', namespace, name: agent, sessionId: id, runId });

const admitWork = async (
  { tx, admission }: { readonly tx: WriteTx; readonly admission: Admission },
  { namespace, agent, id: sessionId }: WorkPlace,
  { text, cause }: { readonly text: string; readonly cause: TurnCause },
): Promise<string> => {
  const { turnId } = await admission.admit(tx, {
    namespace,
    agent,
    sessionId,
    parts: [{ id: '', type: PART.TEXT, content: text, createdAt: tx.now() }],
    labels: { ...cause.labels },
    whenBusy: 'QUEUE',
    cause,
  });
  return turnId;
};

/** Further work for a delegate, as its owner words it. */
export type SendFurtherWork = (
  tx: WriteTx,
  record: StoredResource,
  work: { readonly text: string } & Partial<Pick<TurnCause, 'identity' | 'lineage'>>,
) => Promise<TaskChange>;

/**
 * What a move to RUNNING by the owner or an operator changes in addition. A delegate whose turn is over, or that has reported the work as
 * done, begins another turn with the given text; one that has not begun, or whose turn is open, just continues. Throws NOT_FOUND when its
 * session is gone.
 */
export const furtherWork =
  (admission: Admission): SendFurtherWork =>
  async (tx, record, { text, identity, lineage }) => {
    const { phase, executionRef: done } = taskStatus(record);
    const isUnderWay = done === undefined || (phase !== TaskPhase.NEEDS_REVIEW && (await isOpen(tx, done)));
    if (isUnderWay) return { progressSummary: text };
    const { namespace, name: agent, sessionId } = done;
    const origin = originOf(record);
    const cause = taskCause(record.key, {
      identity: identity ?? origin.identity,
      lineage: lineage ?? origin.lineage,
    });
    const place = { namespace, agent, id: sessionId };
    const runId = await admitWork({ tx, admission }, place, { text: text === '' ? CONTINUE : text, cause });
    return { executionRef: executionRef(place, runId), execution: 'Queued', clearsSummary: true };
  };

const CONTINUE = 'Please continue with the task.';

const isOpen = async (tx: WriteTx, { runId }: NonNullable<TaskStatus['executionRef']>): Promise<boolean> => {
  const turn = await tx.log.turn(runId);
  return turn !== undefined && !isTurnOver(turn);
};
