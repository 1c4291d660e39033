/**
 * store/sqlite/tables: every SQL statement of the engine, one class per table, synchronous, bound to one connection.
 * Knows rows and keys, not transactions: `handles/` wraps these as the asynchronous store contract.
 */
import type { Connection } from '../connection.ts';
import type { RecordCache } from '../records/index.ts';
import { AuditTable } from './audit-table.ts';
import { ChannelEventTable } from './channel-event-table.ts';
import { ChannelMessageTable } from './channel-message-table.ts';
import { ClaimTable } from './claim-table.ts';
import { MessageTable } from './message-table.ts';
import { ObjectTable } from './object-table.ts';
import { ResourceList } from './resource-list.ts';
import { ResourceReadTable, ResourceWriteTable } from './resource-table.ts';
import { SearchReadTable, SearchWriteTable } from './search/index.ts';
import { SessionTable } from './session-table.ts';
import { CounterTable, InstanceTable } from './small-tables.ts';
import { JournalTable, PermissionTable, SteerTable } from './turn-detail-tables.ts';
import { TurnTable } from './turn-table.ts';

export { DescribedReadHandles, DescribedWriteHandles } from './described/index.ts';
export type { ObjectReference } from './object-table.ts';

/** The tables on one connection. Statements are prepared when first used, so a reading connection pays only for reads. */
export interface Tables {
  readonly resources: ResourceReadTable;
  readonly resourceList: ResourceList;
  readonly resourceWrites: ResourceWriteTable;
  readonly sessions: SessionTable;
  readonly messages: MessageTable;
  readonly turns: TurnTable;
  readonly claims: ClaimTable;
  readonly journal: JournalTable;
  readonly steers: SteerTable;
  readonly permissions: PermissionTable;
  readonly channelMessages: ChannelMessageTable;
  readonly channelEvents: ChannelEventTable;
  readonly search: SearchReadTable;
  readonly searchWrites: SearchWriteTable;
  readonly audit: AuditTable;
  readonly counters: CounterTable;
  readonly objects: ObjectTable;
  readonly instance: InstanceTable;
}

/** The tables on one connection; with `records`, resources and sessions are kept between reads. */
export const createTables = (
  connection: Connection,
  records?: { readonly cache: RecordCache; readonly isWriter: boolean },
): Tables => {
  const resources = new ResourceReadTable(connection, records?.cache, records?.isWriter);
  return {
    resources,
    resourceList: new ResourceList(connection),
    resourceWrites: new ResourceWriteTable(connection, resources),
    sessions: new SessionTable(connection, records?.cache, records?.isWriter),
    messages: new MessageTable(connection),
    turns: new TurnTable(connection),
    claims: new ClaimTable(connection),
    journal: new JournalTable(connection),
    steers: new SteerTable(connection),
    permissions: new PermissionTable(connection),
    channelMessages: new ChannelMessageTable(connection),
    channelEvents: new ChannelEventTable(connection),
    search: new SearchReadTable(connection),
    searchWrites: new SearchWriteTable(connection),
    audit: new AuditTable(connection),
    counters: new CounterTable(connection),
    objects: new ObjectTable(connection),
    instance: new InstanceTable(connection),
  };
};
