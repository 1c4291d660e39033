import { TaskPhase, type TaskStatus } from '@svc/api/resources';
import { Fault } from '../../../base/index.ts';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import type { SessionLifecycle } from '../../../runtime/contract.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { originOf, wakeKeys, wakesOf } from './task-origin.ts';
import { canMoveTask, type TaskActor, wakesOwner } from './task-rules.ts';
import { changedStatus, type TaskChange, type TaskTimes, taskStatus } from './task-status.ts';
import { armTaskTimer } from './task-timers.ts';
import { queueOwnerWake } from './task-wake.ts';

export interface TaskMovesDeps {
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly times: TaskTimes;
}

/** Stops the turn that works on a task, in the transaction that ends the task. */
export type StopExecution = (tx: WriteTx, status: TaskStatus) => Promise<void>;

/**
 * The only way a task changes after its creation: what the table of moves allows, with everything that follows from a move in the same
 * transaction. Sessions are locked before tasks are written, here and in every caller.
 */
export class TaskMoves {
  readonly #deps: TaskMovesDeps;

  constructor(deps: TaskMovesDeps) {
    this.#deps = deps;
  }

  /** Throws FAILED_PRECONDITION TASK_PHASE for a move that none of the actors may make. Answers the task as it is then stored. */
  async move(
    tx: WriteTx,
    current: StoredResource,
    change: TaskChange & { readonly by: readonly TaskActor[]; readonly stop?: StopExecution },
  ): Promise<StoredResource> {
    const { by, stop, ...wanted } = change;
    const { times, writer } = this.#deps;
    const before = taskStatus(current);
    requireMove(before.phase, wanted.phase ?? TaskPhase.UNSPECIFIED, by);
    const after = changedStatus(before, wanted, { now: tx.now(), times });
    if (after === before) return current;
    const isCutOff = after.phase !== before.phase && CUTTING.has(after.phase);
    // Held before the task is written, as everywhere else: the end of the turn then finds a task that is over.
    if (isCutOff) await tx.log.lockSession(before.executionRef?.sessionId ?? '');
    const isNews = after.phase !== before.phase && wakesOwner(after.phase);
    const system = isNews ? { system: wakeKeys(wakesOf(current) + 1) } : {};
    const stored = (await writer.writeStatus(tx, current.key, () => ({ status: after, ...system }))) ?? current;
    if (isCutOff) await stop?.(tx, before);
    if (after.expiresAt !== before.expiresAt) await armTaskTimer(tx, stored);
    if (isNews) await queueOwnerWake(tx, stored, originOf(stored));
    return stored;
  }
}

/** Phases that end work which still runs. */
const CUTTING: ReadonlySet<TaskPhase> = new Set([TaskPhase.CANCELED, TaskPhase.EXPIRED]);

const requireMove = (from: TaskPhase, to: TaskPhase, by: readonly TaskActor[]): void => {
  if (to === TaskPhase.UNSPECIFIED || to === from || canMoveTask(from, to, by)) return;
  throw new Fault(
    'FAILED_PRECONDITION',
    'TASK_PHASE',
    `a task that is ${TaskPhase[from]} cannot become ${TaskPhase[to]}`,
    {
      metadata: { phase: TaskPhase[from] ?? '' },
    },
  );
};

/** Stops the turn of the execution reference, where it still exists. */
export const stopExecution =
  (lifecycle: Pick<SessionLifecycle, 'stop'>): StopExecution =>
  async (tx, { executionRef }) => {
    const { sessionId = '', runId = '' } = executionRef ?? {};
    const session = await tx.log.lockSession(sessionId);
    if (session === undefined) return;
    const turn = await tx.log.turn(runId);
    if (turn?.sessionId === session.id) await lifecycle.stop(tx, session, runId);
  };
