import type { ReadTx, StoredResource } from '../../../../store/contracts/index.ts';
import { eventRoutes } from '../connector-rules.ts';
import { connectorOf, HOLDER, isDisabledSlot } from './route-book.ts';
import { classIndexes } from './wanted-routes.ts';

/** The connector that an event reaches; one that is off only where no other one takes it. */
export interface RouteMatch {
  readonly connector: StoredResource;
  readonly routeId: string;
  readonly isDisabled: boolean;
}

/** Connectors that are off and share a route: the one with the lowest uid answers. */
const OFF_MAX = 100;

/** The connector for an event with these match fields, by the indexes of its class in their order; undefined for none. */
export const findRoute = async (
  reads: Pick<ReadTx, 'resources' | 'connectorRoutes'>,
  of: { readonly classRecord: StoredResource; readonly matchFields: Readonly<Record<string, string>> },
): Promise<RouteMatch | undefined> => {
  const classUid = of.classRecord.uid;
  const candidates = eventRoutes(classIndexes(of.classRecord), of.matchFields);
  for (const routeId of candidates) {
    const row = await reads.connectorRoutes.get({ classUid, routeId, slot: HOLDER });
    const connector = row === undefined ? undefined : await connectorOf(reads, row);
    if (connector !== undefined) return { connector, routeId, isDisabled: false };
  }
  for (const routeId of candidates) {
    const rows = await reads.connectorRoutes.page('ofRoute', { classUid, routeId }, { limit: OFF_MAX });
    for (const row of rows.filter(({ slot }) => isDisabledSlot(slot))) {
      const connector = await connectorOf(reads, row);
      if (connector !== undefined) return { connector, routeId, isDisabled: true };
    }
  }
  return undefined;
};
