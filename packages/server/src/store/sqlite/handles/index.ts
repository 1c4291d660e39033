/**
 * store/sqlite/handles: the store contract's transaction handles over the synchronous tables. A handle answers at once
 * (its promises are already settled), so a transaction function runs to its end without a turn of the event loop.
 * Who opens, commits and syncs is not known here: `Access` says when a read may be shown and when a handle has ended.
 */
import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { DescribedReadHandles } from '../tables/index.ts';
import { ChannelReadHandle } from './channel-handle.ts';
import { LogReadHandle } from './log-handle.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import { SearchReadHandle } from './search-handle.ts';
import { WorkReadHandle } from './work-handles.ts';

export { ChannelWriteHandle } from './channel-handle.ts';
export { LogWriteHandle } from './log-handle.ts';
export { ResourceWriteHandle } from './resource-handle.ts';
export { SearchWriteHandle } from './search-handle.ts';
export * from './work-handles.ts';

/** A reading handle; it keeps no state of its own, so one serves every read of its `access`. */
export const createReadHandle = (access: Access): ReadTx => new ReadHandle(access);

class ReadHandle extends DescribedReadHandles implements ReadTx {
  readonly resources: ResourceReadHandle;
  readonly log: LogReadHandle;
  readonly channels: ChannelReadHandle;
  readonly search: SearchReadHandle;
  readonly audit: WorkReadHandle;
  readonly objects: WorkReadHandle;
  readonly counters: WorkReadHandle;
  readonly instance: WorkReadHandle;

  constructor(access: Access) {
    super(access);
    const work = new WorkReadHandle(access);
    this.resources = new ResourceReadHandle(access);
    this.log = new LogReadHandle(access);
    this.channels = new ChannelReadHandle(access);
    this.search = new SearchReadHandle(access);
    this.audit = work;
    this.objects = work;
    this.counters = work;
    this.instance = work;
  }
}
