/**
 * app/telemetry/metrics: what the process counts, as Prometheus text. Counting costs well under a
 * microsecond; whatever can be read when it is asked for is read then. Labels come from the contract, the configuration and,
 * bounded, from names of tools and models; never from sessions, turns or identities. Called by app wiring.
 */
export { createMetrics, type Metrics } from './metrics.ts';
export type { EndedTurn } from './turn-figures.ts';
