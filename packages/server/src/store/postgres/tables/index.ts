/**
 * store/postgres/tables: the store contract's handles over SQL, one statement per constant. A handle does not know who
 * opens and ends its transaction; it takes row locks where the contract asks for them, and notes in the transaction's read
 * set what it read without one.
 */
import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { AuditReadHandle } from './audit-handle.ts';
import { ChannelReadHandle } from './channel-handle.ts';
import { DescribedReadHandles } from './described/index.ts';
import { LogReadHandle } from './log-handle.ts';
import { hasReference } from './object-handle.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import { SearchReadHandle } from './search/index.ts';
import { hottestCounter, instanceValue, sumCounters } from './work-handles.ts';

export { NEWEST_ACTIVITY } from './activity/index.ts';
export { AuditHandle } from './audit-handle.ts';
export { ChannelWriteHandle } from './channel-handle.ts';
export { DescribedWriteHandles } from './described/index.ts';
export { LogWriteHandle } from './log-write-handle.ts';
export { ObjectHandle } from './object-handle.ts';
export { ResourceWriteHandle } from './resource-write-handle.ts';
export { ADD_WORDS, chunkVector, RENEW_WORDS, SearchWriteHandle } from './search/index.ts';
export { CounterHandle, InstanceHandle } from './work-handles.ts';

/** A reading handle; it keeps no state of its own, so one serves every read of its `access`. */
export const createReadHandle = (access: Access): ReadTx => new ReadHandle(access);

class ReadHandle extends DescribedReadHandles implements ReadTx {
  readonly resources: ReadTx['resources'];
  readonly log: ReadTx['log'];
  readonly channels: ReadTx['channels'];
  readonly search: ReadTx['search'];
  readonly audit: ReadTx['audit'];
  readonly objects: ReadTx['objects'];
  readonly counters: ReadTx['counters'];
  readonly instance: ReadTx['instance'];

  constructor(access: Access) {
    super(access);
    this.resources = new ResourceReadHandle(access);
    this.log = new LogReadHandle(access);
    this.channels = new ChannelReadHandle(access);
    this.search = new SearchReadHandle(access);
    this.audit = new AuditReadHandle(access);
    this.objects = { hasReference: async (namespace, sha256) => hasReference(access.sql, namespace, sha256) };
    this.counters = {
      sum: async (keys, span) => sumCounters(access.sql, keys, span),
      hottest: async (prefix, span) => hottestCounter(access.sql, prefix, span),
    };
    this.instance = { value: async (name) => instanceValue(access.sql, name) };
  }
}
