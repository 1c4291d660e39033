/**
 * app/telemetry/metrics: what the process counts, as Prometheus text. Counting costs well under a
 * microsecond; values that can be read at the time of a scrape are read then. Labels come from the API, the configuration and,
 * in limited number, names of tools and models; never from sessions, turns or identities. Called by app wiring.
 */
export { createMetrics, type Metrics } from './metrics.ts';
export type { EndedTurn } from './turn-figures.ts';
