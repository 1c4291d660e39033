import type { FinishedCall } from '../../../transport/contract.ts';
import { REQUEST_SECONDS } from './buckets.ts';
import { Counter, type CounterSeries, Histogram, type HistogramSeries, type Registry } from './metric-classes.ts';

/** Finished calls by operation, transport and code; durations of unary ones. Only operations of the API become labels. */
export const callFigures = (registry: Registry): ((call: FinishedCall) => void) => {
  const registers = [registry];
  const requests = new Counter({
    name: 'svc_requests_total',
    help: 'Finished calls, streams included.',
    labelNames: ['operation', 'transport', 'code'],
    registers,
  });
  const latency = new Histogram({
    name: 'svc_request_duration_seconds',
    help: 'Duration of unary calls.',
    labelNames: ['transport'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  /** Created once for each set of labels, so that no label object is hashed on the hot path. */
  const counters = new Map<string, Map<string, CounterSeries>>();
  const timers = new Map<string, HistogramSeries<string>>();
  const counterOf = ({ operation, transport, code }: FinishedCall): CounterSeries => {
    const place = code === 'OK' ? transport : `${transport} ${code}`;
    let byPlace = counters.get(operation);
    if (byPlace === undefined) {
      byPlace = new Map();
      counters.set(operation, byPlace);
    }
    let counter = byPlace.get(place);
    if (counter === undefined) {
      counter = requests.labels(operation, transport, code);
      byPlace.set(place, counter);
    }
    return counter;
  };
  return (call) => {
    counterOf(call).inc();
    if (call.isStream) return;
    let timer = timers.get(call.transport);
    if (timer === undefined) {
      timer = latency.labels(call.transport);
      timers.set(call.transport, timer);
    }
    timer.observe(call.durationMs / 1000);
  };
};
