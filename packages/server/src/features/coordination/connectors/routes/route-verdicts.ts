import type { ConnectorRouteRow, ReadTx, StoredResource } from '../../../../store/contracts/index.ts';
import { eventRoutes, routeMismatch } from '../connector-rules.ts';
import { classState } from '../registration/index.ts';
import { findRoute } from './find-route.ts';
import { connectorOf, connectorSpec, HOLDER, isDisabledSlot } from './route-book.ts';
import { classIndexes } from './wanted-routes.ts';

type Reads = Pick<ReadTx, 'resources' | 'connectorRoutes'>;

/** What an event makes of one route of a class. */
export interface RouteVerdict {
  readonly routeId: string;
  /** Names of the connector; '' where no connector wants the route. */
  readonly ns: string;
  readonly connector: string;
  readonly outcome:
    | 'matched'
    | 'later'
    | 'field_missing'
    | 'field_differs'
    | 'route_conflict'
    | 'not_registered'
    | 'disabled'
    | 'no_connector';
  readonly field?: string;
  readonly wanted?: string;
  readonly given?: string;
}

export interface RouteQuestion {
  readonly classRecord: StoredResource;
  readonly matchFields: Readonly<Record<string, string>>;
  /** Its routes are among the answers, however many the class has. */
  readonly connectorUid: string;
  /** False for namespaces whose connectors are left out. */
  readonly isVisible: (namespace: string) => boolean;
}

/** Most routes of an answer. */
const ROWS_MAX = 200;

/** Which routes an event fits and why not the others: those that it names first, then those of the connector, then others of the class. */
export const routeVerdicts = async (
  reads: Reads,
  question: RouteQuestion,
): Promise<{ readonly verdicts: readonly RouteVerdict[]; readonly isTruncated: boolean }> => {
  const { classRecord, matchFields, isVisible } = question;
  const named = eventRoutes(classIndexes(classRecord), matchFields);
  const match = await findRoute(reads, question);
  const { rows, isTruncated } = await rowsFor(reads, question, named);
  const verdicts: RouteVerdict[] = [];
  for (const row of rows) {
    const connector = isVisible(row.namespace) ? await connectorOf(reads, row) : undefined;
    if (connector === undefined) continue;
    const isMatch = match?.routeId === row.routeId && match.connector.uid === connector.uid;
    const verdict =
      isMatch && !match.isDisabled ? { outcome: 'matched' as const } : unmatched(question, row, connector);
    verdicts.push({ routeId: row.routeId, ns: row.namespace, connector: row.connector, ...verdict });
  }
  const wanted = new Set(rows.map(({ routeId }) => routeId));
  for (const routeId of named)
    if (!wanted.has(routeId)) verdicts.push({ routeId, ns: '', connector: '', outcome: 'no_connector' });
  return { verdicts, isTruncated };
};

const unmatched = (
  { classRecord, matchFields }: RouteQuestion,
  { routeId, slot }: ConnectorRouteRow,
  connector: StoredResource,
): Pick<RouteVerdict, 'outcome' | 'field' | 'wanted' | 'given'> => {
  const fields = { wanted: connectorSpec(connector).matchFields, given: matchFields };
  const mismatch = routeMismatch(classIndexes(classRecord), routeId, fields);
  if (mismatch !== undefined)
    return { outcome: mismatch.given.trim() === '' ? 'field_missing' : 'field_differs', ...mismatch };
  if (slot === HOLDER) return { outcome: 'later' };
  if (isDisabledSlot(slot)) return { outcome: 'disabled' };
  const isRegistered = classState(classRecord.annotations).registered !== undefined;
  return { outcome: isRegistered ? 'route_conflict' : 'not_registered' };
};

const rowsFor = async (
  { connectorRoutes }: Reads,
  { classRecord, connectorUid }: RouteQuestion,
  named: readonly string[],
): Promise<{ readonly rows: readonly ConnectorRouteRow[]; readonly isTruncated: boolean }> => {
  const classUid = classRecord.uid;
  const found = new Map<string, ConnectorRouteRow>();
  const add = (rows: readonly ConnectorRouteRow[]): void => {
    for (const row of rows) found.set(`${row.routeId} ${row.slot}`, row);
  };
  for (const routeId of named) add(await connectorRoutes.page('ofRoute', { classUid, routeId }, { limit: ROWS_MAX }));
  const own = await connectorRoutes.page('ofConnector', { connectorUid }, { limit: ROWS_MAX });
  add(own.filter((row) => row.classUid === classUid));
  const others = await connectorRoutes.page('ofClass', { classUid }, { limit: ROWS_MAX + 1 });
  add(others);
  return { rows: [...found.values()].slice(0, ROWS_MAX), isTruncated: found.size > ROWS_MAX };
};
