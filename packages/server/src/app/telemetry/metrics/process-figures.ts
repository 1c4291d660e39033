import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from './metric-classes.ts';

const NANOS = 1_000_000_000;

const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak'],
]);

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

interface GcEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number };
}

/** Delays and collections are measured from the first scrape on: a process that is never scraped pays nothing. */
class ProcessWatch {
  #delay: DelayHistogram | undefined;
  #observer: PerformanceObserver | undefined;

  start(noteGc: (kind: string, seconds: number) => void): DelayHistogram {
    if (this.#delay !== undefined) return this.#delay;
    this.#delay = monitorEventLoopDelay({ samplePerIteration: true });
    this.#delay.enable();
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as GcEntry[])
        noteGc(GC_KINDS.get(entry.detail?.kind ?? 0) ?? 'other', entry.duration / 1000);
    });
    this.#observer.observe({ entryTypes: ['gc'] });
    return this.#delay;
  }

  stop(): void {
    this.#delay?.disable();
    this.#observer?.disconnect();
  }
}

const gcCounters = (registers: Registry[]) => {
  const count = new Counter({
    name: 'svc_gc_total',
    help: 'Garbage collections since metrics are read.',
    labelNames: ['kind'],
    registers,
  });
  const seconds = new Counter({
    name: 'svc_gc_seconds_total',
    help: 'Time in garbage collections since metrics are read.',
    labelNames: ['kind'],
    registers,
  });
  return (kind: string, duration: number): void => {
    count.inc({ kind });
    seconds.inc({ kind }, duration);
  };
};

const memoryGauges = (registers: Registry[]): void => {
  const facts = [
    ['process_resident_memory_bytes', 'Resident memory.', 'rss'],
    ['svc_heap_used_bytes', 'JavaScript heap in use.', 'heapUsed'],
    ['svc_external_bytes', 'Memory of buffers outside the heap.', 'external'],
  ] as const;
  for (const [name, help, fact] of facts) {
    new Gauge({
      name,
      help,
      registers,
      collect(): void {
        this.set(process.memoryUsage()[fact]);
      },
    });
  }
  new Gauge({
    name: 'process_cpu_seconds',
    help: 'CPU time of the process so far.',
    registers,
    collect(): void {
      const { user, system } = process.cpuUsage();
      this.set((user + system) / 1_000_000);
    },
  });
};

/** Memory, CPU, event loop and garbage collection, read at the time of a scrape. Returns a function that ends it. */
export const processFigures = (registry: Registry): (() => void) => {
  const registers = [registry];
  const watch = new ProcessWatch();
  const noteGc = gcCounters(registers);
  memoryGauges(registers);
  let busyBefore = performance.eventLoopUtilization();
  new Gauge({
    name: 'svc_event_loop_utilization',
    help: 'Share of time in which the event loop was busy, since metrics were last read.',
    registers,
    collect(): void {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, busyBefore).utilization);
      busyBefore = now;
    },
  });
  new Gauge({
    name: 'svc_event_loop_delay_seconds',
    help: 'Duration of turns of the event loop since metrics were last read.',
    labelNames: ['quantile'],
    registers,
    collect(): void {
      const delay = watch.start(noteGc);
      const isEmpty = delay.count === 0;
      for (const quantile of [0.5, 0.99]) {
        this.set({ quantile: String(quantile) }, isEmpty ? 0 : delay.percentile(quantile * 100) / NANOS);
      }
      this.set({ quantile: '1' }, isEmpty ? 0 : delay.max / NANOS);
      delay.reset();
    },
  });
  return () => watch.stop();
};
