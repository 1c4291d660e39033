import { createRequire } from 'node:module';
import type * as Client from 'prom-client';

const load = createRequire(import.meta.url);

/**
 * The classes of prom-client that metrics need, imported by file: its entry module also loads a push gateway, summaries, a
 * cluster registry and the tracing API, 80 modules that are not used here (decision 0003).
 */
export const Counter: typeof Client.Counter = load('prom-client/lib/counter.js');
export type Counter<T extends string> = Client.Counter<T>;
export type CounterSeries = Client.Counter.Internal;

export const Gauge: typeof Client.Gauge = load('prom-client/lib/gauge.js');
export type Gauge<T extends string> = Client.Gauge<T>;

export const Histogram: typeof Client.Histogram = load('prom-client/lib/histogram.js');
export type Histogram<T extends string> = Client.Histogram<T>;
export type HistogramSeries<T extends string> = Client.Histogram.Internal<T>;

export const Registry: typeof Client.Registry = load('prom-client/lib/registry.js');
export type Registry = Client.Registry;
