import { createIds } from '../../base/index.ts';
import { failedTries, pendingBackup } from '../../features/platform/backups/index.ts';
import type { HttpRoute } from '../../operations/index.ts';
import type { TurnEndHook } from '../../runtime/index.ts';
import type { FinishedCall } from '../../transport/contract.ts';
import type { Config } from '../config/index.ts';
import { callLog, createMetrics, type Metrics, openTracing, profileRoute, turnEndHook } from '../telemetry/index.ts';
import type { Engines } from './engines.ts';
import type { AppParts } from './operations.ts';

/** What the process tells of itself. */
export interface Observation {
  readonly metrics: Metrics;
  readonly tracer: Awaited<ReturnType<typeof openTracing>>['tracer'];
  readonly turnHook: TurnEndHook;
  readonly onCall: (call: FinishedCall) => void;
  /** Delivers what waits. */
  close(): Promise<void>;
}

/** Figures, spans and the lines of calls and turns. */
export const openObservation = async (config: Config, { clock, random, log }: Engines): Promise<Observation> => {
  const { otlpEndpoint, captureContent, logFormat } = config.telemetry;
  const metrics = createMetrics({ clock, namespaceLabel: config.settings['metrics.namespaceLabel'] });
  const tracing = await openTracing({
    endpoint: otlpEndpoint,
    captureContent,
    version: config.transport.version,
    instance: createIds(clock, random).next(),
    log,
    clock,
  });
  const logCall = callLog(log, logFormat === 'text' ? 'debug' : 'info');
  return {
    metrics,
    tracer: tracing.tracer,
    turnHook: turnEndHook({ log, turnEnded: metrics.turnEnded, isTraced: otlpEndpoint !== undefined }),
    onCall: (call) => {
      metrics.onCall(call);
      logCall(call);
    },
    close: async () => {
      metrics.close();
      await tracing.close();
    },
  };
};

/** Begins to show what only the wired parts know. */
export const watchParts = ({ metrics }: Observation, { engines, resources, turns }: AppParts): void =>
  metrics.watch({
    store: engines.store,
    runningTurns: () => turns.runtime.worker.running,
    repairs: () => turns.runtime.sweeper.repairs,
    openStreams: () => turns.streams.open,
    slowStreams: () => turns.streams.slowEnded,
    queueKinds: () => resources.queueKinds,
    backupFailures: async () => failedTries(await pendingBackup(engines.store.direct)),
  });

/** Plain routes for the operator of this process. */
export const operatorRoutes = ({ engines, resources }: AppParts): readonly HttpRoute[] => [
  profileRoute({ authorizer: resources.authorizer, clock: engines.clock }),
];
