/** The 16 gRPC status codes without OK; `transport/faults/fault-codes.ts` owns their numbers and HTTP statuses. */
export type FaultCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';

/** One refused field: `field` is a JSON-name path such as `spec.steps[2].id`; `reason` is a stable word for programs. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

/** A refused field; FIELD_INVALID unless the rule has a reason of its own. */
export const violation = (field: string, description: string, reason = 'FIELD_INVALID'): FieldViolation => ({
  field,
  description,
  reason,
});

/** Reason of violations, and of the whole refusal, for content above a size limit. */
const TOO_LARGE = 'TOO_LARGE';

/** A field that is too large; `limit` is the configuration key of the bound, if there is one. */
export const oversize = (field: string, maxBytes: number, limit?: string): FieldViolation =>
  violation(field, `has more than ${maxBytes} bytes${limit === undefined ? '' : ` (${limit})`}`, TOO_LARGE);

interface FaultOptions {
  /** Facts for programs, shown as ErrorInfo.metadata; never secrets. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly FieldViolation[];
  /** Known wait before a retry can succeed, in milliseconds (RetryInfo). */
  readonly retryAfterMs?: number;
  /** Further typed details as {full name without prefix, JSON}, for ApplyManifests refusals. */
  readonly cause?: unknown;
}

/** Code, reason (UPPER_SNAKE), safe text, and what else the caller may see. */
type FaultArguments = readonly [code: FaultCode, reason: string, message: string, options?: FaultOptions];

/**
 * An expected failure of a call: one gRPC code, a stable UPPER_SNAKE reason and a text that is safe to show.
 * Services throw Faults; only transport turns them into bytes.
 */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;

  constructor(...[code, reason, message, options = {}]: FaultArguments) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.reason = reason;
    this.metadata = options.metadata ?? {};
    this.violations = options.violations ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True for an expected failure; anything else becomes INTERNAL at the transport. */
export const isFault = (error: unknown): error is Fault => error instanceof Fault;

/**
 * INVALID_ARGUMENT for refused fields; the text names the first field and counts the others. RESOURCE_EXHAUSTED TOO_LARGE, naming
 * the first field that is too large, when one is: the same answer for every operation and kind.
 */
export const invalidFields = (violations: readonly FieldViolation[]): Fault => {
  const large = violations.find(({ reason }) => reason === TOO_LARGE);
  const first = large ?? violations[0];
  const rest = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  const text = first === undefined ? 'invalid request' : `${first.field}: ${first.description}${rest}`;
  return large === undefined
    ? new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', text, { violations })
    : new Fault('RESOURCE_EXHAUSTED', TOO_LARGE, text, { violations });
};

/** INVALID_ARGUMENT for one refused field. */
export const invalidField = (field: string, description: string, reason = 'FIELD_INVALID'): Fault =>
  invalidFields([{ field, description, reason }]);

/** NOT_FOUND `<KIND>_NOT_FOUND` with the names that were requested. */
export const notFound = (kind: string, names: Readonly<Record<string, string>>): Fault => {
  const words = kind.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const label = Object.values(names).join('/');
  return new Fault(
    'NOT_FOUND',
    `${words.toUpperCase()}_NOT_FOUND`,
    `${words.replaceAll('_', ' ').toLowerCase()} not found: ${label}`,
    {
      metadata: names,
    },
  );
};
