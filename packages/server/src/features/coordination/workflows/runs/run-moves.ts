import { isFault } from '../../../../base/index.ts';
import { isPassing } from '../../../../controllers/contract.ts';
import type { JsonData } from '../../../../resources/index.ts';
import type { Bus, WriteTx } from '../../../../store/contracts/index.ts';
import {
  armTimer,
  CHILD_REPORT,
  CHILD_STOP,
  callKey,
  countRun,
  dropTimer,
  isStepOver,
  type NewRunEvent,
  type OpenRun,
  type ParentStep,
  queueItem,
  RUN_EXPIRY,
  RUN_WAKE,
  type RunState,
  type RunWake,
  type StepState,
  TOOL_CALL,
  VALUE,
} from '../record/index.ts';
import { isRetried, type StepEnd, type StepFailure } from '../steps/index.ts';
import { retryDelay } from './run-state-rules.ts';

const MICROS = 1_000_000;
/** Of an answer that was not accepted, in its event, characters. */
const TEXT_CHARS = 600;
/** The longest error that a run or a step keeps, characters. */
const ERROR_CHARS = 2_000;

/** An ended run, for those who began it: in the transaction that ends it, before its last event. */
export interface EndedRun {
  readonly run: Readonly<RunState>;
  /** Null unless the run completed. */
  readonly output: JsonData;
  /** Adds an event to the run. */
  readonly addEvent: (event: NewRunEvent) => Promise<void>;
}

/** Called in the transaction that ends a run; it holds the row of the run and of nothing else of workflows. */
export type RunEnded = (tx: WriteTx, ended: EndedRun) => Promise<void>;

/** What a child run reports to the step that began it. */
export interface ChildReport {
  readonly parent: ParentStep;
  readonly childRunId: string;
  readonly status: string;
  readonly error: string;
  readonly output: JsonData;
}

/** A child that is to be stopped: exactly one of both is set. */
export interface ChildStop {
  readonly sessionId: string;
  readonly runId: string;
}

export interface RunMovesDeps {
  readonly bus: Pick<Bus, 'publish'>;
  /** `limits.stepOutputMax`, bytes. */
  readonly outputBytes: number;
  /** `retention.runs` in micros; 0 = ended runs are kept. */
  readonly retentionMicros: number;
  readonly ended: () => readonly RunEnded[];
}

/** Ends and moves steps, and ends runs. What follows for other steps is decided afterwards, by advancing the run. */
export class RunMoves {
  readonly #deps: RunMovesDeps;

  constructor(deps: RunMovesDeps) {
    this.#deps = deps;
  }

  /** An attempt ended by itself. */
  async endAttempt(open: OpenRun, state: StepState, ended: StepEnd): Promise<void> {
    if (ended.end === 'failed') return this.fail(open, state, ended.failure);
    const { outputBytes } = this.#deps;
    const size = Buffer.byteLength(JSON.stringify(ended.output));
    if (size > outputBytes) {
      const message = `the output has ${size} bytes, more than ${outputBytes} (limits.stepOutputMax)`;
      return this.fail(open, state, { code: 'OUTPUT_TOO_LARGE', message });
    }
    await this.#settle(open, state);
    await open.setValue(VALUE.stepOutput(state.stepId), ended.output);
    open.change(state, { status: 'COMPLETED', error: '' });
    const payload = { attempt: state.attempt, ...(ended.isRepaired ? { outputRepair: true } : {}) };
    await open.event({ type: 'step_completed', stepId: state.stepId, payload });
  }

  /** An attempt failed: another one is set for later, or the run fails. */
  async fail(open: OpenRun, state: StepState, failure: StepFailure): Promise<void> {
    const { stepId, attempt } = state;
    const { code, message, text, isFinal = false } = failure;
    const error = `${code}: ${message}`.slice(0, ERROR_CHARS);
    const step = open.spec.steps.find(({ id }) => id === stepId);
    const delay = isFinal || !isRetried(step?.type ?? '') ? undefined : retryDelay(step?.retry, attempt);
    await this.#settle(open, state);
    await this.#stopChild(open, state);
    const facts = { attempt, code, ...(text === undefined ? {} : { text: text.slice(0, TEXT_CHARS) }) };
    if (delay === undefined) {
      open.change(state, { status: 'FAILED', error });
      await open.event({ type: 'step_failed', stepId, message: error, payload: facts });
      return this.failRun(open, `step ${stepId}: ${error}`);
    }
    const { tx, run } = open;
    const micros = Math.round(delay * MICROS);
    const nextRetryAt = tx.now() + micros;
    open.change(state, { status: 'WAITING_RETRY', error, nextRetryAt });
    const dueAt = tx.steadyNow() + micros;
    await armTimer(tx, { runId: run.id, stepId, attempt, purpose: 'retry', dueAt });
    await open.event({ type: 'step_retry_scheduled', stepId, message: error, payload: { ...facts, nextRetryAt } });
  }

