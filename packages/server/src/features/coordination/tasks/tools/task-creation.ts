import { create } from '@bufbuild/protobuf';
import { TaskPhase, TaskSpecSchema } from '@svc/api/resources';
import { textOrEmpty } from '../../../../base/index.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import { lineageBelow, lineageProblem } from '../../../../runtime/contract.ts';
import { everyResource, type WriteTx } from '../../../../store/contracts/index.ts';
import { jsonResult, toolOrigin } from '../../../../tools/authority-contract.ts';
import {
  type ConnectionGrant,
  errorResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../../../tools/contract.ts';
import { OWNER_SESSION, originKeys, originOf } from '../task-origin.ts';
import { taskStatus } from '../task-status.ts';
import { shownTask } from './task-reads.ts';
import type { TaskToolsDeps } from './task-tools-deps.ts';

const CREATE = 'create_task';
const DELEGATE = 'delegate_task';
/** Characters of the idempotency key that name a task. */
const NAME_CHARS = 20;
/** Depth of a connection that sets none. */
const CONNECTION_DEPTH = 5;

const WORDS = {
  title: { type: 'string', minLength: 1, maxLength: 200 },
  description: { type: 'string', minLength: 1, maxLength: 32_768, description: 'all that the delegate has to know' },
  type: { type: 'string', maxLength: 63, description: 'a word of your own, to group tasks by' },
} as const;

type Input = Readonly<Record<string, unknown>>;

/** A task that an agent asks for. */
interface Wanted {
  readonly tool: string;
  readonly context: ToolContext;
  readonly input: Input;
  readonly target: { readonly namespace: string; readonly agent: string };
  /** '' = in the same namespace. */
  readonly connection: string;
  readonly maxDepth: number;
}

/** create_task: another agent of the namespace works on something, and the session that asked is woken when that needs it. */
export const createTask = (deps: TaskToolsDeps): Tool => ({
  name: CREATE,
  description:
    'Gives a task to another agent of this workspace, which works on it by itself. You get a message when it needs review, is blocked or failed.',
  inputSchema: {
    type: 'object',
    properties: { ...WORDS, delegate_name: { type: 'string', minLength: 1, maxLength: 253 } },
    required: ['title', 'description', 'delegate_name'],
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'tasks', action: 'create' },
  run: (context, input) => {
    const target = { namespace: context.namespace, agent: textOrEmpty(input['delegate_name']) };
    const { maxDepth } = deps;
    return deps.store.write((tx) =>
      begin(deps, tx, { tool: CREATE, context, input, target, connection: '', maxDepth }),
    );
  },
});

/** delegate_task: as create_task, to the agent that a connection leads to; one task at a time for each connection of a session. */
export const delegateTask = (deps: TaskToolsDeps, connections: readonly ConnectionGrant[]): Tool => ({
  name: DELEGATE,
  description:
    'Gives a task to the agent that one of your connections leads to. You get a message when it needs review, is blocked or failed.',
  inputSchema: {
    type: 'object',
    properties: { connection: { type: 'string', enum: connections.map(({ name }) => name) }, ...WORDS },
    required: ['connection', 'title', 'description'],
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'tasks', action: 'create' },
  run: async (context, input) => {
    const found = connections.find(({ name }) => name === input['connection']);
    const internal = found?.target?.internal;
    if (found === undefined || internal === undefined)
      return errorResult(DELEGATE, 'failed', 'tasks go to agents of this server; use agent_send for this connection');
    const target = { namespace: internal.namespace || context.namespace, agent: internal.agent };
    const maxDepth = Math.min(deps.maxDepth, found.maxDepth === 0 ? CONNECTION_DEPTH : found.maxDepth);
    const wanted = { tool: DELEGATE, context, input, target, connection: found.name, maxDepth };
    return deps.store.write((tx) => begin(deps, tx, wanted));
  },
});

const begin = async (deps: TaskToolsDeps, tx: WriteTx, wanted: Wanted): Promise<ToolResult> => {
  const { tool, context, target } = wanted;
  const { namespace, agent, turnId } = context;
  const lineage = lineageBelow(context.lineage, { namespace, agent, turnId });
  const problem = lineageProblem(lineage, target, wanted.maxDepth);
  if (problem !== undefined) return errorResult(tool, 'failed', problem.text);
  const made = await oncePerCall(tx, context.idempotencyKey, async () => {
    if (wanted.connection !== '' && (await isTaken(tx, wanted)))
      return { refused: `connection ${wanted.connection} is still busy with a task; wait for it or cancel it` };
    return { task: await written(deps, tx, { ...wanted, lineage }) };
  });
  return 'refused' in made ? errorResult(tool, 'failed', made.refused, true) : jsonResult(made.task);
};

const written = async (
  { writer }: TaskToolsDeps,
  tx: WriteTx,
  { tool, context, input, target, connection, lineage }: Wanted & { readonly lineage: ToolContext['lineage'] },
) => {
  const agent = recordKey('Agent', target.namespace, target.agent);
  if ((await tx.resources.get(agent)) === undefined) throw resourceNotFound(agent);
  const { namespace, sessionId, identity, idempotencyKey } = context;
  const spec = create(TaskSpecSchema, {
    title: textOrEmpty(input['title']),
    description: textOrEmpty(input['description']),
    type: textOrEmpty(input['type']),
    owner: { namespace, name: context.agent },
    delegate: { namespace: target.namespace, name: target.agent },
  });
  const { resource } = await writer.create(tx, toolOrigin(context, tool), {
    key: recordKey('Task', namespace, `task-${idempotencyKey.slice(0, NAME_CHARS).toLowerCase()}`),
    spec,
    system: originKeys({ sessionId, identity, lineage, connection }),
  });
  return shownTask(resource);
};

/** Phases in which the delegate of a connection has something to do. */
const BUSY: ReadonlySet<TaskPhase> = new Set([TaskPhase.QUEUED, TaskPhase.RUNNING, TaskPhase.BLOCKED]);

const isTaken = async (tx: WriteTx, { context, connection }: Wanted): Promise<boolean> => {
  const { namespace, sessionId } = context;
  const own = await everyResource(tx.resources, {
    kind: 'Task',
    scope: { type: 'namespace', namespace },
    labels: [{ op: 'in', key: OWNER_SESSION, values: [sessionId] }],
  });
  return own.some((record) => originOf(record).connection === connection && BUSY.has(taskStatus(record).phase));
};
