import { type Clock, createIds, type Log, type Random } from '../../base/index.ts';
import type { TurnEndHook } from '../../runtime/index.ts';
import type { FinishedCall } from '../../transport/contract.ts';
import type { Config } from '../config/index.ts';
import { callLog } from './call-log.ts';
import { createMetrics, type Metrics } from './metrics/index.ts';
import { openTracing } from './tracing/index.ts';
import { turnEndHook } from './turn-log.ts';

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
export const openObservation = async (
  config: Config,
  { clock, random, log }: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Promise<Observation> => {
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
