import { type WorkflowSpec, WorkflowSpecSchema } from '@svc/api/resources';
import { parseJsonText } from '../../../../base/index.ts';
import { type JsonData, messageFromText } from '../../../../resources/index.ts';
import type { Bus, WriteTx } from '../../../../store/contracts/index.ts';
import type { Scope } from '../values/index.ts';
import { addEvent, type NewRunEvent } from './run-events.ts';
import { isStepOver, type RunState, rowOfRun, rowOfStep, runOf, type StepState, stepOf } from './run-rows.ts';

/** Steps that are read at once. */
const PAGE = 10_000;

/** Names of the values of a run. */
export const VALUE = {
  spec: 'spec',
  input: 'input',
  output: 'output',
  stepInput: (stepId: string): string => `in:${stepId}`,
  stepOutput: (stepId: string): string => `out:${stepId}`,
  stepResume: (stepId: string): string => `resume:${stepId}`,
} as const;

/** What a suspended step shows: its prompt, and the schema of the value that ends it. */
export const suspendValue = ({ prompt }: StepState, resumeSchemaJson: string): JsonData =>
  resumeSchemaJson === '' ? { prompt } : { prompt, schema: parseJsonText(resumeSchemaJson) as JsonData };

/**
 * A run in one write transaction, which holds its row: no other transaction moves the run meanwhile. Changes of run and steps are written by
 * `save`; values and events at once.
 */
export class OpenRun {
  readonly tx: WriteTx;
  readonly run: RunState;
  readonly spec: WorkflowSpec;
  readonly #bus: Pick<Bus, 'publish'>;
  readonly #steps: Map<string, StepState>;
  readonly #changed = new Set<StepState>();
  readonly #values = new Map<string, JsonData | undefined>();

  private constructor(
    parts: { readonly tx: WriteTx; readonly bus: Pick<Bus, 'publish'> },
    stored: { readonly run: RunState; readonly spec: WorkflowSpec; readonly steps: readonly StepState[] },
  ) {
    this.tx = parts.tx;
    this.#bus = parts.bus;
    this.run = stored.run;
    this.spec = stored.spec;
    this.#steps = new Map(stored.steps.map((step) => [step.stepId, step]));
  }

  /** Undefined where there is no such run. */
  static async find(tx: WriteTx, bus: Pick<Bus, 'publish'>, runId: string): Promise<OpenRun | undefined> {
    const row = await tx.workflowRuns.get({ id: runId });
    if (row === undefined) return undefined;
    const spec = await tx.workflowValues.get({ runId, name: VALUE.spec });
    const steps = await tx.workflowSteps.page('ofRun', { runId }, { limit: PAGE });
    return new OpenRun(
      { tx, bus },
      {
        run: runOf(row),
        spec: messageFromText(WorkflowSpecSchema, spec?.value ?? '{}') as WorkflowSpec,
        steps: steps.map(stepOf),
      },
    );
  }

  /** Steps that began or were skipped. */
  get steps(): readonly StepState[] {
    return [...this.#steps.values()];
  }

  /** Steps that began and have not ended. */
  get live(): readonly StepState[] {
    return this.steps.filter((step) => !isStepOver(step));
  }

  step(stepId: string): StepState | undefined {
    return this.#steps.get(stepId);
  }

  /** Changes a step, or adds one that began. */
  change(step: StepState, change: Partial<StepState> = {}): StepState {
    Object.assign(step, change, { updatedAt: this.tx.now() });
    this.#steps.set(step.stepId, step);
    this.#changed.add(step);
    return step;
  }

  /** The value of that name; undefined where none was stored. */
  async value(name: string): Promise<JsonData | undefined> {
    if (!this.#values.has(name)) {
      const row = await this.tx.workflowValues.get({ runId: this.run.id, name });
      this.#values.set(name, row === undefined ? undefined : (parseJsonText(row.value) as JsonData));
    }
    return this.#values.get(name);
  }

  async setValue(name: string, value: JsonData): Promise<void> {
    this.#values.set(name, value);
    await this.tx.workflowValues.put({ runId: this.run.id, name, value: JSON.stringify(value) });
  }

  event(event: NewRunEvent): Promise<void> {
    return addEvent(this.#bus, this, event);
  }

  /** What expressions may read, with the results of these steps. */
  async scope(stepIds: Iterable<string>): Promise<Scope> {
    const steps: Record<string, JsonData> = {};
    for (const id of stepIds) {
      const step = this.#steps.get(id);
      if (step !== undefined) steps[id] = await this.#shown(step);
    }
    const { id, workflow, namespace, status } = this.run;
    const input = (await this.value(VALUE.input)) ?? {};
    return { input, state: {}, steps, run: { id, workflow, namespace, status } };
  }

  async #shown(step: StepState): Promise<JsonData> {
    const { status, error, attempt, stepId } = step;
    const output = await this.value(VALUE.stepOutput(stepId));
    const resume = await this.value(VALUE.stepResume(stepId));
    const defined = this.spec.steps.find(({ id }) => id === stepId);
    const waits = defined?.type === 'pause' || defined?.type === 'wait';
    return {
      status,
      attempt,
      ...(output === undefined ? {} : { output }),
      ...(resume === undefined ? {} : { resume }),
      ...(waits ? { suspend: suspendValue(step, defined.resumeSchemaJson) } : {}),
      ...(error === '' ? {} : { error }),
    };
  }

  /** Writes what changed. The last thing that a transaction does with the run. */
  async save(): Promise<void> {
    for (const step of this.#changed) await this.tx.workflowSteps.put(rowOfStep(this.run.id, step));
    this.#changed.clear();
    this.run.updatedAt = this.tx.now();
    await this.tx.workflowRuns.put(rowOfRun(this.run));
  }
}
