import type { Fault } from '../../base/index.ts';
import { encodeGrpcMessage, FAULT_CODES, type FaultWriter } from '../faults/index.ts';
import type { HeaderList, Trailers } from '../http/index.ts';

export const OK_TRAILERS: Trailers = { 'grpc-status': '0' };

/** Status of a finished call as trailers of gRPC and gRPC-web; `svc-cursor` says where to resume. */
export const statusTrailers = (fault: Fault | undefined, faults: FaultWriter): Trailers => {
  if (fault === undefined) return OK_TRAILERS;
  const { cursor } = fault.metadata;
  return {
    'grpc-status': String(FAULT_CODES[fault.code].grpc),
    'grpc-message': encodeGrpcMessage(fault.message),
    'grpc-status-details-bin': Buffer.from(faults.status(fault)).toString('base64').replace(/=+$/, ''),
    ...(cursor === undefined ? {} : { 'svc-cursor': cursor }),
  };
};

/** Trailers as a list of headers, for an answer that has nothing else. */
export const trailersAsHeaders = (trailers: Trailers): HeaderList => Object.entries(trailers).flat();
