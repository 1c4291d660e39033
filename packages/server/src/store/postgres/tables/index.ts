/**
 * store/postgres/tables: the store contract's handles over SQL, one statement per constant. A handle does not know who
 * opens and ends its transaction; it takes row locks where the contract asks for them, and notes in the transaction's read
 * set what it read without one.
 */
import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { ArtifactReadHandle } from './artifact-handle.ts';
import { AuditReadHandle } from './audit-handle.ts';
import { ChannelReadHandle } from './channel-handle.ts';
import { LogReadHandle } from './log-handle.ts';
import { hasReference } from './object-handle.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import { SearchReadHandle } from './search/index.ts';
import { findAnswer, hottestCounter, instanceValue, sumCounters } from './work-handles.ts';

export { NEWEST_ACTIVITY } from './activity/index.ts';
export { ArtifactWriteHandle } from './artifact-handle.ts';
export { AuditHandle } from './audit-handle.ts';
export { ChannelWriteHandle } from './channel-handle.ts';
export { LogWriteHandle } from './log-write-handle.ts';
export { ObjectHandle } from './object-handle.ts';
export { QueueHandle } from './queue-handle.ts';
export { ResourceWriteHandle } from './resource-write-handle.ts';
export { ADD_WORDS, chunkVector, RENEW_WORDS, SearchWriteHandle } from './search/index.ts';
export { CounterHandle, IdempotencyHandle, InstanceHandle, LeaseHandle } from './work-handles.ts';

/** A reading handle; it keeps no state of its own, so one serves every read of its `access`. */
export const createReadHandle = (access: Access): ReadTx => ({
  resources: new ResourceReadHandle(access),
  log: new LogReadHandle(access),
  channels: new ChannelReadHandle(access),
  search: new SearchReadHandle(access),
  artifacts: new ArtifactReadHandle(access),
  audit: new AuditReadHandle(access),
  idempotency: { find: async (scope, now) => findAnswer(access.sql, scope, now) },
  objects: { hasReference: async (namespace, sha256) => hasReference(access.sql, namespace, sha256) },
  counters: {
    sum: async (keys, span) => sumCounters(access.sql, keys, span),
    hottest: async (prefix, span) => hottestCounter(access.sql, prefix, span),
  },
  instance: { value: async (name) => instanceValue(access.sql, name) },
});
