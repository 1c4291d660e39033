import { create } from '@bufbuild/protobuf';
import {
  ApplyOutcome,
  type ApplyResourceRequest,
  type ApplyResourceResponse,
  ApplyResourceResponseSchema,
  type FieldError,
  FieldErrorSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../auth/contract.ts';
import { type Fault, type FaultCode, isFault } from '../../base/index.ts';
import type { WriteOutcome } from '../../controllers/contract.ts';
import { refusal } from '../../resources/index.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import { applyTarget } from './apply-target.ts';
import { type ApplyWritten, writeTarget } from './apply-write.ts';
import { changedPaths, writtenForm } from './changed-paths.ts';
import type { ManifestsDeps } from './manifests-deps.ts';
import { rehearse } from './rehearsal.ts';
import { showResources } from './resource-shown.ts';

export const OUTCOMES: Readonly<Record<WriteOutcome, ApplyOutcome>> = {
  created: ApplyOutcome.CREATED,
  updated: ApplyOutcome.UPDATED,
  unchanged: ApplyOutcome.UNCHANGED,
};

/** Refusals of a document; anything else is a failure of the call. */
const REFUSALS: ReadonlySet<FaultCode> = new Set([
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'ABORTED',
  'RESOURCE_EXHAUSTED',
  'PERMISSION_DENIED',
]);

/** Creates or replaces one resource of any kind; a dry run tells what would happen (API-9.1). */
export const applyResource = async (
  deps: ManifestsDeps,
  request: ApplyResourceRequest,
  context: CallContext,
): Promise<ApplyResourceResponse> => {
  const result = applyTarget(request, request.manifest);
  const work = async (tx: WriteTx): Promise<ApplyWritten> => {
    if ('faults' in result) throw refusal(result.faults);
    return writeTarget(deps, tx, { target: result.target, context, createNamespace: request.createNamespace });
  };
  if (!request.dryRun) return answer(deps, await deps.store.write(work), { context });
  try {
    return await answer(deps, await rehearse(deps.store, work), { context, isTransient: true });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return create(ApplyResourceResponseSchema, { outcome: ApplyOutcome.FAILED, fieldErrors: fieldErrors(error) });
  }
};

/** True for a fault that lies in the document or in what it meets. */
export const isRefusal = (error: unknown): error is Fault => isFault(error) && REFUSALS.has(error.code);

/** A refusal as field errors: its violations, or itself without a field. */
export const fieldErrors = (fault: Fault): FieldError[] => {
  const { violations, message, reason } = fault;
  const listed = violations.length > 0 ? violations : [{ field: '', description: message, reason }];
  return listed.map((violation) => create(FieldErrorSchema, { ...violation }));
};

const answer = async (
  deps: ManifestsDeps,
  written: ApplyWritten,
  view: { readonly context: CallContext; readonly isTransient?: boolean },
): Promise<ApplyResourceResponse> => {
  const { resource: record, outcome, before } = written;
  const shown = { records: [record], ...view };
  const [resource] = await deps.store.read((tx) => showResources(deps, tx, shown));
  return create(ApplyResourceResponseSchema, {
    outcome: OUTCOMES[outcome],
    changedPaths: changedPaths(writtenForm(before), writtenForm(record)),
    ...(resource === undefined ? {} : { resource }),
  });
};
