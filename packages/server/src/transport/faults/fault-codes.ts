import type { FaultCode } from '../../base/index.ts';

/** How one canonical code looks on each protocol. */
export interface FaultStatus {
  /** Number of the code in gRPC and gRPC-web. */
  readonly grpc: number;
  /** HTTP status in REST and Connect. */
  readonly http: number;
  /** Word of the Connect protocol. */
  readonly connect: string;
}

/** The only table between codes and the statuses of the protocols. */
export const FAULT_CODES: Readonly<Record<FaultCode, FaultStatus>> = {
  CANCELLED: { grpc: 1, http: 499, connect: 'canceled' },
  UNKNOWN: { grpc: 2, http: 500, connect: 'unknown' },
  INVALID_ARGUMENT: { grpc: 3, http: 400, connect: 'invalid_argument' },
  DEADLINE_EXCEEDED: { grpc: 4, http: 504, connect: 'deadline_exceeded' },
  NOT_FOUND: { grpc: 5, http: 404, connect: 'not_found' },
  ALREADY_EXISTS: { grpc: 6, http: 409, connect: 'already_exists' },
  PERMISSION_DENIED: { grpc: 7, http: 403, connect: 'permission_denied' },
  RESOURCE_EXHAUSTED: { grpc: 8, http: 429, connect: 'resource_exhausted' },
  FAILED_PRECONDITION: { grpc: 9, http: 400, connect: 'failed_precondition' },
  ABORTED: { grpc: 10, http: 409, connect: 'aborted' },
  OUT_OF_RANGE: { grpc: 11, http: 400, connect: 'out_of_range' },
  UNIMPLEMENTED: { grpc: 12, http: 501, connect: 'unimplemented' },
  INTERNAL: { grpc: 13, http: 500, connect: 'internal' },
  UNAVAILABLE: { grpc: 14, http: 503, connect: 'unavailable' },
  DATA_LOSS: { grpc: 15, http: 500, connect: 'data_loss' },
  UNAUTHENTICATED: { grpc: 16, http: 401, connect: 'unauthenticated' },
};
