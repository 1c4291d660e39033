import { create } from '@bufbuild/protobuf';
import {
  type CancelRunRequest,
  type CreateRunRequest,
  CreateRunRequestSchema,
  type GetRunRequest,
  type ListRunsRequest,
  type ListRunsResponse,
  ListRunsResponseSchema,
  type ResumeRunRequest,
  type RunResponse,
  RunResponseSchema,
} from '@svc/api/gateway';
import { type WorkflowSpec, WorkflowSpecSchema } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { decodePageToken, encodePageToken, Fault, invalidField, oversize, pageSize } from '../../../../base/index.ts';
import type { AppendAudit } from '../../../../controllers/contract.ts';
import { messageForm, type RepeatableForm, repeatableCall, writeOnce } from '../../../../idempotency/index.ts';
import {
  checkLabels,
  checkSystemKeys,
  type JsonData,
  type LabelLimits,
  matchesLabels,
  messageFromText,
  parseLabelSelector,
  refusal,
} from '../../../../resources/index.ts';
import type { Bus, ReadTx, Store, WorkflowRunRow, WriteTx } from '../../../../store/contracts/index.ts';
import { parsedJson } from '../json-schema.ts';
import { isRunOver, type OpenRun, queueItem, RUN_ADVANCE, RUN_STATUSES, runOf, VALUE } from '../record/index.ts';
import type { RunDriver, RunStarts } from '../runs/index.ts';
import { type SchemaCheck, schemaProblem } from '../values/index.ts';
import { EVERY_WORKFLOW, findRun, findWorkflow, type RunAddress } from './run-access.ts';
import { type RunTexts, runForm, stepForm } from './run-form.ts';
import { awaitRun, type RunWaitDeps } from './run-wait.ts';

export interface RunServiceDeps extends RunWaitDeps {
  readonly store: Store;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly driver: RunDriver;
  readonly starts: RunStarts;
  readonly check: SchemaCheck;
  readonly audit: AppendAudit;
  readonly limits: {
    readonly labels: LabelLimits;
    /** `limits.responseBytes`. */
    readonly responseBytes: number;
    /** `limits.stepOutputMax`. */
    readonly outputBytes: number;
    readonly idempotencyHours: number;
    /** `deadlines.waitSeconds`. */
    readonly waitSeconds: number;
  };
}

/** Steps and values of a run that are read at once. */
const ROWS_MAX = 100_000;
/** Runs that a list reads at once, and those that it reads for one page. */
const SCAN = 200;
const SCANNED_MAX = 2_000;

/** CreateRun, GetRun, ListRuns, ResumeRun and CancelRun. */
export class RunService {
  readonly #deps: RunServiceDeps;
  readonly #created: RepeatableForm<typeof CreateRunRequestSchema, RunResponse>;

  constructor(deps: RunServiceDeps) {
    this.#deps = deps;
    const answer = messageForm(RunResponseSchema);
    this.#created = { request: CreateRunRequestSchema, answer, hours: deps.limits.idempotencyHours };
  }

