import { create } from '@bufbuild/protobuf';
import { type ConnectorSpec, type ConnectorStatus, ConnectorStatusSchema } from '@svc/api/resources';
import type { CheckReads } from '../../../../controllers/contract.ts';
import { type Finding, judgedConditions, kindRow, messageFromText } from '../../../../resources/index.ts';
import { consumerFinding } from '../consumer-finding.ts';
import { reportFinding } from '../provider-report.ts';
import { type RouteState, reportOf, routeState, wantedText } from './route-state.ts';
import { type WantedRoutes, type WantedRoutesDeps, wantedRoutes } from './wanted-routes.ts';

/** A connector whose status is asked for. */
export interface ObservedConnector {
  readonly namespace: string;
  readonly spec: ConnectorSpec;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Text of the stored status; undefined at creation. */
  readonly status: string | undefined;
  /** At a write by a client, which takes the routes next. */
  readonly isWrite: boolean;
}

/** The status of a connector: the routes that it wants, and whether it got them when they were last settled. */
export const connectorStatus = async (
  deps: WantedRoutesDeps,
  reads: CheckReads,
  observed: ObservedConnector,
): Promise<ConnectorStatus> => {
  const { spec, namespace, generation, annotations, status } = observed;
  const wanted = await wantedRoutes(deps, reads, observed);
  const indexed = indexedFinding(wanted, routeState(annotations), observed.isWrite);
  const isReady = indexed.status === 'True';
  const phase = wanted.not?.reason === 'Disabled' ? 'disabled' : isReady ? 'ready' : 'invalid';
  const consumer = await consumerFinding(reads, spec.consumer, namespace);
  const findings: readonly Finding[] = [indexed, consumer, reportFinding(reportOf(annotations))];
  const previous =
    status === undefined ? [] : (messageFromText(kindRow('Connector').status, status) as ConnectorStatus).conditions;
  return create(ConnectorStatusSchema, {
    observedGeneration: BigInt(generation),
    phase,
    conditions: judgedConditions(previous, { phase, findings }, { now: reads.now(), generation }),
    compiledRouteIds: isReady ? [...wanted.routes] : [],
  });
};

const indexedFinding = (wanted: WantedRoutes, state: RouteState | undefined, isWrite: boolean): Finding => {
  const isSettled = state?.wanted === wantedText(wanted);
  // The text makes it differ from what is stored, so that routes that are not settled yet are.
  const open = isSettled || isWrite ? {} : { message: 'its routes are being settled' };
  if (wanted.not !== undefined) return { ...wanted.not, ...open };
  if (!isSettled || state.conflict === undefined)
    return { type: 'Indexed', status: 'True', reason: 'Indexed', ...open };
  const { routeId, holder } = state.conflict;
  const by = holder === '' ? 'a connector of another namespace' : `connector ${holder}`;
  return { type: 'Indexed', status: 'False', reason: 'RouteConflict', message: `route ${routeId} belongs to ${by}` };
};
