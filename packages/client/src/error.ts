/** The gRPC status codes without OK, as the server names them. */
export const errorCodes = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** One refused field; `field` is a path of JSON names such as `spec.steps[2].id`. */
export interface Violation {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

interface ErrorFacts {
  readonly code: ErrorCode;
  /** Stable word such as AGENT_NOT_FOUND; '' when the answer has none. */
  readonly reason: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly Violation[];
  /** Quote it when you ask the operator. */
  readonly requestId?: string;
  /** Wait after which a retry can succeed. */
  readonly retryAfterMs?: number;
  readonly httpStatus?: number;
  readonly cause?: unknown;
}

/**
 * A failed call. Failures that never reached the server have code UNAVAILABLE and reason UNREACHABLE or INTERRUPTED
 * (the connection broke after the request left), CANCELLED/ABORTED or DEADLINE_EXCEEDED/DEADLINE.
 */
export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  readonly requestId: string;
  readonly retryAfterMs: number | undefined;
  readonly httpStatus: number | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'SvcError';
    this.code = facts.code;
    this.reason = facts.reason;
    this.metadata = facts.metadata ?? {};
    this.violations = facts.violations ?? [];
    this.requestId = facts.requestId ?? '';
    this.retryAfterMs = facts.retryAfterMs;
    this.httpStatus = facts.httpStatus;
  }
}

/** True for errors that calls and streams of this library throw when the server refuses or cannot be reached. */
export const isSvcError = (error: unknown): error is SvcError => error instanceof SvcError;
