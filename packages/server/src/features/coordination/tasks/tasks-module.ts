import type { Admission, CallWakes, SessionLifecycle } from '../../../runtime/contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { taskContract } from './task-kind.ts';
import { stopExecution, TaskMoves, type TaskMovesDeps } from './task-moves.ts';
import { type TaskOperationsDeps, taskOperations } from './task-operations.ts';
import { TaskTimer, type TaskTimerDeps } from './task-timer.ts';
import { taskTrail } from './task-trail.ts';
import { TaskTurns } from './task-turns.ts';
import { type AwaitTask, awaitTask } from './task-waiting.ts';
import { OwnerWake } from './task-wake.ts';
import { furtherWork, TaskDispatcher } from './task-work.ts';
import { delegationTools, type TaskToolsDeps, taskTools } from './tools/index.ts';

const MICROS_PER_MS = 1_000;

/** In milliseconds. */
interface TaskSettings {
  readonly 'tasks.lifetime': number;
  readonly 'tasks.retention': number;
}

type MadeHere = 'moves' | 'stopExecution' | 'furtherWork';

interface TasksModuleDeps
  extends Omit<TaskOperationsDeps, MadeHere>,
    Omit<TaskTimerDeps, MadeHere>,
    Omit<TaskToolsDeps, MadeHere | 'maxDepth'> {
  readonly store: TaskToolsDeps['store'];
  readonly writer: TaskTimerDeps['writer'] & TaskMovesDeps['writer'] & TaskToolsDeps['writer'];
  readonly lifecycle: Pick<SessionLifecycle, 'create' | 'stop'>;
  readonly admission: Admission;
  readonly wakes: CallWakes;
  readonly settings: TaskSettings & {
    readonly 'a2a.maxDepth': number;
  };
}

interface TasksModule extends FeatureModule {
  readonly awaitTask: AwaitTask;
}

/** The kind Task with its life: delegates, owners, UpdateTask, expiry and retention. */
export const tasksModule = (deps: TasksModuleDeps): TasksModule => {
  const { settings, lifecycle, admission, writer } = deps;
  const times = timesOf(settings);
  const moves = new TaskMoves({ writer, times });
  const made = { ...deps, moves, stopExecution: stopExecution(lifecycle), furtherWork: furtherWork(admission) };
  const forTools = { ...made, maxDepth: settings['a2a.maxDepth'] };
  return {
    kinds: [taskContract(times)],
    workers: [new TaskTimer(made), new TaskDispatcher(made), new OwnerWake(deps)],
    operations: taskOperations(made),
    tools: taskTools(forTools),
    toolSources: [delegationTools(forTools)],
    trails: [taskTrail],
    awaitTask: awaitTask(deps.store),
  };
};

/** What follows the turns of delegates, for the runtime. */
export const taskTurns = ({
  writer,
  settings,
}: Pick<TaskMovesDeps, 'writer'> & { readonly settings: TaskSettings }): TaskTurns =>
  new TaskTurns({ writer, times: timesOf(settings) });

const timesOf = (settings: TaskSettings) => ({
  lifetimeMicros: settings['tasks.lifetime'] * MICROS_PER_MS,
  retentionMicros: settings['tasks.retention'] * MICROS_PER_MS,
});
