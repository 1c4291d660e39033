import type { Fault } from '../../base/index.ts';
import { encodeGrpcMessage, FAULT_CODES, type FaultWriter } from '../faults/index.ts';
import type { HeaderList } from '../http/index.ts';

export const OK_TRAILERS: HeaderList = ['grpc-status', '0'];

/** Status of a finished call as trailers of gRPC and gRPC-web (API-1.8); `svc-cursor` says where to resume (API-5.1). */
export const statusTrailers = (fault: Fault | undefined, faults: FaultWriter): HeaderList => {
  if (fault === undefined) return OK_TRAILERS;
  const trailers = [
    'grpc-status',
    String(FAULT_CODES[fault.code].grpc),
    'grpc-message',
    encodeGrpcMessage(fault.message),
    'grpc-status-details-bin',
    Buffer.from(faults.status(fault)).toString('base64').replace(/=+$/, ''),
  ];
  const { cursor } = fault.metadata;
  if (cursor !== undefined) trailers.push('svc-cursor', cursor);
  return trailers;
};
