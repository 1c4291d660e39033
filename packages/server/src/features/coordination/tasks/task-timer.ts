import { TaskPhase, type TaskStatus } from '@svc/api/resources';
import {
  type QueueWorker,
  type ReconcileOutcome,
  type ResourceWriter,
  systemOrigin,
  type WorkItem,
} from '../../../controllers/contract.ts';
import type { ResourceKey, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { StopExecution, TaskMoves } from './task-moves.ts';
import { canMoveTask } from './task-rules.ts';
import { taskStatus } from './task-status.ts';
import { TASK_TIMER } from './task-timers.ts';

const ORIGIN = systemOrigin('task-timer');

export interface TaskTimerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: Pick<ResourceWriter, 'remove'>;
  readonly moves: TaskMoves;
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
      if (status.expiresAt === 0n) return { done: true };
      return leftOf(status, tx.now()) ?? this.#due(tx, record, status);
    });
  }

  async #due(tx: WriteTx, record: StoredResource, status: TaskStatus): Promise<ReconcileOutcome> {
    const { writer, moves, stopExecution: stop } = this.#deps;
    if (!canMoveTask(status.phase, TaskPhase.EXPIRED, ['controller'])) {
      await writer.remove(tx, ORIGIN, { key: record.key, bySystem: true });
      return { done: true };
    }
    const ended = await moves.move(tx, record, { phase: TaskPhase.EXPIRED, by: ['controller'], stop });
    return leftOf(taskStatus(ended), tx.now()) ?? { done: true };
  }
}

/** When the time that the status names comes; undefined when it is over, or there is none. */
const leftOf = ({ expiresAt }: TaskStatus, now: number): ReconcileOutcome | undefined => {
  const leftMicros = Number(expiresAt) - now;
  return leftMicros > 0 ? { againMs: Math.ceil(leftMicros / 1000) } : undefined;
};
