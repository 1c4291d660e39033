/**
 * store/sqlite/tables: the store contract's handles over SQL, one statement per constant; files are named as those of
 * `store/postgres/tables`. A handle answers at once (its promises are already settled), so a transaction function runs to its end
 * without a turn of the event loop. Who opens, commits and syncs is not known here: `Access` says when a read may be shown and when a
 * handle has ended. `Tables` holds what stays with a connection between transactions.
 */
import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import type { Connection } from '../connection.ts';
import type { KeptRecords } from '../records/index.ts';
import { AuditReadHandle } from './audit-handle.ts';
import { ChannelReadHandle } from './channel-handle.ts';
import { CounterReadHandle } from './counter-handle.ts';
import { DescribedReadHandles } from './described/index.ts';
import { InstanceReadHandle } from './instance-handle.ts';
import { createLogTables, LogReadHandle, type LogTables } from './log/index.ts';
import { ObjectReadHandle } from './object-handle.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import { createResourceTables, type ResourceTables } from './resource-tables.ts';
import { SearchReadHandle } from './search/index.ts';

export { AuditHandle } from './audit-handle.ts';
export { ChannelWriteHandle } from './channel-handle.ts';
export { CounterHandle } from './counter-handle.ts';
export { DescribedWriteHandles } from './described/index.ts';
export { InstanceHandle, instanceValue, setInstanceValue } from './instance-handle.ts';
export { LogWriteHandle } from './log/index.ts';
export { ObjectHandle } from './object-handle.ts';
export { ResourceWriteHandle } from './resource-write-handle.ts';
export { SearchWriteHandle } from './search/index.ts';

/** Statements of resources and of sessions on one connection, with the records that they keep. */
export interface Tables extends ResourceTables, LogTables {}

/** The tables on one connection; with `records`, resources and sessions are kept between reads. */
export const createTables = (connection: Connection, records?: KeptRecords): Tables => ({
  ...createResourceTables(connection, records),
  ...createLogTables(connection, records),
});

/** A reading handle; it keeps no state of its own, so one serves every read of its `access`. */
export const createReadHandle = (access: Access<Tables>): ReadTx => new ReadHandle(access);

class ReadHandle extends DescribedReadHandles implements ReadTx {
  readonly resources: ResourceReadHandle;
  readonly log: LogReadHandle;
  readonly channels: ChannelReadHandle;
  readonly search: SearchReadHandle;
  readonly audit: AuditReadHandle;
  readonly objects: ObjectReadHandle;
  readonly counters: CounterReadHandle;
  readonly instance: InstanceReadHandle;

  constructor(access: Access<Tables>) {
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
