import type { ConnectorSpec } from '@svc/api/resources';
import type { ResourceWriter } from '../../../../controllers/contract.ts';
import { kindRow, messageFromText, recordKey } from '../../../../resources/index.ts';
import type { ConnectorRouteRow, ReadTx, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { connectorStatus } from './connector-status.ts';
import { routeAnnotation, wantedText } from './route-state.ts';
import { type RoutePlace, type WantedRoutesDeps, wantedRoutes } from './wanted-routes.ts';

export interface RouteBookDeps extends WantedRoutesDeps {
  readonly writer: () => Pick<ResourceWriter, 'writeStatus'>;
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
}

/** Routes of a connector, also of the class it had before; a class has at most 16 indexes. */
const OWN_MAX = 64;
/** Connectors that may wait for one route and are tried when it becomes free. */
const WAITING_MAX = 200;
/** Connectors that take their routes in the transaction in which their class is registered; further ones follow at once. */
const AT_ACCEPTANCE = 500;
const PAGE = 200;

const WAITING = 'waiting/';
const DISABLED = 'disabled/';
/** Slot of the one holder of a route. */
export const HOLDER = '';

const slotOf = (place: Exclude<RoutePlace, 'none'>, uid: string): string =>
  place === 'held' ? HOLDER : `${place === 'waiting' ? WAITING : DISABLED}${uid}`;

/** True for the row of a connector that is off. */
export const isDisabledSlot = (slot: string): boolean => slot.startsWith(DISABLED);

const classLine = (classUid: string): string => `routes of connector class ${classUid}`;

type ClassRoutes = Pick<ConnectorRouteRow, 'classUid' | 'routeId'>;

/**
 * Who holds which route. A connector takes all its routes or none, in one transaction per class at a time; the holder keeps
 * its routes, and the others wait in the order of their uids.
 */
export class RouteBook {
  readonly #deps: RouteBookDeps;

  constructor(deps: RouteBookDeps) {
    this.#deps = deps;
  }

  /** Makes the routes and the status of a connector what they should be; those it gives up go to who waits for them. */
  async settle(tx: WriteTx, record: StoredResource): Promise<StoredResource> {
    const { stored, released } = await this.#settleOne(tx, record);
    await this.#handOn(tx, released);
    return stored;
  }

  /** The connector is deleted. */
  async release(tx: WriteTx, { uid }: StoredResource): Promise<void> {
    const rows = await this.#rowsInLine(tx, uid, []);
    for (const { classUid, routeId, slot } of rows) await tx.connectorRoutes.remove({ classUid, routeId, slot });
    await this.#handOn(
      tx,
      rows.filter(({ slot }) => slot === HOLDER),
    );
  }

  /** The class was registered: connectors that waited for that take their routes. */
  async classAccepted(tx: WriteTx, classUid: string): Promise<void> {
    const seen = new Set<string>();
    for await (const row of this.classRows(tx, classUid)) {
      if (!row.slot.startsWith(WAITING) || seen.has(row.connectorUid)) continue;
      seen.add(row.connectorUid);
      const record = await connectorOf(tx, row);
      if (record !== undefined) await this.settle(tx, record);
      if (seen.size === AT_ACCEPTANCE) return;
    }
  }

  /** All rows of a class, in pages. */
  async *classRows(reads: Pick<WriteTx, 'connectorRoutes'>, classUid: string): AsyncGenerator<ConnectorRouteRow> {
    let after: Pick<ConnectorRouteRow, 'routeId' | 'slot'> | undefined;
    do {
      const page = await reads.connectorRoutes.page('ofClass', { classUid }, { after, limit: PAGE });
      yield* page;
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined);
  }

  async #settleOne(tx: WriteTx, record: StoredResource) {
    const { uid, key } = record;
    const spec = connectorSpec(record);
    const first = await wantedRoutes(this.#deps, tx, { namespace: key.namespace, spec });
    const before = await this.#rowsInLine(tx, uid, [first.classUid]);
    const wanted = await wantedRoutes(this.#deps, tx, { namespace: key.namespace, spec });
    const { classUid, routes, place } = wanted;
    const taken = place === 'held' ? await this.#takenRoute(tx, record, { classUid, routes }) : undefined;
    const settled = taken === undefined ? place : 'waiting';
    const rows: readonly ConnectorRouteRow[] =
      settled === 'none'
        ? []
        : routes.map((routeId) => ({
            classUid,
            routeId,
            slot: slotOf(settled, uid),
            connectorUid: uid,
            namespace: key.namespace,
            connector: key.name,
          }));
    const gone = before.filter((row) => !rows.some((other) => isSameRow(row, other)));
    for (const row of gone)
      await tx.connectorRoutes.remove({ classUid: row.classUid, routeId: row.routeId, slot: row.slot });
    for (const row of rows) if (!before.some((other) => isSameRow(row, other))) await tx.connectorRoutes.put(row);
    const conflict = taken === undefined ? {} : { conflict: taken };
    const stored = await this.#write(tx, record, routeAnnotation({ wanted: wantedText(wanted), ...conflict }));
    return { stored, released: gone.filter(({ slot }) => slot === HOLDER) };
  }

  /** The connector's rows, once no other transaction changes routes of the classes concerned. */
  async #rowsInLine(
    tx: WriteTx,
    connectorUid: string,
    classes: readonly string[],
  ): Promise<readonly ConnectorRouteRow[]> {
    const rows = () => tx.connectorRoutes.page('ofConnector', { connectorUid }, { limit: OWN_MAX });
    const uids = new Set([...(await rows()).map(({ classUid }) => classUid), ...classes]);
    uids.delete('');
    await tx.inLine([...uids].map(classLine));
    return rows();
  }

  /** The first of the routes that another connector holds. */
  async #takenRoute(
    tx: WriteTx,
    { uid, key }: StoredResource,
    { classUid, routes }: { readonly classUid: string; readonly routes: readonly string[] },
  ): Promise<{ readonly routeId: string; readonly holder: string } | undefined> {
    for (const routeId of routes) {
      const row = await tx.connectorRoutes.get({ classUid, routeId, slot: HOLDER });
      if (row === undefined || row.connectorUid === uid) continue;
      return {
        routeId,
        holder: this.#mayKnow(key.namespace, row.namespace) ? `${row.namespace}/${row.connector}` : '',
      };
    }
    return undefined;
  }

  /** Names are shown within a namespace, to those above it and to those below it. */
  #mayKnow(namespace: string, holder: string): boolean {
    const { ancestorsOf } = this.#deps;
    return [namespace, ...ancestorsOf(namespace)].includes(holder) || ancestorsOf(holder).includes(namespace);
  }

  async #write(
    tx: WriteTx,
    { key, generation, annotations: before }: StoredResource,
    system: Readonly<Record<string, string>>,
  ): Promise<StoredResource> {
    const record = await tx.resources.get(key);
    const annotations = { ...(record?.annotations ?? before), ...system };
    const status = await connectorStatus(this.#deps, tx, {
      namespace: key.namespace,
      spec: connectorSpec(record as StoredResource),
      generation,
      annotations,
      status: record?.status,
      isWrite: false,
    });
    const stored = await this.#deps.writer().writeStatus(tx, key, () => ({ status, system: { annotations: system } }));
    return stored as StoredResource;
  }

  /** Each route that became free goes to the first who waits for it and can take all that it wants. */
  async #handOn(tx: WriteTx, released: readonly ClassRoutes[]): Promise<void> {
    for (const { classUid, routeId } of released) {
      const rows = await tx.connectorRoutes.page('ofRoute', { classUid, routeId }, { limit: WAITING_MAX });
      for (const row of rows.filter(({ slot }) => slot.startsWith(WAITING))) {
        if ((await tx.connectorRoutes.get({ classUid, routeId, slot: HOLDER })) !== undefined) break;
        const record = await connectorOf(tx, row);
        if (record !== undefined) await this.#settleOne(tx, record);
      }
    }
  }
}

const isSameRow = (left: ConnectorRouteRow, right: ConnectorRouteRow): boolean =>
  left.classUid === right.classUid && left.routeId === right.routeId && left.slot === right.slot;

/** Typed spec of a stored connector. */
export const connectorSpec = (record: StoredResource): ConnectorSpec =>
  messageFromText(kindRow('Connector').spec, record.spec) as ConnectorSpec;

/** The connector of a row; undefined once it is gone or was made again. */
export const connectorOf = async (
  reads: Pick<ReadTx, 'resources'>,
  { namespace, connector, connectorUid }: ConnectorRouteRow,
): Promise<StoredResource | undefined> => {
  const record = await reads.resources.get(recordKey('Connector', namespace, connector));
  return record?.uid === connectorUid ? record : undefined;
};
