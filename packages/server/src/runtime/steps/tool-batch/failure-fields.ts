import { isFault, type LogFields } from '../../../base/index.ts';

/** File, line and column at the end of a line of a stack. */
const PLACE = /([\w.-]+:\d+:\d+)\)?$/m;

/**
 * Why a tool failed, for the log: of a Fault its code and reason, of anything else its kind and where it was thrown. Never
 * its text, which may quote what the tool was given.
 */
export const failureFields = (error: unknown): LogFields => {
  if (isFault(error)) return { code: error.code, reason: error.reason };
  if (!(error instanceof Error)) return { reason: `threw a value of type ${typeof error}` };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { ...code, reason: error.name, at: PLACE.exec(error.stack ?? '')?.[1] };
};
