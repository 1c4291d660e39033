import { TaskPhase, type TaskStatus } from '@svc/api/resources';
import {
  type QueueWorker,
  type ReconcileOutcome,
  type ResourceWriter,
  systemOrigin,
  type WorkItem,
} from '../../../controllers/contract.ts';
import type { ResourceKey, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { canMoveTask } from './task-rules.ts';
import { changedStatus, type TaskTimes, taskStatus } from './task-status.ts';

/** Queue item that ends a task at its time and removes an ended one at its; key = uid, payload = key of the task. */
export const TASK_TIMER = 'task.timer';

const ORIGIN = systemOrigin('task-timer');

/** Stops what works on a task; called in the transaction that ends it. */
export type StopExecution = (tx: WriteTx, status: TaskStatus) => Promise<void>;

/** Sets the timer to what the stored status says; none for a task that is kept. */
export const armTaskTimer = async (tx: WriteTx, stored: StoredResource): Promise<void> => {
  const dueAt = Number(taskStatus(stored).expiresAt);
  if (dueAt === 0) return tx.queue.cancel(TASK_TIMER, stored.uid);
  const payload = JSON.stringify(stored.key);
  await tx.queue.put({ kind: TASK_TIMER, key: stored.uid, dueAt, attempts: 0, payload }, { replace: true });
};

export interface TaskTimerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: ResourceWriter;
  readonly times: TaskTimes;
  readonly stopExecution: StopExecution;
}

/** Expires open tasks and removes ended ones; decides by the record alone, so a late timer is harmless. */
export class TaskTimer implements QueueWorker {
  readonly kinds = [TASK_TIMER];
  readonly datedKinds = this.kinds;
  readonly #deps: TaskTimerDeps;

  constructor(deps: TaskTimerDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const key = JSON.parse(item.payload) as ResourceKey;
    return this.#deps.store.write(async (tx) => {
      const record = await tx.resources.get(key);
      if (record === undefined || record.uid !== item.key) return { done: true };
      const status = taskStatus(record);
      const leftMicros = Number(status.expiresAt) - tx.now();
      if (status.expiresAt === 0n) return { done: true };
      if (leftMicros > 0) return { againMs: Math.ceil(leftMicros / 1000) };
      return this.#due(tx, record, status);
    });
  }

  async #due(tx: WriteTx, record: StoredResource, status: TaskStatus): Promise<ReconcileOutcome> {
    const { writer, times, stopExecution } = this.#deps;
    if (!canMoveTask(status.phase, TaskPhase.EXPIRED, ['controller'])) {
      await writer.remove(tx, ORIGIN, { key: record.key, bySystem: true });
      return { done: true };
    }
    await stopExecution(tx, status);
    const change = { phase: TaskPhase.EXPIRED, progressSummary: '' };
    const ended = changedStatus(status, change, { now: tx.now(), times });
    await writer.writeStatus(tx, record.key, () => ({ status: ended }));
    if (ended.expiresAt === 0n) return { done: true };
    return { againMs: Math.ceil(times.retentionMicros / 1000) };
  }
}
