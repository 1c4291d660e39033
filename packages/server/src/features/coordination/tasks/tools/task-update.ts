import { TaskPhase } from '@svc/api/resources';
import { Fault, textOrEmpty } from '../../../../base/index.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import { formatKey } from '../../../../resources/index.ts';
import { lineageBelow, parseBody } from '../../../../runtime/contract.ts';
import type { StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { jsonResult, toolOrigin } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext } from '../../../../tools/contract.ts';
import { originOf, TASK_LABEL, taskOfTurn } from '../task-origin.ts';
import { canMoveTask, type TaskActor } from '../task-rules.ts';
import { type TaskChange, taskSpec, taskStatus } from '../task-status.ts';
import { PHASE_NAMES, shownTask, storedTask, TASK_NAME } from './task-reads.ts';
import type { TaskToolsDeps } from './task-tools-deps.ts';

const NAME = 'update_task';
const SUMMARY_MAX = 16_384;

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
    },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'write',
  capability: { name: 'tasks', action: 'update' },
  run: (context, input) =>
    deps.store.write(async (tx) => {
      const done = await oncePerCall(tx, context.idempotencyKey, async () => {
        const name = textOrEmpty(input['name']);
        const record = await storedTask(tx, await namespaceOfTask(tx, context, name), name);
        return shownTask(await update(deps, tx, { context, input, record }));
      });
      return jsonResult(done);
    }),
});

/** A task that a connection led here is in the namespace of its owner: the turn that works on it says which. */
const namespaceOfTask = async (tx: WriteTx, { turnId, namespace }: ToolContext, name: string): Promise<string> => {
  const turn = await tx.log.turn(turnId);
  const worked = turn === undefined ? undefined : taskOfTurn(parseBody(turn));
  return worked?.name === name ? worked.namespace : namespace;
};

interface Update {
  readonly context: ToolContext;
  readonly input: Readonly<Record<string, unknown>>;
  readonly record: StoredResource;
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
  const { executionRef } = taskStatus(record);
  const isDelegate = executionRef?.sessionId === context.sessionId && executionRef.runId === context.turnId;
  const isOwnAgent = owner?.name === context.agent && (owner.namespace === '' || owner.namespace === context.namespace);
  const isOwner = isOwnAgent && (originOf(record).sessionId === context.sessionId || !(await isDelegated(tx, context)));
  return [...(isDelegate ? (['delegate'] as const) : []), ...(isOwner ? (['owner'] as const) : [])];
};

const isDelegated = async (tx: WriteTx, { sessionId }: ToolContext): Promise<boolean> =>
  (await tx.log.session(sessionId))?.labels[TASK_LABEL] !== undefined;

const changeFor = async (
  deps: TaskToolsDeps,
  tx: WriteTx,
  { context, input, record, by }: Update & { readonly by: readonly TaskActor[] },
): Promise<TaskChange> => {
  const progressSummary = textOrEmpty(input['progress_summary']);
  const phase = phaseOf(input['phase']);
  const { phase: from } = taskStatus(record);
  const sendsBack = phase === TaskPhase.RUNNING && by.includes('owner') && canMoveTask(from, phase, ['owner']);
  if (!sendsBack) return { phase, progressSummary };
  const { namespace, agent, turnId, identity } = context;
  const lineage = lineageBelow(context.lineage, { namespace, agent, turnId });
  return { phase, ...(await deps.furtherWork(tx, record, { text: progressSummary, identity, lineage })) };
};

const phaseOf = (name: unknown): TaskPhase =>
  PHASE_NAMES.includes(textOrEmpty(name)) ? TaskPhase[name as keyof typeof TaskPhase] : TaskPhase.UNSPECIFIED;
