import type { SessionLifecycle } from '../../../runtime/contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { taskContract } from './task-kind.ts';
import { type TaskOperationsDeps, taskOperations } from './task-operations.ts';
import { type StopExecution, TaskTimer, type TaskTimerDeps } from './task-timer.ts';

const MICROS_PER_MS = 1_000;

interface TasksModuleDeps
  extends Omit<TaskOperationsDeps, 'times' | 'stopExecution' | 'writer'>,
    Omit<TaskTimerDeps, 'times' | 'stopExecution'> {
  readonly lifecycle: Pick<SessionLifecycle, 'stop'>;
  /** In milliseconds. */
  readonly settings: { readonly 'tasks.lifetime': number; readonly 'tasks.retention': number };
}

/** The kind Task with UpdateTask, expiry and retention. */
export const tasksModule = (deps: TasksModuleDeps): FeatureModule => {
  const { settings, lifecycle } = deps;
  const times = {
    lifetimeMicros: settings['tasks.lifetime'] * MICROS_PER_MS,
    retentionMicros: settings['tasks.retention'] * MICROS_PER_MS,
  };
  const made = { ...deps, times, stopExecution: stopExecution(lifecycle) };
  return {
    kinds: [taskContract(times)],
    workers: [new TaskTimer(made)],
    operations: taskOperations(made),
  };
};

/** Ends the turns of the session that works on a task. */
const stopExecution =
  (lifecycle: Pick<SessionLifecycle, 'stop'>): StopExecution =>
  async (tx, status) => {
    const session = await tx.log.lockSession(status.executionRef?.sessionId ?? '');
    if (session !== undefined) await lifecycle.stop(tx, session, '');
  };
