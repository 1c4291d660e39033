import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../../controllers/contract.ts';
import type { Bus, Store } from '../../../../store/contracts/index.ts';
import {
  CHILD_REPORT,
  isStepOver,
  type OpenRun,
  queueItem,
  RUN_ADVANCE,
  STEP_DATE,
  STEP_TIMER,
  type StepAttempt,
  type StepState,
  type StepTimer,
  TURN_REPORT,
} from '../record/index.ts';
import { failed, firedOutput, outputOf, type StepEnd, type TurnReport } from '../steps/index.ts';
import type { SchemaCheck } from '../values/index.ts';
import type { RunDriver } from './run-driver.ts';
import type { ChildReport } from './run-moves.ts';

interface RunWorkersDeps {
  readonly store: Pick<Store, 'write'>;
  readonly bus: Pick<Bus, 'publish'>;
  readonly driver: RunDriver;
  readonly check: SchemaCheck;
}

/** Applies what is queued for runs: further steps, ends of turns and child runs, timers. */
export class RunWorkers implements QueueWorker {
  readonly kinds = [RUN_ADVANCE, TURN_REPORT, CHILD_REPORT, STEP_TIMER, STEP_DATE];
  readonly datedKinds = [STEP_DATE];
  readonly #deps: RunWorkersDeps;

  constructor(deps: RunWorkersDeps) {
    this.#deps = deps;
  }

  async run({ kind, key, payload }: WorkItem): Promise<ReconcileOutcome> {
    return (await this.#move(kind, key, payload)) ?? DONE;
  }

  #move(kind: string, key: string, payload: string): Promise<ReconcileOutcome | undefined> {
    const { driver } = this.#deps;
    switch (kind) {
      case TURN_REPORT:
        return this.#turnEnded(JSON.parse(payload) as TurnReport);
      case CHILD_REPORT:
        return this.#childEnded(JSON.parse(payload) as ChildReport);
      case RUN_ADVANCE:
        return driver.move(key, 'queued');
      default:
        return this.#timeCame(kind, JSON.parse(payload) as StepTimer);
    }
  }

  async #turnEnded(report: TurnReport): Promise<ReconcileOutcome | undefined> {
    const { driver, check } = this.#deps;
    const paused = await driver.move(report.runId, `turn ${report.turnId} ended`, async (open) => {
      const state = attemptOf(open, report);
      if (state?.childTurnId !== report.turnId) return;
      const step = open.spec.steps.find(({ id }) => id === report.stepId);
      if (step === undefined) return;
      if (report.isPaused) await driver.beginAttempt(open, step);
      else await driver.moves.endAttempt(open, state, turnEnd(report) ?? outputOf(check, step, report));
    });
    const isNew = report.state === 'STOPPED' && !report.isPaused;
    if (paused !== undefined && isNew) await this.#notePause(report, paused);
    return paused;
  }

  /** Deleting a namespace stops its turns. Their steps have not failed for it, which the report says from now on. */
  #notePause(report: TurnReport, { againMs }: { readonly againMs: number }): Promise<void> {
    const { store, bus } = this.#deps;
    const payload: TurnReport = { ...report, isPaused: true };
    return store.write((tx) =>
      queueItem(tx, bus, {
        kind: TURN_REPORT,
        key: report.turnId,
        payload,
        dueAt: tx.steadyNow() + againMs * 1_000,
      }),
    );
  }

  #childEnded({ parent, childRunId, ...report }: ChildReport): Promise<ReconcileOutcome | undefined> {
    const { driver } = this.#deps;
    return driver.move(parent.runId, `run ${childRunId} ended`, async (open) => {
      const state = attemptOf(open, parent);
      if (state?.childRunId !== childRunId) return;
      await driver.moves.endAttempt(open, state, childEnd(report));
    });
  }

  async #timeCame(kind: string, timer: StepTimer): Promise<ReconcileOutcome | undefined> {
    const { driver } = this.#deps;
    let earlyMs = 0;
    const paused = await driver.move(timer.runId, `${timer.purpose} of step ${timer.stepId}`, async (open) => {
      const { tx } = open;
      const early = timer.dueAt - (kind === STEP_DATE ? tx.now() : tx.steadyNow());
      earlyMs = Math.max(0, Math.ceil(early / 1_000));
      const state = attemptOf(open, timer);
      if (earlyMs === 0 && state !== undefined) await this.#due(open, state, timer);
    });
    return paused ?? (earlyMs > 0 ? { againMs: earlyMs } : undefined);
  }

  async #due(open: OpenRun, state: StepState, { purpose, stepId }: StepTimer): Promise<void> {
    const { driver } = this.#deps;
    const step = open.spec.steps.find(({ id }) => id === stepId);
    if (step === undefined) return;
    if (purpose === 'retry') {
      if (state.status === 'WAITING_RETRY') await driver.beginAttempt(open, step);
      return;
    }
    if (purpose === 'timeout') {
      const failure = { code: 'TIMEOUT', message: `the step did not end within ${step.timeout}` };
      if (state.status !== 'WAITING_RETRY') await driver.moves.fail(open, state, failure);
      return;
    }
    if (state.status === 'SUSPENDED')
      await driver.moves.endAttempt(open, state, { end: 'completed', output: firedOutput(open.tx.now()) });
  }
}

/** The step while it is at that attempt and has not ended. */
const attemptOf = (open: OpenRun, { stepId, attempt }: StepAttempt): StepState | undefined => {
  const state = open.step(stepId);
  return state === undefined || isStepOver(state) || state.attempt !== attempt ? undefined : state;
};

/** The failure of a turn that gave no answer. */
const turnEnd = ({ state, error }: TurnReport): StepEnd | undefined => {
  if (state === 'COMPLETED') return undefined;
  return state === 'STOPPED'
    ? failed('TURN_STOPPED', 'the turn of the agent was stopped')
    : failed('TURN_FAILED', error === '' ? 'the turn of the agent failed' : error);
};

const childEnd = ({ status, error, output }: Omit<ChildReport, 'parent' | 'childRunId'>): StepEnd => {
  if (status === 'COMPLETED') return { end: 'completed', output };
  return status === 'FAILED'
    ? failed('CHILD_FAILED', error)
    : failed('CHILD_CANCELLED', error === '' ? 'the child run was cancelled' : error, { isFinal: true });
};
