import { create } from '@bufbuild/protobuf';
import { ApplyOutcome, type FieldError, FieldErrorSchema } from '@svc/api/gateway';
import { type Fault, type FaultCode, isFault } from '../../../../base/index.ts';
import type { WriteOutcome } from '../../../../controllers/contract.ts';
import type { Applied } from './apply-document.ts';
import { changedPaths, writtenForm } from './changed-paths.ts';

/** Outcomes of the pipeline by their names on the wire. */
const OUTCOMES: Readonly<Record<WriteOutcome, ApplyOutcome>> = {
  created: ApplyOutcome.CREATED,
  updated: ApplyOutcome.UPDATED,
  unchanged: ApplyOutcome.UNCHANGED,
};

/** What was done to a resource, and the JSON pointers of what changed. */
export const changeOf = (applied: Applied): { readonly outcome: ApplyOutcome; readonly changedPaths: string[] } => {
  const { outcome, before, resource, isRepair } = applied;
  return {
    outcome: isRepair && outcome === 'updated' ? ApplyOutcome.REPAIRED : OUTCOMES[outcome],
    changedPaths: outcome === 'unchanged' ? [] : changedPaths(writtenForm(before), writtenForm(resource)),
  };
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

/** True for a fault that lies in the document or in what it meets. */
export const isRefusal = (error: unknown): error is Fault => isFault(error) && REFUSALS.has(error.code);

/** A refusal as field errors: its violations, or itself without a field. */
export const fieldErrors = (fault: Fault): FieldError[] => {
  const { violations, message, reason } = fault;
  const listed = violations.length > 0 ? violations : [{ field: '', description: message, reason }];
  return listed.map((violation) => create(FieldErrorSchema, { ...violation }));
};
