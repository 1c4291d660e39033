import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TurnEndHook } from '../../runtime/index.ts';
import type { TransportParts } from '../../transport/contract.ts';

type CallSeen = NonNullable<TransportParts['onCall']>;

/** What the process counts (PL-15, RT-11); no session, turn or identity is ever a label. */
export interface Metrics {
  readonly text: () => Promise<string>;
  readonly onCall: CallSeen;
  /** Counts ended turns by state and class, with their duration. */
  readonly turnHook: TurnEndHook;
}

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60];

export interface LiveFigures {
  readonly runningTurns: () => number;
  readonly repairs: () => number;
}

export const createMetrics = (live: LiveFigures): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'svc_requests_total',
    help: 'Finished calls.',
    labelNames: ['operation', 'transport', 'code'],
    registers,
  });
  const latency = new Histogram({
    name: 'svc_request_duration_seconds',
    help: 'Duration of unary calls.',
    labelNames: ['transport'],
    buckets: SECONDS,
    registers,
  });
  const turns = new Counter({
    name: 'svc_turns_total',
    help: 'Ended turns by state and class.',
    labelNames: ['state', 'class'],
    registers,
  });
  const durations = new Histogram({
    name: 'svc_turn_duration_seconds',
    help: 'From the first claim to the end of a turn.',
    buckets: SECONDS,
    registers,
  });
  new Gauge({
    name: 'svc_turn_open',
    help: 'Turns this process runs.',
    registers,
    collect(): void {
      this.set(live.runningTurns());
    },
  });
  new Gauge({
    name: 'svc_sweeper_repairs',
    help: 'Sessions repaired because they looked busy without a turn.',
    registers,
    collect(): void {
      this.set(live.repairs());
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    registers,
    collect(): void {
      this.set(process.memoryUsage.rss());
    },
  });
  return {
    text: () => registry.metrics(),
    onCall: (call) => {
      requests.inc({ operation: call.operation, transport: call.transport, code: call.code });
      latency.observe({ transport: call.transport }, call.durationMs / 1000);
    },
    turnHook: {
      turnEnded: (tx, { turn, body }) => {
        tx.afterCommit(() => {
          turns.inc({ state: turn.state, class: turn.state === 'FAILED' ? (body.reason ?? '') : '' });
          if (body.startedAt > 0) durations.observe((turn.finishedAt - body.startedAt) / 1_000_000);
        });
        return Promise.resolve();
      },
    },
  };
};
