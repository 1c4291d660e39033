import { create } from '@bufbuild/protobuf';
import { type WorkerEndpoint, type WorkerStatus, WorkerStatusSchema } from '@svc/api/resources';
import { type Finding, judgedConditions } from '../../../resources/index.ts';

/** How often a worker says that it lives, and how long it counts as living after that. */
export const HEARTBEAT_MS = 10_000;
export const EXPIRY_MICROS = 30_000_000;
/** How long the record of a lost worker is kept. */
export const LOST_KEPT_MICROS = 86_400_000_000;

type WorkerPhase = 'ready' | 'draining' | 'lost';

/** What a process says of itself. */
export interface WorkerFacts {
  readonly startedAt: number;
  readonly version: string;
  readonly endpoints: readonly { readonly url: string; readonly protocol: string; readonly audience: string }[];
  readonly isBusReachable: boolean;
}

const ready: Readonly<Record<WorkerPhase, Finding>> = {
  ready: { type: 'Ready', status: 'True', reason: 'Ready' },
  draining: { type: 'Ready', status: 'False', reason: 'Draining', message: 'takes no new work' },
  lost: { type: 'Ready', status: 'False', reason: 'HeartbeatMissed', message: 'has not been heard of in time' },
};

/** Status of a worker that speaks for itself; a worker that drains can no longer be reached. */
export const liveStatus = (
  previous: WorkerStatus | undefined,
  facts: WorkerFacts,
  at: { readonly phase: 'ready' | 'draining'; readonly now: number },
): WorkerStatus => {
  const findings: readonly Finding[] = [
    ready[at.phase],
    { type: 'StoreReachable', status: 'True', reason: 'Reachable' },
    facts.isBusReachable
      ? { type: 'BusReachable', status: 'True', reason: 'Reachable' }
      : { type: 'BusReachable', status: 'False', reason: 'Unreachable' },
  ];
  return create(WorkerStatusSchema, {
    observedGeneration: 1n,
    phase: at.phase,
    conditions: judgedConditions(
      previous?.conditions ?? [],
      { phase: at.phase, findings },
      { now: at.now, generation: 1 },
    ),
    startedAt: BigInt(facts.startedAt),
    version: facts.version,
    endpoints: at.phase === 'draining' ? [] : (facts.endpoints as WorkerEndpoint[]),
  });
};

/** Status as others write it of a worker that drains or was lost. */
export const judgedStatus = (
  previous: WorkerStatus,
  at: { readonly phase: 'draining' | 'lost'; readonly now: number },
): WorkerStatus => {
  const unknown = (type: string): Finding => ({ type, status: 'Unknown', reason: 'HeartbeatMissed' });
  const others: readonly Finding[] =
    at.phase === 'lost'
      ? [unknown('StoreReachable'), unknown('BusReachable')]
      : previous.conditions
          .filter((condition) => condition.type !== 'Ready')
          .map(({ type, status, reason }) => ({ type, status: status as Finding['status'], reason }));
  const { startedAt, version } = previous;
  return create(WorkerStatusSchema, {
    observedGeneration: 1n,
    startedAt,
    version,
    phase: at.phase,
    conditions: judgedConditions(
      previous.conditions,
      { phase: at.phase, findings: [ready[at.phase], ...others] },
      { now: at.now, generation: 1 },
    ),
    endpoints: [],
  });
};
