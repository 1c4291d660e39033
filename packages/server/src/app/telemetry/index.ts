/**
 * app/telemetry: what the process reports about itself: log lines, metrics, spans, profiles. Never prompts,
 * answers, tool inputs and outputs, headers or secrets. Knows no feature; app passes its hooks to transport, runtime
 * and models.
 */
export { stderrWriter } from './line-writer.ts';
export { createLog } from './log.ts';
export { type Observation, openObservation } from './observation.ts';
export { profileRoute } from './profile-route.ts';
export { quietLog } from './quiet-log.ts';
