import type { ConnectorClassSpec, ConnectorSpec } from '@svc/api/resources';
import { isFault } from '../../../../base/index.ts';
import type { NamespaceFacts } from '../../../../controllers/contract.ts';
import { type Finding, kindRow, messageFromText, recordKey } from '../../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../../store/contracts/index.ts';
import { compileRoutes, hasConsumer } from '../connector-rules.ts';
import { classState } from '../registration/index.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface WantedRoutesDeps {
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
}

/** Where a connector's routes belong: it takes them, waits for its class, is off but known, or has none. */
export type RoutePlace = 'held' | 'waiting' | 'disabled' | 'none';

/** What a connector wants of the routes of its class. */
export interface WantedRoutes {
  /** '' where there is no class. */
  readonly classUid: string;
  readonly place: RoutePlace;
  readonly routes: readonly string[];
  /** Condition Indexed where the routes are not wanted at once. */
  readonly not?: Finding;
}

/** What a connector wants, by its spec, its class and its namespace. */
export const wantedRoutes = async (
  deps: WantedRoutesDeps,
  reads: Reads,
  { namespace, spec }: { readonly namespace: string; readonly spec: ConnectorSpec },
): Promise<WantedRoutes> => {
  const { name = '', namespace: classNamespace = '' } = spec.classRef ?? {};
  const record = await reads.resources.get(recordKey('ConnectorClass', classNamespace || namespace, name));
  const compiled = record === undefined ? [] : compileRoutes(classIndexes(record), spec.matchFields);
  const classUid = record?.uid ?? '';
  const isOpen = spec.enabled !== false && (await isLive(deps, reads, namespace));
  if (!isOpen) {
    const reason = spec.enabled === false ? 'Disabled' : 'NamespaceDeleted';
    const message = spec.enabled === false ? 'the connector is disabled' : 'its namespace is deleted';
    return {
      classUid,
      place: compiled.length === 0 ? 'none' : 'disabled',
      routes: compiled,
      not: not(reason, message),
    };
  }
  const problem = problemOf(spec, record, compiled);
  if (problem !== undefined) return { classUid, place: 'none', routes: [], not: problem };
  if (record !== undefined && classState(record.annotations).registered === undefined)
    return {
      classUid,
      place: 'waiting',
      routes: compiled,
      not: not('ClassNotRegistered', 'its class is not registered with its service yet'),
    };
  return { classUid, place: 'held', routes: compiled };
};

const not = (reason: string, message: string): Finding => ({ type: 'Indexed', status: 'False', reason, message });

const isLive = async ({ namespaces }: WantedRoutesDeps, reads: Reads, namespace: string): Promise<boolean> => {
  try {
    await namespaces.requireLive(reads, namespace);
    return true;
  } catch (error) {
    if (isFault(error) && error.reason.startsWith('NAMESPACE_')) return false;
    throw error;
  }
};

const problemOf = (
  spec: ConnectorSpec,
  record: StoredResource | undefined,
  routes: readonly string[],
): Finding | undefined => {
  if (record === undefined) return not('ClassNotFound', 'there is no such connector class');
  if (spec.consumer === undefined || !hasConsumer(spec.consumer))
    return not('ConsumerMissing', 'nothing takes its messages');
  if (Object.keys(spec.matchFields).length === 0) return not('MatchFieldsEmpty', 'it matches no event');
  return routes.length === 0 ? not('NoIndexSatisfied', 'no index of the class has all its fields') : undefined;
};

/** The match indexes of a stored class. */
export const classIndexes = (record: StoredResource): ConnectorClassSpec['matchIndexes'] =>
  (messageFromText(kindRow('ConnectorClass').spec, record.spec) as ConnectorClassSpec).matchIndexes;
