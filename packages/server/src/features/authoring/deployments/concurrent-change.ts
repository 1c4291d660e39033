import { Fault, isFault } from '../../../base/index.ts';

/** Something that a pass had read was written by somebody else before its own write: nothing was written, read again. */
export class ConcurrentChange extends Fault {
  constructor() {
    super('ABORTED', 'CONFLICT', 'what a pass had read was changed meanwhile');
  }
}

/** Reasons of the namespace gate: the target was closed under a pass. */
const CLOSED: ReadonlySet<string> = new Set(['NAMESPACE_DELETED', 'NAMESPACE_MISSING']);

const REFUSALS: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'RESOURCE_EXHAUSTED',
  'PERMISSION_DENIED',
]);

/** The refusal of a write that lies in what was to be written; a lost race and everything else is thrown. */
export const refusalOf = (error: unknown): Fault => {
  if (!isFault(error)) throw error;
  if (error.code === 'ABORTED' || CLOSED.has(error.reason)) throw new ConcurrentChange();
  if (!REFUSALS.has(error.code)) throw error;
  return error;
};
