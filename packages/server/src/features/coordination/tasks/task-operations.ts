import { create } from '@bufbuild/protobuf';
import { type TaskResponse, TaskResponseSchema, TaskService, type UpdateTaskRequest } from '@svc/api/gateway';
import { TaskPhase, TaskSchema } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import { Fault, invalidField } from '../../../base/index.ts';
import type { AppendAudit, NamespaceFacts, ResourceWriter } from '../../../controllers/contract.ts';
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
import { canMoveTask } from './task-rules.ts';
import { changedStatus, type TaskTimes, taskStatus } from './task-status.ts';
import { armTaskTimer, type StopExecution } from './task-timer.ts';

export interface TaskOperationsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly views: ResourceViews;
  readonly audit: AppendAudit;
  readonly times: TaskTimes;
  readonly stopExecution: StopExecution;
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
  const before = taskStatus(current);
  checkMove(before.phase, request.phase);
  const after = changedStatus(before, request, { now: tx.now(), times: deps.times });
  if (after === before) return current;
  if (after.phase === TaskPhase.CANCELED && before.phase !== TaskPhase.CANCELED) await deps.stopExecution(tx, before);
  const stored = (await deps.writer.writeStatus(tx, key, () => ({ status: after }))) ?? current;
  if (after.expiresAt !== before.expiresAt) await armTaskTimer(tx, stored);
  await deps.audit(tx, context, {
    target: formatKey(key),
    namespace: request.ns,
    resourceVersion: String(stored.version),
    outcome: 'updated',
  });
  return stored;
};

/** Callers act as owner and as operator. */
const checkMove = (from: TaskPhase, to: TaskPhase): void => {
  if (to === TaskPhase.UNSPECIFIED || to === from || canMoveTask(from, to, ['owner', 'operator'])) return;
  throw new Fault(
    'FAILED_PRECONDITION',
    'TASK_PHASE',
    `a task that is ${TaskPhase[from]} cannot become ${TaskPhase[to]}`,
    {
      metadata: { phase: TaskPhase[from] ?? '' },
    },
  );
};
