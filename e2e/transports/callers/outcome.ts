import { type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import type { Method } from '@svc/api/methods';

/** What a call led to, the same whatever carried it. `messages` has one entry for unary operations. */
export type Outcome =
  | { readonly messages: readonly JsonValue[]; readonly error?: undefined }
  | { readonly messages: readonly JsonValue[]; readonly error: CallError };

export interface CallError {
  readonly code: string;
  readonly message: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  readonly retryDelay: string;
}

interface Violation {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

/** One protocol and client against one server; `close` frees its connections. */
export interface Caller {
  readonly name: string;
  call(method: Method, request: Message): Promise<Outcome>;
  close(): void;
}

export const isError = (outcome: Outcome): outcome is Extract<Outcome, { error: CallError }> =>
  outcome.error !== undefined;

export const codeNames = [
  'OK',
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

/** Message of the contract as JSON with every field, so that absent and default are one. */
export const jsonOf = (method: Method, message: Message): JsonValue =>
  toJson(method.output, message, { alwaysEmitImplicit: true });

/** Puts together what a transport says about a failure; details have `@type` with or without the URL's host. */
export const errorOf = (
  code: string,
  message: string,
  details: readonly Readonly<Record<string, JsonValue>>[],
): CallError => {
  const find = (type: string): Readonly<Record<string, JsonValue>> =>
    details.find((detail) => String(detail['@type']).endsWith(`google.rpc.${type}`)) ?? {};
  const info = find('ErrorInfo') as { reason?: string; metadata?: Record<string, string> };
  const bad = find('BadRequest') as { fieldViolations?: readonly Partial<Violation>[] };
  return {
    code,
    message,
    reason: info.reason ?? '',
    metadata: info.metadata ?? {},
    violations: (bad.fieldViolations ?? []).map(({ field = '', description = '', reason = '' }) => ({
      field,
      description,
      reason,
    })),
    retryDelay: String(find('RetryInfo')['retryDelay'] ?? ''),
  };
};
