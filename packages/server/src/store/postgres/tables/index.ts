/**
 * store/postgres/tables: the store contract's handles over SQL, one statement per constant; files are named as those of
 * `store/sqlite/tables`. A handle does not know who
 * opens and ends its transaction; it takes row locks where the contract asks for them, and notes in the transaction's read
 * set what it read without one.
 */
import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { AuditReadHandle } from './audit-handle.ts';
import { ChannelReadHandle } from './channel-handle.ts';
import { CounterReadHandle } from './counter-handle.ts';
import { DescribedReadHandles } from './described/index.ts';
import { InstanceReadHandle } from './instance-handle.ts';
import { LogReadHandle } from './log/index.ts';
import { ObjectReadHandle } from './object-handle.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import { SearchReadHandle } from './search/index.ts';

export { NEWEST_ACTIVITY } from './activity/index.ts';
export { AuditHandle } from './audit-handle.ts';
export { ChannelWriteHandle } from './channel-handle.ts';
export { CounterHandle } from './counter-handle.ts';
export { DescribedWriteHandles } from './described/index.ts';
export { InstanceHandle } from './instance-handle.ts';
export { LogWriteHandle } from './log/index.ts';
export { ObjectHandle } from './object-handle.ts';
export { ResourceWriteHandle } from './resource-write-handle.ts';
export { ADD_WORDS, chunkVector, probeVectors, RENEW_WORDS, SearchWriteHandle } from './search/index.ts';

/** A reading handle; it keeps no state of its own, so one serves every read of its `access`. */
export const createReadHandle = (access: Access): ReadTx => new ReadHandle(access);

class ReadHandle extends DescribedReadHandles implements ReadTx {
  readonly resources: ResourceReadHandle;
  readonly log: LogReadHandle;
  readonly channels: ChannelReadHandle;
  readonly search: SearchReadHandle;
  readonly audit: AuditReadHandle;
  readonly objects: ObjectReadHandle;
  readonly counters: CounterReadHandle;
  readonly instance: InstanceReadHandle;

  constructor(access: Access) {
    super(access);
    this.resources = new ResourceReadHandle(access);
    this.log = new LogReadHandle(access);
    this.channels = new ChannelReadHandle(access);
    this.search = new SearchReadHandle(access);
    this.audit = new AuditReadHandle(access);
    this.objects = new ObjectReadHandle(access);
    this.counters = new CounterReadHandle(access);
    this.instance = new InstanceReadHandle(access);
  }
}
