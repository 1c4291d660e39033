/**
 * faults: how a Fault looks on the wire. Owns the only table of codes and statuses, the google.rpc details in
 * both encodings and the bodies of errors. Does not decide what is a fault; called by every protocol folder.
 */
export * from './fault-body.ts';
export { boundedFault } from './fault-bounds.ts';
export * from './fault-codes.ts';
export * from './fault-details.ts';
export { FaultWriter } from './fault-writer.ts';
export * from './http-fault.ts';
