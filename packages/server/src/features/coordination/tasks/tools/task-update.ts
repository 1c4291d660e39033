import { create } from '@bufbuild/protobuf';
import { FileObjectRefSchema, TaskPhase } from '@svc/api/resources';
import { Fault, textOrEmpty } from '../../../../base/index.ts';
import { earlierAnswer, oncePerCall } from '../../../../idempotency/index.ts';
import { formatKey } from '../../../../resources/index.ts';
import { lineageBelow, parseBody } from '../../../../runtime/contract.ts';
import type { ReadTx, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { jsonResult, toolOrigin } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext } from '../../../../tools/contract.ts';
import { originOf, TASK_LABEL, taskOfTurn } from '../task-origin.ts';
import { canMoveTask, type TaskActor } from '../task-rules.ts';
import { type TaskChange, taskSpec, taskStatus } from '../task-status.ts';
import { PHASE_NAMES, shownTask, storedTask, TASK_NAME } from './task-reads.ts';
import type { TaskToolsDeps } from './task-tools-deps.ts';

const NAME = 'update_task';
const SUMMARY_MAX = 16_384;
const OUTPUTS_MAX = 20;

/** update_task: the delegate reports, the owner reviews, sends further work or ends the task. */
export const updateTask = (deps: TaskToolsDeps): Tool => ({
  name: NAME,
  description:
    'Changes a task. The agent that works on it reports BLOCKED, NEEDS_REVIEW or FAILED; its owner ends it with SUCCEEDED, FAILED or CANCELED, or sends it back with RUNNING and what is left to do as progress_summary.',
  inputSchema: {
    type: 'object',
    properties: {
      name: TASK_NAME,
      phase: { type: 'string', enum: PHASE_NAMES },
      progress_summary: { type: 'string', maxLength: SUMMARY_MAX },
      output_artifact_uris: {
        type: 'array',
        items: { type: 'string' },
        maxItems: OUTPUTS_MAX,
        description: 'artifacts of this conversation that are the result; its owner may read them',
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'tasks', action: 'update' },
  run: async (context, input) => {
    // A run after the report may find that its owner has sent the task back to another turn.
    const known = await earlierAnswer(deps.store, context.idempotencyKey);
    if (known !== undefined) return jsonResult(known);
    const outputs = await outputsOf(deps, context, input);
    return deps.store.write(async (tx) => {
      const done = await oncePerCall(tx, context.idempotencyKey, async () => {
        const name = textOrEmpty(input['name']);
        const record = await storedTask(tx, await namespaceOfTask(tx, context, name), name);
        return shownTask(await update(deps, tx, { context, input, record, outputs }));
      });
      return jsonResult(done);
    });
  },
});

/** What the delegate hands over; that its owner may read it does no harm if the report is refused afterwards. */
const outputsOf = async (
  { store, handOverArtifacts }: TaskToolsDeps,
  context: ToolContext,
  input: Update['input'],
): Promise<TaskChange['outputs']> => {
  const { output_artifact_uris: given } = input;
  if (!Array.isArray(given)) return undefined;
  const uris = given.map(String);
  const name = textOrEmpty(input['name']);
  const record = await store.read(async (tx) => storedTask(tx, await namespaceOfTask(tx, context, name), name));
  if (!isDelegateOf(record, context))
    throw new Fault(
      'PERMISSION_DENIED',
      'TASK_NOT_YOURS',
      'only the turn that works on the task hands over its results',
    );
  const { sessionId } = originOf(record);
  const owner = { namespace: record.key.namespace, agent: taskSpec(record).owner?.name ?? '', sessionId };
  const found = await handOverArtifacts(context, uris, sessionId === '' ? undefined : owner);
  return { uris, artifacts: found.map((facts) => create(FileObjectRefSchema, facts)) };
};

/** A task that a connection led here is in the namespace of its owner: the turn that works on it says which. */
const namespaceOfTask = async (
  tx: Pick<ReadTx, 'log'>,
  { turnId, namespace }: ToolContext,
  name: string,
): Promise<string> => {
  const turn = await tx.log.turn(turnId);
  const worked = turn === undefined ? undefined : taskOfTurn(parseBody(turn));
  return worked?.name === name ? worked.namespace : namespace;
};

interface Update {
  readonly context: ToolContext;
  readonly input: Readonly<Record<string, unknown>>;
  readonly record: StoredResource;
  readonly outputs?: TaskChange['outputs'];
}

const update = async (deps: TaskToolsDeps, tx: WriteTx, call: Update): Promise<StoredResource> => {
  const { context, record } = call;
  const by = await actorsOf(tx, context, record);
  if (by.length === 0)
    throw new Fault('PERMISSION_DENIED', 'TASK_NOT_YOURS', 'this task is neither yours to work on nor yours to review');
  const change = await changeFor(deps, tx, { ...call, by });
  const stored = await deps.moves.move(tx, record, { ...change, by, stop: deps.stopExecution });
  if (stored === record) return record;
  await deps.audit(tx, toolOrigin(context, NAME), {
    target: formatKey(record.key),
    namespace: record.key.namespace,
    resourceVersion: String(stored.version),
    outcome: 'updated',
  });
  return stored;
};

/**
 * What the caller is to the task. Its delegate is the turn of the execution reference and no other. Its owner is any session of the
 * owning agent, except that one which works on a task itself owns only those it asked for.
 */
const actorsOf = async (tx: WriteTx, context: ToolContext, record: StoredResource): Promise<readonly TaskActor[]> => {
  const { owner } = taskSpec(record);
  const isDelegate = isDelegateOf(record, context);
  const isOwnAgent = owner?.name === context.agent && (owner.namespace === '' || owner.namespace === context.namespace);
  const isOwner = isOwnAgent && (originOf(record).sessionId === context.sessionId || !(await isDelegated(tx, context)));
  return [...(isDelegate ? (['delegate'] as const) : []), ...(isOwner ? (['owner'] as const) : [])];
};

const isDelegateOf = (record: StoredResource, { sessionId, turnId }: ToolContext): boolean => {
  const { executionRef } = taskStatus(record);
  return executionRef?.sessionId === sessionId && executionRef.runId === turnId;
};

const isDelegated = async (tx: WriteTx, { sessionId }: ToolContext): Promise<boolean> =>
  (await tx.log.session(sessionId))?.labels[TASK_LABEL] !== undefined;

const changeFor = async (
  deps: TaskToolsDeps,
  tx: WriteTx,
  { context, input, record, by, outputs }: Update & { readonly by: readonly TaskActor[] },
): Promise<TaskChange> => {
  const progressSummary = textOrEmpty(input['progress_summary']);
  const phase = phaseOf(input['phase']);
  const { phase: from } = taskStatus(record);
  const sendsBack = phase === TaskPhase.RUNNING && by.includes('owner') && canMoveTask(from, phase, ['owner']);
  if (!sendsBack) return { phase, progressSummary, ...(outputs === undefined ? {} : { outputs }) };
  const { namespace, agent, turnId, identity } = context;
  const lineage = lineageBelow(context.lineage, { namespace, agent, turnId });
  return { phase, ...(await deps.furtherWork(tx, record, { text: progressSummary, identity, lineage })) };
};

const phaseOf = (name: unknown): TaskPhase =>
  PHASE_NAMES.includes(textOrEmpty(name)) ? TaskPhase[name as keyof typeof TaskPhase] : TaskPhase.UNSPECIFIED;
