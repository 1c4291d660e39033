import { SvcError } from '../error.ts';

/** Causes that prove that nothing left this machine, so that even a write may be sent again. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** A failure of fetch or of reading a body, as an SvcError that names `baseUrl`. */
export const networkError = (cause: unknown, baseUrl: string): SvcError => {
  if (cause instanceof SvcError) return cause;
  const codes = causeCodes(cause);
  const word = codes.find((code) => unsent.has(code));
  const reason = word === undefined ? 'INTERRUPTED' : 'UNREACHABLE';
  const detail = word ?? codes[0] ?? (cause instanceof Error ? cause.message : String(cause));
  const message =
    word === undefined ? `the connection to ${baseUrl} broke (${detail})` : `cannot reach ${baseUrl} (${detail})`;
  return new SvcError({ code: 'UNAVAILABLE', reason, message, cause });
};

/** `code` of an error and of what caused it, outermost first. */
const causeCodes = (cause: unknown): string[] => {
  const codes: string[] = [];
  for (let error = cause, depth = 0; error instanceof Error && depth < 8; depth++) {
    if ('code' in error && typeof error.code === 'string') codes.push(error.code);
    const inner = error instanceof AggregateError ? error.errors[0] : undefined;
    error = inner ?? error.cause;
  }
  return codes;
};
