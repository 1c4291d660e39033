import type { Fault } from '../../base/index.ts';
import { FAULT_CODES } from './fault-codes.ts';
import type { FaultDetail } from './fault-details.ts';
import { HttpFault, httpStatus, RANGE_INVALID } from './http-fault.ts';

/** The body of every refused call, as compact JSON; also the error line of a stream. */
export const faultBody = (fault: Fault, details: readonly FaultDetail[]): string =>
  JSON.stringify({
    error: {
      code: httpStatus(fault),
      status: fault.code,
      message: fault.message,
      details: details.map((detail) => ({ '@type': `type.googleapis.com/${detail.typeName}`, ...detail.json })),
    },
  });

/** Error of the Connect protocol: `{code, message, details}` with base64 details without padding. */
export const connectError = (fault: Fault, details: readonly FaultDetail[]): Record<string, unknown> => ({
  code: FAULT_CODES[fault.code].connect,
  message: fault.message,
  details: details.map((detail) => ({
    type: detail.typeName,
    value: Buffer.from(detail.value).toString('base64').replace(/=+$/, ''),
    debug: detail.json,
  })),
});

const keep = /[^\x20-\x24\x26-\x7e]/;

/** Percent-encoding of `grpc-message`: UTF-8 bytes outside printable ASCII, and `%` itself. */
export const encodeGrpcMessage = (text: string): string => {
  if (!keep.test(text)) return text;
  let out = '';
  for (const byte of Buffer.from(text)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    out += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
};

/** Headers that a fault adds to an answer over plain HTTP, flat name and value. */
export const faultHeaders = (fault: Fault): string[] => {
  const headers = fault instanceof HttpFault ? [...fault.headers] : [];
  const contentRange = fault.reason === RANGE_INVALID ? fault.metadata['content_range'] : undefined;
  if (contentRange !== undefined) headers.push('content-range', contentRange);
  if (fault.retryAfterMs !== undefined)
    headers.push('retry-after', String(Math.max(1, Math.ceil(fault.retryAfterMs / 1000))));
  if (fault.code === 'UNAUTHENTICATED') headers.push('www-authenticate', 'Bearer realm="svc"');
  return headers;
};
