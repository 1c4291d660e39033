import type { Connection } from '../connection.ts';
import type { KeptRecords } from '../records/index.ts';
import { ResourceList } from './resource-list.ts';
import { ResourceReadTable, ResourceWriteTable } from './resource-table.ts';

/** Statements of resources on one connection. */
export interface ResourceTables {
  readonly resources: ResourceReadTable;
  readonly resourceList: ResourceList;
  readonly resourceWrites: ResourceWriteTable;
}

/** With `records`, resources are kept between reads. */
export const createResourceTables = (connection: Connection, records?: KeptRecords): ResourceTables => {
  const resources = new ResourceReadTable(connection, records?.cache, records?.isWriter);
  return {
    resources,
    resourceList: new ResourceList(connection),
    resourceWrites: new ResourceWriteTable(connection, resources),
  };
};
