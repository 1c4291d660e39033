import type { Fault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import type { Codec } from '../codec/index.ts';
import type { Call } from '../dispatcher/index.ts';
import { malformed } from '../envelope/index.ts';
import { type FaultWriter, faultHeaders } from '../faults/index.ts';
import type { HeaderList, OriginRules } from '../http/index.ts';
import { addOrigin } from '../rest/index.ts';

export interface ConnectParts {
  readonly codec: Codec;
  readonly faults: FaultWriter;
  readonly origins: OriginRules;
  readonly requestLimit: ByteLimit;
}

const timeoutForm = /^[0-9]{1,10}$/;
const LONGEST_MS = 0x7fff_ffff;

/** `connect-timeout-ms`; undefined without one. Throws INVALID_ARGUMENT when malformed. */
export const connectTimeoutMs = (call: Call): number | undefined => {
  const header = call.exchange.header('connect-timeout-ms');
  if (header === undefined) return undefined;
  if (!timeoutForm.test(header)) throw malformed('connect-timeout-ms is malformed');
  return Math.min(LONGEST_MS, Number(header));
};

/** Throws when the client speaks a version of the protocol that is not known. */
export const checkConnectVersion = (call: Call): void => {
  const version = call.exchange.header('connect-protocol-version');
  if (version !== undefined && version !== '1') throw malformed('connect-protocol-version must be 1');
};

/** Headers of any Connect answer of a call. */
export const connectHeaders = (call: Call, contentType: string, origins: OriginRules): HeaderList => {
  const headers = ['content-type', contentType, 'x-request-id', call.requestId];
  if (call.extraHeaders !== undefined) headers.push(...call.extraHeaders);
  return addOrigin(headers, call.origin, origins);
};

/** Headers of a unary error, which is JSON whatever the request was. */
export const connectErrorHeaders = (call: Call, fault: Fault, origins: OriginRules): HeaderList => [
  ...connectHeaders(call, 'application/json', origins),
  ...faultHeaders(fault),
];
