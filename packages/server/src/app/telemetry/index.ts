/**
 * app/telemetry: what the process reports about itself: log lines, metrics, spans, profiles. Never prompts,
 * answers, tool inputs and outputs, headers or secrets. Knows no feature; app passes its hooks to transport, runtime
 * and models.
 */
export { callLog } from './call-log.ts';
export { stderrWriter } from './line-writer.ts';
export { createLog } from './log.ts';
export { createMetrics, type Metrics } from './metrics/index.ts';
export { profileRoute } from './profile-route.ts';
export { quietLog } from './quiet-log.ts';
export { openTracing } from './tracing/index.ts';
export { turnEndHook } from './turn-log.ts';