  /** The run ends with an output. */
  async complete(open: OpenRun, output: JsonData): Promise<void> {
    await open.setValue(VALUE.output, output);
    await this.#end(open, { status: 'COMPLETED', output }, { type: 'run_completed' });
  }

  async failRun(open: OpenRun, error: string): Promise<void> {
    const message = error.slice(0, ERROR_CHARS);
    open.run.error = message;
    await this.#cancelSteps(open);
    await this.#end(open, { status: 'FAILED', output: null }, { type: 'run_failed', message });
  }

  /** Ends the run from outside, with all that it began. */
  async cancel(open: OpenRun, reason: string): Promise<void> {
    const message = reason.slice(0, ERROR_CHARS);
    open.run.error = message;
    await this.#cancelSteps(open);
    await this.#end(open, { status: 'CANCELLED', output: null }, { type: 'run_cancelled', message });
  }

  async #cancelSteps(open: OpenRun): Promise<void> {
    for (const state of open.live) {
      await this.#settle(open, state);
      await this.#stopChild(open, state);
      open.change(state, { status: 'CANCELLED' });
      await open.event({ type: 'step_cancelled', stepId: state.stepId });
    }
  }

  async #end(
    open: OpenRun,
    { status, output }: { readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED'; readonly output: JsonData },
    event: NewRunEvent,
  ): Promise<void> {
    const { tx, run } = open;
    const { bus, retentionMicros, ended } = this.#deps;
    run.status = status;
    run.admitted = [];
    for (const hook of ended()) await hook(tx, { run, output, addEvent: (added) => open.event(added) });
    await open.event(event);
    await countRun(tx, run, -1);
    if (run.parent !== undefined) {
      const report: ChildReport = { parent: run.parent, childRunId: run.id, status, error: run.error, output };
      await queueItem(tx, bus, { kind: CHILD_REPORT, key: run.id, payload: report });
    }
    await this.wake(open);
    if (retentionMicros > 0)
      await queueItem(tx, bus, { kind: RUN_EXPIRY, key: run.id, dueAt: tx.now() + retentionMicros });
  }

  /** The run has ended or is suspended: a call that waits for it continues. */
  async wake({ tx, run }: OpenRun): Promise<void> {
    const { waitingTurn: turnId = '' } = run;
    const wake: RunWake = { turnId };
    if (turnId !== '') await queueItem(tx, this.#deps.bus, { kind: RUN_WAKE, key: run.id, payload: wake });
  }

  /** Nothing is left that could move the attempt. */
  async #settle({ tx, run }: OpenRun, state: StepState): Promise<void> {
    const step = { runId: run.id, stepId: state.stepId, attempt: state.attempt };
    if (state.nextRetryAt !== undefined) await dropTimer(tx, step, 'retry');
    if (state.timeoutAt !== undefined) await dropTimer(tx, step, 'timeout');
    if (state.waitUntilAt !== undefined) await dropTimer(tx, step, 'wait');
    if (state.status === 'STARTING') await tx.queue.cancel(TOOL_CALL, callKey(step));
    delete state.call;
    delete state.nextRetryAt;
  }

  /** Through the queue, so that it happens whatever becomes of this process, and no lock of a child is waited for here. */
  async #stopChild({ tx }: OpenRun, state: StepState): Promise<void> {
    const { status, childSessionId, childRunId } = state;
    if (isStepOver(state)) return;
    const stop: ChildStop | undefined =
      status === 'WAITING_CHILD_SESSION'
        ? { sessionId: childSessionId, runId: '' }
        : status === 'WAITING_CHILD_WORKFLOW'
          ? { sessionId: '', runId: childRunId }
          : undefined;
    if (stop === undefined) return;
    const key = stop.sessionId === '' ? stop.runId : stop.sessionId;
    await queueItem(tx, this.#deps.bus, { kind: CHILD_STOP, key, payload: stop });
  }
}

/** The failure that a Fault is; rethrows what may succeed when the same is done again. */
export const failureOf = (error: unknown): StepFailure => {
  if (!isFault(error) || isPassing(error)) throw error;
  return { code: error.violations[0]?.reason ?? error.reason, message: error.message };
};
