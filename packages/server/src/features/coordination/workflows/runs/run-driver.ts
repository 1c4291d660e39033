import type { WorkflowStep } from '@svc/api/resources';
import { type Ids, isFault } from '../../../../base/index.ts';
import type { NamespaceFacts } from '../../../../controllers/contract.ts';
import type { JsonData } from '../../../../resources/index.ts';
import type { Bus, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { parsedJson } from '../json-schema.ts';
import { armTimer, isRunOver, OpenRun, queueItem, RUN_ADVANCE, type StepState, VALUE } from '../record/index.ts';
import { stepSeconds } from '../step-rules.ts';
import { type BeginningStep, failed, type StepBegin, type StepType } from '../steps/index.ts';
import {
  holds,
  PredicateTypeError,
  RenderingRoom,
  renderJson,
  renderPrompt,
  type SchemaCheck,
  schemaProblem,
} from '../values/index.ts';
import { stepsReadBy, stepsReadByJson } from '../workflow-rules.ts';
import { failureOf, type RunMoves } from './run-moves.ts';
import { liveRunStatus, readySteps } from './run-state-rules.ts';

const MICROS = 1_000_000;
/** Steps that begin in one transaction; those left begin in the next. */
const BEGINS_MAX = 50;
/** How soon a run of a deleted namespace is asked about again. */
const PAUSED_MS = 15_000;

export interface RunDriverDeps {
  readonly store: Pick<Store, 'write'>;
  readonly bus: Pick<Bus, 'publish'>;
  readonly ids: Ids;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly moves: RunMoves;
  readonly types: Readonly<Record<string, StepType>>;
  readonly check: SchemaCheck;
  /** `limits.runInputMax`: bytes of values in the input and prompt of a step. */
  readonly inputBytes: number;
  /** `limits.stepOutputMax`: bytes of values in the output of a run. */
  readonly outputBytes: number;
}

/** What happens to a run before it is advanced. */
export type RunChange = (open: OpenRun) => Promise<void>;

/** Changes runs, each time one transaction that holds the run and then begins whatever may begin. */
export class RunDriver {
  readonly #deps: RunDriverDeps;

  constructor(deps: RunDriverDeps) {
    this.#deps = deps;
  }

  get moves(): RunMoves {
    return this.#deps.moves;
  }

  /**
   * Applies a change and advances the run; nothing where the run is gone or has ended. Answers when to try again while its namespace is
   * deleted: runs rest then.
   */
  move(runId: string, reason: string, change: RunChange = nothing): Promise<{ readonly againMs: number } | undefined> {
    return this.#deps.store.write((tx) => this.#moveIn(tx, runId, { reason, change }));
  }

  async #moveIn(
    tx: WriteTx,
    runId: string,
    { reason, change }: { readonly reason: string; readonly change: RunChange },
  ): Promise<{ readonly againMs: number } | undefined> {
    const open = await this.find(tx, runId);
    if (open === undefined || isRunOver(open.run)) return undefined;
    const paused = await this.pause(tx, open.run);
    if (paused !== undefined) return paused;
    open.run.lastReason = reason;
    open.run.advances += 1;
    await change(open);
    if (!isRunOver(open.run)) await this.#advance(open);
    await open.save();
    return undefined;
  }

  /** When to ask again about a run that rests because its namespace is deleted; undefined while it may move. */
  async pause(
    tx: WriteTx,
    { namespace }: { readonly namespace: string },
  ): Promise<{ readonly againMs: number } | undefined> {
    try {
      await this.#deps.namespaces.requireLive(tx, namespace);
      return undefined;
    } catch (error) {
      if (isFault(error) && error.code === 'FAILED_PRECONDITION') return { againMs: PAUSED_MS };
      throw error;
    }
  }

  /** Cancels a run in the transaction, with all that it began; nothing where it is gone or has ended. Also in deleted namespaces. */
  async cancel(tx: WriteTx, runId: string, reason: string): Promise<void> {
    const open = await this.find(tx, runId);
    if (open === undefined || isRunOver(open.run)) return;
    await this.moves.cancel(open, reason);
    await open.save();
  }

  /** The run, held by the transaction. */
  find(tx: WriteTx, runId: string): Promise<OpenRun | undefined> {
    return OpenRun.find(tx, this.#deps.bus, runId);
  }

  async #advance(open: OpenRun): Promise<void> {
    const { run } = open;
    if (run.status === 'QUEUED') await open.event({ type: 'run_started' });
    const before = run.status;
    run.status = 'RUNNING';
    const isMore = await this.#beginReady(open);
    if (isRunOver(run)) return;
    if (isMore) await queueItem(open.tx, this.#deps.bus, { kind: RUN_ADVANCE, key: run.id });
    else if (open.live.length === 0) return this.#finish(open);
    run.status = isMore ? 'RUNNING' : liveRunStatus(open.live.map(({ status }) => status));
    if (run.status === 'SUSPENDED' && before !== 'SUSPENDED') {
      const stepIds = open.live.filter(({ status }) => status === 'SUSPENDED').map(({ stepId }) => stepId);
      await open.event({ type: 'run_suspended', payload: { stepIds } });
      await this.moves.wake(open);
    }
  }

  /** Begins what may begin, in declared order, until nothing more may. True when steps are left for the next transaction. */
  async #beginReady(open: OpenRun): Promise<boolean> {
    for (let begun = 0; ; ) {
      const statuses = new Map(open.steps.map(({ stepId, status }) => [stepId, status]));
      const before = begun;
      for (const step of readySteps(open.spec.steps, statuses)) {
        if (begun >= BEGINS_MAX) return true;
        if (await this.#tryBegin(open, step)) begun += 1;
        if (isRunOver(open.run)) return false;
      }
      if (begun === before) return false;
    }
  }

  /** Begins a ready step, or skips it; false where it waits for others to end. */
  async #tryBegin(open: OpenRun, step: WorkflowStep): Promise<boolean> {
    const { run, spec } = open;
    const isAdmitted = run.admitted.includes(step.id) || (await this.#admit(open, step));
    if (!isAdmitted) return true;
    if (spec.concurrency > 0 && open.live.length >= spec.concurrency) return false;
    await this.beginAttempt(open, step);
    return true;
  }

  /** Evaluates the condition of a step, once: it waits for its turn from then on, or is skipped. */
  async #admit(open: OpenRun, step: WorkflowStep): Promise<boolean> {
    const predicate = step.whenJson === '' ? undefined : parsedJson(step.whenJson)?.json;
    try {
      const isWanted = predicate === undefined || holds(predicate, await open.scope(stepsReadBy(step)));
      if (isWanted) {
        open.run.admitted = [...open.run.admitted, step.id];
        return true;
      }
      open.change(this.#newStep(open, step.id), { status: 'SKIPPED' });
      await open.event({ type: 'step_skipped', stepId: step.id });
    } catch (error) {
      if (!(error instanceof PredicateTypeError)) throw error;
      const failure = { code: 'PREDICATE_TYPE', message: error.message, isFinal: true } as const;
      await this.moves.fail(open, open.change(this.#newStep(open, step.id)), failure);
    }
    return false;
  }

  /** Begins the first or a further attempt of a step, whatever comes of it. */
  async beginAttempt(open: OpenRun, step: WorkflowStep): Promise<void> {
    const { run, tx } = open;
    run.admitted = run.admitted.filter((id) => id !== step.id);
    const known = open.step(step.id) ?? this.#newStep(open, step.id);
    const attempt = known.attempt + 1;
    const fresh = {
      attempt,
      status: 'STARTING',
      error: '',
      childSessionId: '',
      childTurnId: '',
      childRunId: '',
    } as const;
    const state = open.change(known, { ...fresh, prompt: '', nextRetryAt: undefined, timeoutAt: undefined });
    await open.event({ type: 'step_started', stepId: step.id, payload: { attempt } });
    const begun = await this.#begin(open, step, state);
    if (begun.end !== 'later') return this.moves.endAttempt(open, state, begun);
    open.change(state, { ...begun.facts, status: begun.status });
    const seconds = step.timeout === '' ? undefined : stepSeconds(step.timeout);
    if (seconds === undefined) return;
    open.change(state, { timeoutAt: tx.now() + seconds * MICROS });
    const dueAt = tx.steadyNow() + seconds * MICROS;
    await armTimer(tx, { runId: run.id, stepId: step.id, attempt, purpose: 'timeout', dueAt });
  }

  async #beginning(open: OpenRun, step: WorkflowStep, state: StepState): Promise<BeginningStep> {
    const scope = await open.scope(stepsReadBy(step));
    const written = step.inputJson === '' ? undefined : parsedJson(step.inputJson)?.json;
    const room = new RenderingRoom(this.#deps.inputBytes, 'limits.runInputMax');
    const input = written === undefined ? undefined : renderJson(written, scope, room);
    if (input !== undefined) await open.setValue(VALUE.stepInput(step.id), input);
    return { open, step, state, input, prompt: renderPrompt(step.prompt, scope, room) };
  }

  /** Renders what the attempt needs and begins it; a Fault of either is its failure. */
  async #begin(open: OpenRun, step: WorkflowStep, state: StepState): Promise<StepBegin> {
    const type = this.#deps.types[step.type] as StepType;
    try {
      const beginning = await this.#beginning(open, step, state);
      if (step.prompt !== '' && beginning.prompt.trim() === '')
        return failed('PROMPT_EMPTY', 'the prompt is blank once it is rendered');
      return await open.tx.savepoint(() => type.begin(beginning));
    } catch (error) {
      return { end: 'failed', failure: failureOf(error) };
    }
  }

  #newStep({ tx }: OpenRun, stepId: string): StepState {
    const at = tx.now();
    const none = { error: '', childSessionId: '', childTurnId: '', childRunId: '', prompt: '' };
    return { stepId, status: 'STARTING', id: this.#deps.ids.next(), createdAt: at, updatedAt: at, attempt: 0, ...none };
  }

  /** Every step has ended well: the run completes with its output, or fails for it. */
  async #finish(open: OpenRun): Promise<void> {
    const { spec } = open;
    const written = spec.outputJson === '' ? {} : (parsedJson(spec.outputJson)?.json ?? {});
    const scope = await open.scope(stepsReadByJson(spec.outputJson));
    let output: JsonData;
    try {
      output = renderJson(written, scope, new RenderingRoom(this.#deps.outputBytes, 'limits.stepOutputMax'));
    } catch (error) {
      return this.moves.failRun(open, `OUTPUT: ${failureOf(error).message}`);
    }
    const problem = schemaProblem(this.#deps.check, spec.outputSchemaJson, output);
    if (problem !== '') return this.moves.failRun(open, `OUTPUT: the output does not fit its schema: ${problem}`);
    return this.moves.complete(open, output);
  }
}

const nothing: RunChange = async () => undefined;
