import { create } from '@bufbuild/protobuf';
import { type TaskResponse, TaskResponseSchema, TaskService, type UpdateTaskRequest } from '@svc/api/gateway';
import { TaskPhase, TaskSchema } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import { invalidField } from '../../../base/index.ts';
import type { AppendAudit, NamespaceFacts } from '../../../controllers/contract.ts';
import { type Operation, operation, operator } from '../../../operations/index.ts';
import {
  formatKey,
  type ResourceViews,
  recordKey,
  resourceDeleting,
  resourceNotFound,
  versionConflict,
} from '../../../resources/index.ts';
import type { Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { StopExecution, TaskMoves } from './task-moves.ts';
import { canMoveTask } from './task-rules.ts';
import { type TaskChange, taskStatus } from './task-status.ts';
import type { SendFurtherWork } from './task-work.ts';

export interface TaskOperationsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly views: ResourceViews;
  readonly audit: AppendAudit;
  readonly moves: TaskMoves;
  readonly stopExecution: StopExecution;
  readonly furtherWork: SendFurtherWork;
}

/** Longest progress summary, in characters. */
const SUMMARY_MAX = 16_384;

/** UpdateTask. */
export const taskOperations = (deps: TaskOperationsDeps): readonly Operation[] => [
  operation(TaskService.method.updateTask, {
    access: operator('fields'),
    handle: (request, context) => updateTask(deps, request, context),
  }),
];

const updateTask = async (
  deps: TaskOperationsDeps,
  request: UpdateTaskRequest,
  context: CallContext,
): Promise<TaskResponse> => {
  if (request.progressSummary.length > SUMMARY_MAX)
    throw invalidField('progressSummary', `longer than ${SUMMARY_MAX} characters`);
  if (TaskPhase[request.phase] === undefined) throw invalidField('phase', 'is not a phase of a task');
  const stored = await deps.store.write((tx) => update(deps, tx, { request, context }));
  const task = deps.views.full(TaskSchema, stored, { secrets: false });
  return create(TaskResponseSchema, { task });
};

const update = async (
  deps: TaskOperationsDeps,
  tx: WriteTx,
  call: { readonly request: UpdateTaskRequest; readonly context: CallContext },
): Promise<StoredResource> => {
  const { request, context } = call;
  await deps.namespaces.requireLive(tx, request.ns);
  const key = recordKey('Task', request.ns, request.name);
  const current = await tx.resources.get(key);
  if (current === undefined) throw resourceNotFound(key);
  const { resourceVersion } = request;
  if (resourceVersion !== '' && resourceVersion !== String(current.version))
    throw versionConflict(key, current.version);
  if (current.deletionTimestamp !== undefined) throw resourceDeleting(key);
  const { stopExecution: stop } = deps;
  const change = await changeFor(deps, tx, { current, request, context });
  const stored = await deps.moves.move(tx, current, { ...change, by: ['owner', 'operator'], stop });
  if (stored === current) return current;
  await deps.audit(tx, context, {
    target: formatKey(key),
    namespace: request.ns,
    resourceVersion: String(stored.version),
    outcome: 'updated',
  });
  return stored;
};

/** Callers act as owner and as operator; a delegate that shall continue gets the summary as its work. */
const changeFor = async (
  deps: TaskOperationsDeps,
  tx: WriteTx,
  call: {
    readonly current: StoredResource;
    readonly request: UpdateTaskRequest;
    readonly context: CallContext;
  },
): Promise<TaskChange> => {
  const { current, request, context } = call;
  const { phase, progressSummary } = request;
  const { phase: from } = taskStatus(current);
  const continues = phase === TaskPhase.RUNNING && canMoveTask(from, phase, ['owner']);
  if (!continues) return { phase, progressSummary };
  const work = { text: progressSummary, identity: context.caller.identity };
  return { phase, ...(await deps.furtherWork(tx, current, work)) };
};
