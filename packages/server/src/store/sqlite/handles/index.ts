/**
 * store/sqlite/handles: the store contract's transaction handles over the synchronous tables. A handle answers at once
 * (its promises are already settled), so a transaction function runs to its end without a turn of the event loop.
 * Who opens, commits and syncs is not known here: `Access` says when a read may be shown and when a handle has ended.
 */
import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from './access.ts';
import { ArtifactReadHandle } from './artifact-handle.ts';
import { ChannelReadHandle } from './channel-handle.ts';
import { LogReadHandle } from './log-handle.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import { SearchReadHandle } from './search-handle.ts';
import { WorkReadHandle } from './work-handles.ts';

export type { Access, WriteAccess } from './access.ts';
export { ArtifactWriteHandle } from './artifact-handle.ts';
export { ChannelWriteHandle } from './channel-handle.ts';
export { LogWriteHandle } from './log-handle.ts';
export { ResourceWriteHandle } from './resource-handle.ts';
export { SearchWriteHandle } from './search-handle.ts';
export * from './work-handles.ts';

/** A reading handle; it keeps no state of its own, so one serves every read of its `access`. */
export const createReadHandle = (access: Access): ReadTx => {
  const work = new WorkReadHandle(access);
  return {
    resources: new ResourceReadHandle(access),
    log: new LogReadHandle(access),
    channels: new ChannelReadHandle(access),
    search: new SearchReadHandle(access),
    artifacts: new ArtifactReadHandle(access),
    idempotency: work,
    audit: work,
    objects: work,
    counters: work,
    instance: work,
  };
};