  async create(request: CreateRunRequest, call: CallContext): Promise<RunResponse> {
    const { ns, workflow, labels, waitSeconds = 0 } = request;
    const input = jsonField(request.inputJson, {}, { field: 'inputJson', reason: 'INPUT_JSON' });
    const violations = [
      ...checkLabels(labels, 'labels', this.#deps.limits.labels),
      ...checkSystemKeys({}, labels, 'labels'),
    ];
    if (violations.length > 0) throw refusal(violations);
    const repeatable = repeatableCall(call, this.#created, request);
    const created = await writeOnce(this.#deps.store, repeatable, async (tx) => {
      const identity = call.caller.identity;
      const run = await this.#deps.starts.start(tx, { namespace: ns, workflow, input, labels, identity });
      await this.#audit({ tx, run }, call, 'created');
      return this.#answer(tx, run.id);
    });
    const runId = created.run?.id ?? '';
    const waitMs = Math.min(waitSeconds, this.#deps.limits.waitSeconds) * 1_000;
    if (waitMs === 0) return created;
    await awaitRun(this.#deps, runId, { waitMs, signal: call.signal });
    return this.get({ ns, workflow, runId });
  }

  get(address: RunAddress | GetRunRequest): Promise<RunResponse> {
    return this.#deps.store.read(async (tx) => this.#answer(tx, (await findRun(tx, address)).id));
  }

  /** Newest first; `-` as the workflow lists all runs of the namespace. A page ends early where few of many runs are wanted. */
  async list(request: ListRunsRequest): Promise<ListRunsResponse> {
    const { ns, workflow, status, labelSelector } = request;
    if (status !== '' && !RUN_STATUSES.some((known) => known === status))
      throw invalidField('status', `must be one of ${RUN_STATUSES.join(', ')}`);
    const size = pageSize(request.pageSize);
    const labels = parseLabelSelector(labelSelector);
    const asked = ['WorkflowRun', ns, workflow, status, labelSelector];
    const [place] = decodePageToken(request.pageToken, asked) ?? [];
    return this.#deps.store.read(async (tx) => {
      const runs: NonNullable<RunResponse['run']>[] = [];
      const page = (nextPageToken = '') => create(ListRunsResponseSchema, { runs, nextPageToken });
      let after = place;
      let bytes = 0;
      let scanned = 0;
      for await (const row of this.#rows(tx, request, place)) {
        const isWanted = (status === '' || row.status === status) && matchesLabels(runOf(row).labels, labels);
        if (isWanted) {
          const texts = await textsOf(tx, row.id, LISTED);
          bytes += row.body.length + [...texts.values()].reduce((sum, text) => sum + text.length, 0);
          const isFull = runs.length === size || (runs.length > 0 && bytes > this.#deps.limits.responseBytes);
          if (isFull) return page(encodePageToken(asked, [after ?? '']));
          runs.push(runForm(row, texts));
        }
        after = row.id;
        scanned += 1;
        if (scanned === SCANNED_MAX) return page(encodePageToken(asked, [after]));
      }
      return page();
    });
  }

  async resume(request: ResumeRunRequest, call: CallContext): Promise<RunResponse> {
    const value = jsonField(request.resumeJson, null, { field: 'resumeJson', reason: 'RESUME_SCHEMA' });
    await this.#deps.store.write(async (tx) => {
      const open = await this.#find(tx, request);
      if (isRunOver(open.run)) throw finished(open);
      await this.#resume(open, request.stepId, value);
      await this.#audit(open, call, 'resumed');
    });
    return this.get(request);
  }

