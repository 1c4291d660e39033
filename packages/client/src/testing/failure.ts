import { isSvcError, type SvcError } from '../error.ts';

/** The SvcError that the work rejects with; anything else fails the test. */
export const failureOf = async (work: Promise<unknown>): Promise<SvcError> => {
  const error: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!isSvcError(error)) throw new Error(`no SvcError: ${String(error)}`);
  return error;
};
