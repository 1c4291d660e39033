import { fileURLToPath } from 'node:url';
import { create, createFileRegistry, fromBinary, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { loadSync } from '@grpc/proto-loader';
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

export interface Violation {
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

/** The error types of google.rpc, read from Google's own files. */
const rpcTypes = (() => {
  const includes = fileURLToPath(new URL('../../../node_modules/google-proto-files', import.meta.url));
  const loaded = loadSync(['google/rpc/status.proto', 'google/rpc/error_details.proto'], { includeDirs: [includes] });
  const files = new Map<string, ReturnType<typeof readFile>>();
  for (const entry of Object.values(loaded)) {
    if (!('format' in entry)) continue;
    for (const bytes of entry.fileDescriptorProtos as readonly Uint8Array[]) {
      const file = readFile(bytes);
      files.set(file.name, file);
    }
  }
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...files.values()] }));
})();

function readFile(bytes: Uint8Array) {
  return fromBinary(FileDescriptorProtoSchema, bytes);
}

const decode = (type: string, bytes: Uint8Array): Record<string, JsonValue> => {
  const schema = rpcTypes.getMessage(type);
  if (schema === undefined) throw new Error(`unknown detail ${type}`);
  return { '@type': type, ...(toJson(schema, fromBinary(schema, bytes)) as Record<string, JsonValue>) };
};

/** Details of `grpc-status-details-bin`. */
export const statusDetails = (bytes: Uint8Array): readonly Record<string, JsonValue>[] => {
  const schema = rpcTypes.getMessage('google.rpc.Status');
  if (schema === undefined) throw new Error('google.rpc.Status is not loaded');
  const status = fromBinary(schema, bytes) as Message & { details: { typeUrl: string; value: Uint8Array }[] };
  return status.details.map(({ typeUrl, value }) => decode(typeUrl.replace('type.googleapis.com/', ''), value));
};

/** One detail as Connect carries it. */
export const connectDetail = (detail: { readonly type: string; readonly value: Uint8Array }) =>
  decode(detail.type, detail.value);

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
