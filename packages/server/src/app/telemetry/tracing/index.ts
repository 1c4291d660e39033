/**
 * app/telemetry/tracing: spans of turns over OpenTelemetry. Its libraries load only with `telemetry.otlpEndpoint`;
 * without it nothing is traced and nothing is loaded. Knows turns only through runtime's contract. Called by app wiring.
 */
import type { Clock, Log } from '../../../base/index.ts';
import { noTracer, type TurnTracer } from '../../../runtime/contract.ts';

export { parseTraceParent, traceIdOf } from './trace-context.ts';

export interface TracingOptions {
  /** Base address of an OTLP receiver over HTTP, or that of its traces. */
  readonly endpoint: string;
  /** Prompts, answers, tool inputs and outputs go into spans. */
  readonly captureContent: boolean;
  readonly version: string;
  /** Name of this process among others. */
  readonly instance: string;
  readonly log: Log;
  readonly clock: Clock;
}

export interface ProcessTracing {
  readonly tracer: TurnTracer;
  /** Sends what is waiting, within seconds. */
  close(): Promise<void>;
}

/** Tracing as configured; loads OpenTelemetry only when there is an endpoint. */
export const openTracing = async (
  options: Omit<TracingOptions, 'endpoint'> & { readonly endpoint: string | undefined },
): Promise<ProcessTracing> => {
  const { endpoint } = options;
  if (endpoint === undefined) return { tracer: noTracer, close: () => Promise.resolve() };
  const { createOtlpTracing } = await import('./otlp-tracer.ts');
  return createOtlpTracing({ ...options, endpoint });
};