  async cancel(request: CancelRunRequest, call: CallContext): Promise<RunResponse> {
    await this.#deps.store.write(async (tx) => {
      const open = await this.#find(tx, request);
      if (open.run.status === 'CANCELLED') return;
      if (isRunOver(open.run)) throw finished(open);
      await this.#deps.driver.moves.cancel(open, request.reason);
      await open.save();
      await this.#audit(open, call, 'cancelled');
    });
    return this.get(request);
  }

  /** Ends the wait of a suspended step; throws STEP_NOT_SUSPENDED, TOO_LARGE, RESUME_SCHEMA: the step keeps waiting then. */
  async #resume(open: OpenRun, stepId: string, value: JsonData): Promise<void> {
    const { driver, check } = this.#deps;
    const { run, tx } = open;
    const state = open.step(stepId);
    const metadata = { run_id: run.id, step_id: stepId };
    if (state?.status !== 'SUSPENDED')
      throw new Fault('FAILED_PRECONDITION', 'STEP_NOT_SUSPENDED', 'the step does not wait for a person', { metadata });
    const { outputBytes } = this.#deps.limits;
    if (Buffer.byteLength(JSON.stringify(value)) > outputBytes)
      throw refusal([oversize('resumeJson', outputBytes, 'limits.stepOutputMax')]);
    const schema = open.spec.steps.find(({ id }) => id === stepId)?.resumeSchemaJson ?? '';
    const problem = schemaProblem(check, schema, value);
    if (problem !== '') throw invalidField('resumeJson', `does not fit the schema: ${problem}`, 'RESUME_SCHEMA');
    await open.setValue(VALUE.stepResume(stepId), value);
    run.status = 'RUNNING';
    run.lastReason = `step ${stepId} resumed`;
    await open.event({ type: 'run_resumed', stepId });
    await driver.moves.endAttempt(open, state, { end: 'completed', output: value });
    await open.save();
    if (!isRunOver(run)) await queueItem(tx, this.#deps.bus, { kind: RUN_ADVANCE, key: run.id });
  }

  async #find(tx: WriteTx, address: RunAddress): Promise<OpenRun> {
    const { id } = await findRun(tx, address);
    const open = await this.#deps.driver.find(tx, id);
    if (open === undefined) throw new Fault('ABORTED', 'CONFLICT', 'the run was removed meanwhile');
    return open;
  }

  #audit({ tx, run }: Pick<OpenRun, 'tx' | 'run'>, call: CallContext, outcome: string): Promise<void> {
    const { id, namespace, workflow } = run;
    const target = `Workflow/${namespace}/${workflow}/runs/${id}`;
    return this.#deps.audit(tx, call, { target, namespace, resourceVersion: '', outcome });
  }

  /** The run with its steps in the order in which they began. */
  async #answer(
    tx: Pick<ReadTx, 'workflowRuns' | 'workflowSteps' | 'workflowValues'>,
    id: string,
  ): Promise<RunResponse> {
    const row = await tx.workflowRuns.get({ id });
    const rows = await tx.workflowSteps.page('ofRun', { runId: id }, { limit: ROWS_MAX });
    const values = await tx.workflowValues.page('ofRun', { runId: id }, { limit: ROWS_MAX });
    const texts: RunTexts = new Map(values.map(({ name, value }) => [name, value]));
    const { steps } = messageFromText(WorkflowSpecSchema, texts.get(VALUE.spec) ?? '{}') as WorkflowSpec;
    const waits = steps.filter(({ type }) => type === 'pause' || type === 'wait');
    const schemas = new Map(waits.map((step) => [step.id, step.resumeSchemaJson]));
    const forms = rows.map((step) => stepForm(step, texts, schemas));
    forms.sort((left, right) => Number(left.createdAt - right.createdAt) || (left.id < right.id ? -1 : 1));
    return create(RunResponseSchema, { ...(row === undefined ? {} : { run: runForm(row, texts) }), steps: forms });
  }

  async *#rows(
    tx: ReadTx,
    request: ListRunsRequest,
    place: string | undefined,
  ): AsyncGenerator<WorkflowRunRow, void, undefined> {
    const { ns: namespace, workflow, status } = request;
    const uid = workflow === EVERY_WORKFLOW ? '' : (await findWorkflow(tx, request)).uid;
    const read = (id: string | undefined) => {
      const page = { limit: SCAN, ...(id === undefined ? {} : { after: { id } }) };
      if (uid !== '') return tx.workflowRuns.page('ofWorkflow', { workflowUid: uid }, page);
      return status === ''
        ? tx.workflowRuns.page('ofNamespace', { namespace }, page)
        : tx.workflowRuns.page('ofStatus', { namespace, status }, page);
    };
    for (let after = place; ; ) {
      const rows = await read(after);
      yield* rows;
      after = rows.at(-1)?.id;
      if (rows.length < SCAN) return;
    }
  }
}

/** Values that lists of runs show. */
const LISTED = [VALUE.input, VALUE.output, VALUE.spec];

const textsOf = async (tx: ReadTx, runId: string, names: readonly string[]): Promise<RunTexts> => {
  const texts = new Map<string, string>();
  for (const name of names) {
    const row = await tx.workflowValues.get({ runId, name });
    if (row !== undefined) texts.set(name, row.value);
  }
  return texts;
};

/** A field that holds JSON; `empty` is what an empty text stands for. */
const jsonField = (
  text: string,
  empty: JsonData,
  { field, reason }: { readonly field: string; readonly reason: string },
): JsonData => {
  if (text.trim() === '') return empty;
  const parsed = parsedJson(text);
  if (parsed === undefined) throw invalidField(field, 'must be JSON', reason);
  return parsed.json;
};

const finished = ({ run }: OpenRun): Fault =>
  new Fault('FAILED_PRECONDITION', 'RUN_FINISHED', `the run has ended: ${run.status}`, {
    metadata: { run_id: run.id, status: run.status },
  });
