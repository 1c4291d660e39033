import type { Fault } from '../../base/index.ts';
import type { Call } from '../dispatcher/index.ts';
import { encodeGrpcMessage, FAULT_CODES, faultHeaders } from '../faults/index.ts';
import { type HeaderList, type OriginRules, PASS_THROUGH } from '../http/index.ts';

/** Adds what any answer of a call carries in addition to its own headers: headers of the handler. */
const addExtra = (headers: HeaderList, call: Call): HeaderList => {
  if (call.extraHeaders !== undefined) headers.push(...call.extraHeaders);
  return headers;
};

/** Headers of a unary REST answer that succeeded. */
export const successHeaders = (call: Call): HeaderList =>
  addExtra(
    ['content-type', 'application/json', 'x-request-id', call.requestId, 'grpc-status', '0', 'grpc-message', ''],
    call,
  );

/** Headers of a REST stream. */
export const streamHeaders = (call: Call, contentType: string): HeaderList =>
  addExtra(['content-type', contentType, 'x-request-id', call.requestId, ...PASS_THROUGH], call);

/** Headers of a refusal over plain HTTP. */
export const refusalHeaders = (fault: Fault, requestId: string): HeaderList => [
  'content-type',
  'application/json',
  'x-request-id',
  requestId,
  'grpc-status',
  String(FAULT_CODES[fault.code].grpc),
  'grpc-message',
  encodeGrpcMessage(fault.message),
  ...faultHeaders(fault),
];

/** Adds what a browser of another origin needs; the list itself is changed. */
export const addOrigin = (headers: HeaderList, origin: string, rules: OriginRules): HeaderList => {
  if (origin !== '') headers.push(...rules.responseHeaders(origin));
  return headers;
};
