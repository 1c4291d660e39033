/**
 * What runtime exports to features (admission, session lifecycle, stop, live view) and what it needs of them (agents,
 * namespaces, usage, files), as interfaces that app satisfies. Everything that takes part in a
 * transaction gets the transaction's handle.
 */
export * from './needs-contract.ts';
export * from './part-contract.ts';
export * from './prompt-contract.ts';
export * from './telemetry-contract.ts';
export * from './turn-contract.ts';
export { admittedAt, isTurnOver, parseBody, parsePermission, partId, replyTextOf } from './turn-record.ts';
export * from './work-contract.ts';
