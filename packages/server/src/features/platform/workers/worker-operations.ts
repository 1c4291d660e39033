import { create } from '@bufbuild/protobuf';
import {
  AdminService,
  type DrainWorkerRequest,
  type DrainWorkerResponse,
  DrainWorkerResponseSchema,
} from '@svc/api/gateway';
import { WorkerSchema } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import type { AppendAudit, ResourceWriter } from '../../../controllers/contract.ts';
import { admin, type Operation, operation } from '../../../operations/index.ts';
import { formatKey, type ResourceViews, resourceNotFound, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import { listWorkerClaims, type WorkerClaimsDeps } from './worker-claims.ts';
import { workerKey, workerStatus } from './worker-records.ts';
import { judgedStatus } from './worker-rules.ts';

export interface WorkerOperationsDeps extends WorkerClaimsDeps {
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly views: ResourceViews;
  readonly audit: AppendAudit;
}

/** DrainWorker: the record says draining, and the process that owns it follows; and ListWorkerClaims. */
export const workerOperations = (deps: WorkerOperationsDeps): readonly Operation[] => [
  operation(AdminService.method.drainWorker, {
    access: admin('unscoped'),
    handle: (request, context) => drainWorker(deps, request, context),
  }),
  operation(AdminService.method.listWorkerClaims, {
    access: admin('unscoped'),
    handle: (request) => listWorkerClaims(deps, request),
  }),
];

const drainWorker = async (
  deps: WorkerOperationsDeps,
  request: DrainWorkerRequest,
  context: CallContext,
): Promise<DrainWorkerResponse> => {
  const key = workerKey(request.name);
  const [stored, activity] = await deps.store.write(async (tx) => {
    const current = await tx.resources.get(key);
    if (current === undefined) throw resourceNotFound(key);
    const times = (await tx.resources.activity([current.uid])).get(current.uid) ?? '';
    const status = workerStatus(current);
    if (status.phase !== 'ready') return [current, times] as const;
    const draining = judgedStatus(status, { phase: 'draining', now: tx.now() });
    const written = (await deps.writer.writeStatus(tx, key, () => ({ status: draining }))) ?? current;
    await deps.audit(tx, context, {
      target: formatKey(key),
      namespace: SYSTEM_NAMESPACE,
      resourceVersion: String(written.version),
      outcome: 'draining',
    });
    return [written, times] as const;
  });
  const worker = deps.views.full(WorkerSchema, stored, { secrets: false, activity });
  return create(DrainWorkerResponseSchema, { worker });
};
