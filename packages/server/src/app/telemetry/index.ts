/**
 * app/telemetry: where log lines and figures go. Binds base's Log to pino or a terminal and keeps the Prometheus registry.
 * Knows no feature; app hands its hooks to transport and runtime.
 */
export { createLog, type LogOptions, stderrWriter } from './log.ts';
export { createMetrics, type Metrics } from './metrics.ts';
