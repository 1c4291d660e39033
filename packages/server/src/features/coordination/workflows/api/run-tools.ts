import { isUuid, notFound, textOrEmpty } from '../../../../base/index.ts';
import type { AppendAudit } from '../../../../controllers/contract.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import { type JsonData, parseJsonMap } from '../../../../resources/index.ts';
import { parseBody } from '../../../../runtime/contract.ts';
import { everyResource, type ReadTx, type Store, type WriteTx } from '../../../../store/contracts/index.ts';
import { jsonResult, numberOf, toolOrigin } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext } from '../../../../tools/contract.ts';
import { isRunOver, runOf, runWaitKey, VALUE } from '../record/index.ts';
import type { RunStarts } from '../runs/index.ts';
import { labelledAttempt } from '../steps/index.ts';

export interface RunToolsDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly starts: RunStarts;
  readonly audit: AppendAudit;
}

const CAPABILITY = 'workflows';
const MICROS = 1_000_000;
/** The longest that a call waits for a run, seconds. */
const WAIT_MAX = 86_400;
const NAME = { type: 'string', minLength: 1, maxLength: 253 } as const;

/** list_workflows, run_workflow and get_workflow_run: an agent uses the workflows of its own namespace. */
export const runTools = (deps: RunToolsDeps): readonly Tool[] => [listTool(deps), runTool(deps), getTool(deps)];

const listTool = ({ store }: RunToolsDeps): Tool => ({
  name: 'list_workflows',
  description: 'Lists the workflows of this workspace with what they do and the schema of their input.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'inspect' },
  run: ({ namespace }) =>
    store.read(async (tx) => {
      const found = await everyResource(tx.resources, { kind: 'Workflow', scope: { type: 'namespace', namespace } });
      return jsonResult(
        found.map(({ key, spec }) => {
          const { description = '', inputSchemaJson = '' } = parseJsonMap(spec) ?? {};
          const schema =
            inputSchemaJson === '' ? {} : { input_schema: JSON.parse(String(inputSchemaJson)) as JsonData };
          return { name: key.name, description, ...schema };
        }),
      );
    }),
});

const runTool = (deps: RunToolsDeps): Tool => ({
  name: 'run_workflow',
  description: 'Begins a run of a workflow. With wait_seconds waits until it ends or asks a person, at most that long.',
  inputSchema: {
    type: 'object',
    properties: {
      name: NAME,
      input: { description: 'what the workflow is begun with; default {}' },
      wait_seconds: { type: 'integer', minimum: 0, maximum: WAIT_MAX, default: 0 },
    },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'write',
  capability: { name: CAPABILITY, action: 'run' },
  run: async (context, input) => {
    const seconds = numberOf(input['wait_seconds'], 0);
    const key = context.idempotencyKey;
    const id = await deps.store.write((tx) => oncePerCall(tx, key, () => begin(deps, tx, { context, input, seconds })));
    const shown = await deps.store.read((tx) => showRun(tx, context.namespace, id));
    const { waited, nowMicros } = context;
    const rests = shown.status === 'SUSPENDED' || isRunOver(shown);
    const isLate = waited !== undefined && (waited.endedBy === 'steering' || nowMicros >= waited.untilMicros);
    if (seconds === 0 || rests || isLate) return jsonResult(shown);
    const untilMicros = waited?.untilMicros ?? nowMicros + seconds * MICROS;
    return { wait: 'event', key: runWaitKey(id), untilMicros };
  },
});

const getTool = ({ store }: RunToolsDeps): Tool => ({
  name: 'get_workflow_run',
  description: 'Reads a run of a workflow: its status, and its output or error.',
  inputSchema: { type: 'object', properties: { run_id: NAME }, required: ['run_id'], additionalProperties: false },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'inspect' },
  run: ({ namespace }, input) =>
    store.read(async (tx) => jsonResult(await showRun(tx, namespace, textOrEmpty(input['run_id'])))),
});

/** A run that a turn or a tool of a workflow begins is one deeper than that workflow's own, so that runs cannot begin each other for ever. */
const begin = async (
  { starts, audit }: RunToolsDeps,
  tx: WriteTx,
  call: { readonly context: ToolContext; readonly input: Readonly<Record<string, unknown>>; readonly seconds: number },
): Promise<string> => {
  const { context, input, seconds } = call;
  const { namespace, identity, turnId } = context;
  const run = await starts.start(tx, {
    namespace,
    workflow: textOrEmpty(input['name']),
    input: (input['input'] ?? {}) as JsonData,
    labels: {},
    identity,
    depth: (await depthOf(tx, turnId)) + 1,
    ...(seconds > 0 ? { waitingTurn: turnId } : {}),
  });
  const target = `Workflow/${namespace}/${run.workflow}/runs/${run.id}`;
  await audit(tx, toolOrigin(context, 'run_workflow'), { target, namespace, resourceVersion: '', outcome: 'created' });
  return run.id;
};

/** Depth of the run that began the turn, or that makes the call itself and is named in place of a turn; 0 for other turns. */
const depthOf = async (tx: WriteTx, turnId: string): Promise<number> => {
  const turn = await tx.log.turn(turnId);
  const runId = turn === undefined ? turnId : labelledAttempt(parseBody(turn).cause.labels)?.runId;
  const row = runId === undefined ? undefined : await tx.workflowRuns.get({ id: runId });
  return row === undefined ? 0 : runOf(row).depth;
};

const showRun = async (tx: Pick<ReadTx, 'workflowRuns' | 'workflowValues'>, namespace: string, id: string) => {
  const row = isUuid(id) ? await tx.workflowRuns.get({ id }) : undefined;
  if (row?.namespace !== namespace) throw notFound('Run', { ns: namespace, run_id: id });
  const { workflow, status, error } = runOf(row);
  const output = await tx.workflowValues.get({ runId: id, name: VALUE.output });
  return {
    run_id: id,
    workflow,
    status,
    ...(output === undefined ? {} : { output: JSON.parse(output.value) as JsonData }),
    ...(error === '' ? {} : { error }),
  };
};
