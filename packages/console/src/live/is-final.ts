import { isSvcError, type SvcError } from '@svc/client';

const FINAL: readonly string[] = ['PERMISSION_DENIED', 'UNAUTHENTICATED', 'UNIMPLEMENTED', 'NOT_FOUND'];

/** True for the errors of a stream that another try does not mend. */
export const isFinal = (error: unknown): error is SvcError => isSvcError(error) && FINAL.includes(error.code);
