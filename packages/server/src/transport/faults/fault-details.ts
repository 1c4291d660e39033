import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Fault, FieldViolation } from '../../base/index.ts';
import { FAULT_CODES } from './fault-codes.ts';

/** One google.rpc detail in both forms; `json` has no `@type`. */
export interface FaultDetail {
  readonly typeName: string;
  readonly value: Uint8Array;
  readonly json: Readonly<Record<string, unknown>>;
}

const DOMAIN = 'svc';

const errorInfo = (fault: Fault): FaultDetail => {
  const writer = new BinaryWriter();
  if (fault.reason !== '') writer.tag(1, WireType.LengthDelimited).string(fault.reason);
  writer.tag(2, WireType.LengthDelimited).string(DOMAIN);
  for (const [key, value] of Object.entries(fault.metadata)) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.LengthDelimited).string(value).join();
  }
  const json = { reason: fault.reason, domain: DOMAIN, metadata: fault.metadata };
  return { typeName: 'google.rpc.ErrorInfo', value: writer.finish(), json };
};

/** INVALID_ARGUMENT always carries at least one violation; a fault of the whole request names no field. */
const violationsOf = (fault: Fault): readonly FieldViolation[] =>
  fault.violations.length > 0 ? fault.violations : [{ field: '', description: fault.message, reason: fault.reason }];

const badRequest = (fault: Fault, most: number): FaultDetail => {
  const violations = violationsOf(fault).slice(0, most);
  const writer = new BinaryWriter();
  for (const { field, description, reason } of violations) {
    writer.tag(1, WireType.LengthDelimited).fork();
    if (field !== '') writer.tag(1, WireType.LengthDelimited).string(field);
    if (description !== '') writer.tag(2, WireType.LengthDelimited).string(description);
    if (reason !== '') writer.tag(3, WireType.LengthDelimited).string(reason);
    writer.join();
  }
  const fieldViolations = violations.map(({ field, description, reason }) => ({ field, description, reason }));
  return { typeName: 'google.rpc.BadRequest', value: writer.finish(), json: { fieldViolations } };
};

const retryInfo = (retryAfterMs: number): FaultDetail => {
  const seconds = Math.floor(retryAfterMs / 1000);
  const nanos = Math.round((retryAfterMs - seconds * 1000) * 1_000_000);
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  if (seconds !== 0) writer.tag(1, WireType.Varint).int64(seconds);
  if (nanos !== 0) writer.tag(2, WireType.Varint).int32(nanos);
  const json = { retryDelay: `${Number((retryAfterMs / 1000).toFixed(9))}s` };
  return { typeName: 'google.rpc.RetryInfo', value: writer.join().finish(), json };
};

/**
 * Details in their order: ErrorInfo always, BadRequest with INVALID_ARGUMENT and refused fields, RetryInfo where a wait is known. With
 * `violations`, no more than the first of those.
 */
export const faultDetails = (fault: Fault, violations = Number.POSITIVE_INFINITY): FaultDetail[] => {
  const details = [errorInfo(fault)];
  if (fault.code === 'INVALID_ARGUMENT' || fault.violations.length > 0) details.push(badRequest(fault, violations));
  if (fault.retryAfterMs !== undefined) details.push(retryInfo(fault.retryAfterMs));
  return details;
};

/** google.rpc.Status with its details packed as Any, for `grpc-status-details-bin`. */
export const faultStatusBinary = (fault: Fault, details: readonly FaultDetail[]): Uint8Array => {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(FAULT_CODES[fault.code].grpc);
  if (fault.message !== '') writer.tag(2, WireType.LengthDelimited).string(fault.message);
  for (const detail of details) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/${detail.typeName}`);
    if (detail.value.length > 0) writer.tag(2, WireType.LengthDelimited).bytes(detail.value);
    writer.join();
  }
  return writer.finish();
};
