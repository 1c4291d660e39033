import type { Clock } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FinishedCall } from '../../../transport/contract.ts';
import { callFigures } from './call-figures.ts';
import { Counter, Gauge, Registry } from './metric-classes.ts';
import { processFigures } from './process-figures.ts';
import { backupFigure, queueFigures, timedStore } from './store-figures.ts';
import { type TurnFigures, turnFigures } from './turn-figures.ts';

/** What the process counts; no session, turn or identity is ever a label. */
export interface Metrics extends TurnFigures {
  /** Prometheus text, collected at the time of the call. */
  readonly text: () => Promise<string>;
  readonly onCall: (call: FinishedCall) => void;
  /** A usage policy refused a reservation of that metric. */
  readonly usageRefused: (metric: string) => void;
  /** The same store with its transactions timed. */
  readonly timed: (store: Store) => Store;
  /** Adds what only the running parts know. */
  readonly watch: (live: LiveFigures) => void;
  readonly close: () => void;
}

/** Values that exist anyway and are read at the time of a scrape. */
interface LiveFigures {
  readonly runningTurns: () => number;
  readonly repairs: () => number;
  readonly openStreams: () => number;
  readonly slowStreams: () => number;
  readonly queueKinds: () => readonly string[];
  /** Failed attempts of the pending scheduled backup. */
  readonly backupFailures: () => Promise<number>;
  readonly store: Pick<Store, 'write'>;
}

const gauge = (registry: Registry, [name, help]: readonly [string, string], read: () => number): void => {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect(): void {
      this.set(read());
    },
  });
};

/** A counter that another part keeps. */
const counter = (registry: Registry, [name, help]: readonly [string, string], read: () => number): void => {
  new Counter({
    name,
    help,
    registers: [registry],
    collect(): void {
      this.reset();
      this.inc(read());
    },
  });
};

const watchLive = (registry: Registry, live: LiveFigures): void => {
  gauge(registry, ['svc_turn_open', 'Turns this process runs.'], live.runningTurns);
  gauge(registry, ['svc_stream_open', 'Session streams with a reader.'], live.openStreams);
  const slow = ['svc_stream_slow_ended_total', 'Session streams ended because their reader was too slow.'] as const;
  counter(registry, slow, live.slowStreams);
  const repairs = [
    'svc_sweeper_repairs_total',
    'Sessions that looked busy without a turn; 0 unless there is a defect.',
  ] as const;
  counter(registry, repairs, live.repairs);
  backupFigure(registry, live.backupFailures);
  queueFigures(registry, { store: live.store, kinds: live.queueKinds });
};

/** The metrics of one process; with `namespaceLabel` those of turns have their namespace as a label. */
export const createMetrics = (options: { readonly clock: Clock; readonly namespaceLabel: boolean }): Metrics => {
  const registry = new Registry();
  const stopProcess = processFigures(registry);
  const refused = new Counter({
    name: 'svc_usage_refused_total',
    help: 'Reservations that a usage policy refused.',
    labelNames: ['metric'],
    registers: [registry],
  });
  return {
    ...turnFigures(registry, options.namespaceLabel),
    text: () => registry.metrics(),
    onCall: callFigures(registry),
    usageRefused: (metric) => refused.inc({ metric }),
    timed: (store) => timedStore(registry, store, options.clock),
    watch: (live) => watchLive(registry, live),
    close: stopProcess,
  };
};
