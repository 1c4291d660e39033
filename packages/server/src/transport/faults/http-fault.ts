import { Fault, type FaultCode } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { FAULT_CODES } from './fault-codes.ts';

interface HttpFaultParts {
  readonly status: number;
  readonly code: FaultCode;
  readonly reason: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Headers of the refusal, flat name and value: `['allow', 'GET']`. */
  readonly headers?: readonly string[];
}

/** A refusal with a status that only HTTP knows: 405, 406, 413, 414, 415, 431, 505. */
export class HttpFault extends Fault {
  readonly status: number;
  readonly headers: readonly string[];

  constructor(parts: HttpFaultParts) {
    super(parts.code, parts.reason, parts.message, { metadata: parts.metadata ?? {} });
    this.name = 'HttpFault';
    this.status = parts.status;
    this.headers = parts.headers ?? [];
  }
}

/** Reason of a range that no byte of raw content lies in; `metadata.content_range` is the header of its answer. */
export const RANGE_INVALID = 'RANGE_INVALID';
const RANGE_NOT_SATISFIABLE = 416;

/** HTTP status of any fault. */
export const httpStatus = (fault: Fault): number => {
  if (fault instanceof HttpFault) return fault.status;
  return fault.reason === RANGE_INVALID ? RANGE_NOT_SATISFIABLE : FAULT_CODES[fault.code].http;
};

const sizes = { 413: 'body', 414: 'URL', 431: 'header fields' } as const;

/** `larger than 1000 bytes (limits.requestBytes)`. */
const beyond = ({ bytes, setting }: ByteLimit): string =>
  `larger than ${bytes} bytes${setting === undefined ? '' : ` (${setting})`}`;

const limitFacts = ({ bytes, setting }: ByteLimit): Readonly<Record<string, string>> => ({
  limit_bytes: String(bytes),
  ...(setting === undefined ? {} : { setting }),
});

/** RESOURCE_EXHAUSTED TOO_LARGE for a request that is too big in itself; names the limit and what sets it. */
export const tooLarge = (status: keyof typeof sizes, limit: ByteLimit): HttpFault =>
  new HttpFault({
    status,
    code: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_LARGE',
    message: `${sizes[status]} of the request ${beyond(limit)}`,
    metadata: limitFacts(limit),
  });

/** The same for one message of a protocol in which no HTTP status says it. */
export const messageTooLarge = (limit: ByteLimit): Fault =>
  new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `message ${beyond(limit)}`, { metadata: limitFacts(limit) });

/** The same for a head of a request that was not read to its end, so that it is not known which part of it is too large. */
export const headTooLarge = (limits: { readonly urlBytes: number; readonly headerBytes: number }): HttpFault => {
  const limit = { bytes: limits.urlBytes + limits.headerBytes, setting: 'limits.urlBytes, limits.headerBytes' };
  return new HttpFault({
    status: 431,
    code: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_LARGE',
    message: `URL and header fields of the request together ${beyond(limit)}`,
    metadata: limitFacts(limit),
  });
};

export const methodNotAllowed = (allowed: readonly string[]): HttpFault =>
  new HttpFault({
    status: 405,
    code: 'UNIMPLEMENTED',
    reason: 'METHOD_UNKNOWN',
    message: `method not allowed; allowed: ${allowed.join(', ')}`,
    headers: ['allow', allowed.join(', ')],
  });

export const notAcceptable = (offered: string): HttpFault =>
  new HttpFault({
    status: 406,
    code: 'INVALID_ARGUMENT',
    reason: 'NOT_ACCEPTABLE',
    message: `only ${offered} can be answered`,
  });

export const unsupportedMedia = (message: string, headers: readonly string[] = []): HttpFault =>
  new HttpFault({ status: 415, code: 'INVALID_ARGUMENT', reason: 'UNSUPPORTED_MEDIA', message, headers });

export const http2Required = (): HttpFault =>
  new HttpFault({ status: 505, code: 'UNIMPLEMENTED', reason: 'HTTP_VERSION', message: 'gRPC needs HTTP/2' });
