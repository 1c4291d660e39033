import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/index.ts';
import type { TurnUsage } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FinishedCall } from '../../../transport/contract.ts';
import { createMetrics, type Metrics } from './index.ts';
import { LabelLimit } from './label-limit.ts';

let metrics: Metrics;

const open = (namespaceLabel = false, clock = new ManualClock()): Metrics => {
  metrics = createMetrics({ clock, namespaceLabel });
  return metrics;
};

afterEach(() => metrics.close());

/** Samples by name and labels; buckets left out. */
const samples = async (): Promise<Record<string, number>> => {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !/^#|_bucket/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
};

const call: FinishedCall = {
  operation: 'svc.gateway.GatewayService/GetAgent',
  transport: 'grpc',
  code: 'OK',
  reason: '',
  durationMs: 250,
  requestId: 'canary-request',
  identity: 'canary-identity',
  traceParent: undefined,
  request: { ns: 'canary-namespace' },
  isStream: false,
};

const usage = { inputTokens: 7, outputTokens: 3 } as TurnUsage;
const target = { provider: 'demo', model: 'echo' };

describe('figures', () => {
  it('count calls by operation, transport and code, and time the unary ones', async () => {
    const { onCall } = open();
    for (const code of ['OK', 'OK', 'NOT_FOUND']) onCall({ ...call, code });
    onCall({ ...call, isStream: true, durationMs: 9e9 });
    const operation = 'operation="svc.gateway.GatewayService/GetAgent",transport="grpc"';
    expect(await samples()).toMatchObject({
      [`svc_requests_total{${operation},code="OK"}`]: 3,
      [`svc_requests_total{${operation},code="NOT_FOUND"}`]: 1,
      'svc_request_duration_seconds_count{transport="grpc"}': 3,
      'svc_request_duration_seconds_sum{transport="grpc"}': 0.75,
    });
  });

  const labelsOf = (operation: string): string =>
    `gen_ai_operation_name="${operation}",gen_ai_provider_name="demo",gen_ai_request_model="echo"`;

  it('measure model calls, tokens and tools with the names of the GenAI conventions', async () => {
    const { meter, retried, embedded } = open();
    const finished = { kind: 'finished', finish: 'stop', usage } as const;
    const failed = { kind: 'failed', error: { errorClass: 'provider_timeout' }, usage: undefined } as const;
    const common = { target, purpose: undefined, durationMs: 2000 };
    meter.modelCalled({ ...common, firstChunkMs: 500, outcome: finished });
    meter.modelCalled({ ...common, firstChunkMs: undefined, outcome: failed });
    meter.failedOver(target, 'provider_timeout');
    retried(target, 'provider_rate_limited');
    meter.toolRan('calculate', 'finished', 30);
    embedded(target, 1_000, { vectors: [], usage: { ...usage, estimated: false } });
    embedded(target, 1_000, { failure: { errorClass: 'provider_timeout', sentence: 'late' } });
    const vectors = labelsOf('embeddings');
    const labels = labelsOf('chat');
    expect(await samples()).toMatchObject({
      [`gen_ai_client_operation_duration_seconds_sum{${vectors},error_type=""}`]: 1,
      [`gen_ai_client_operation_duration_seconds_count{${vectors},error_type="provider_timeout"}`]: 1,
      [`gen_ai_client_token_usage_sum{${vectors},gen_ai_token_type="input"}`]: 7,
      [`gen_ai_client_operation_duration_seconds_sum{${labels},error_type=""}`]: 2,
      [`gen_ai_client_operation_duration_seconds_count{${labels},error_type="provider_timeout"}`]: 1,
      [`gen_ai_client_operation_time_to_first_chunk_seconds_sum{${labels}}`]: 0.5,
      [`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input"}`]: 7,
      [`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output"}`]: 3,
      'svc_provider_failovers_total{provider="demo",class="provider_timeout"}': 1,
      'svc_provider_retries_total{provider="demo",class="provider_rate_limited"}': 1,
      'svc_tool_duration_seconds_sum{tool="calculate",end="finished"}': 0.03,
    });
  });

  it('count turns from their queue to their end, by namespace only when enabled', async () => {
    const ended = { namespace: 'n', state: 'FAILED', errorClass: 'step_limit', durationMs: 1500 };
    const { meter } = open();
    meter.turnBegan({ queuedMs: 250, recovered: false });
    meter.turnBegan({ queuedMs: undefined, recovered: true });
    meter.claimLost();
    metrics.turnEnded(ended);
    metrics.turnEnded({ ...ended, durationMs: undefined });
    expect(await samples()).toMatchObject({
      'svc_turns_total{state="FAILED",class="step_limit"}': 2,
      svc_turn_duration_seconds_sum: 1.5,
      svc_turn_duration_seconds_count: 1,
      svc_turn_queue_time_seconds_sum: 0.25,
      svc_turn_queue_time_seconds_count: 1,
      svc_turn_recovered_total: 1,
      svc_claims_lost_total: 1,
    });
    metrics.close();
    open(true).turnEnded(ended);
    expect(await samples()).toMatchObject({ 'svc_turns_total{state="FAILED",class="step_limit",namespace="n"}': 1 });
  });

  it('count what usage policies refuse, by metric', async () => {
    const { usageRefused } = open();
    for (const metric of ['llm.requests', 'agent.sessions', 'llm.requests']) usageRefused(metric);
    expect(await samples()).toMatchObject({
      'svc_usage_refused_total{metric="llm.requests"}': 2,
      'svc_usage_refused_total{metric="agent.sessions"}': 1,
    });
  });

  it('read what others keep when they are asked for, the age of due work with it', async () => {
    const backlog = async () => ({ count: 4, oldestDueAt: 3_000_000 });
    const tx = { queue: { backlog }, now: () => 8_000_000, steadyNow: () => 9_000_000 };
    const store = { write: (work: (tx: unknown) => unknown) => work(tx) };
    const live = {
      runningTurns: () => 2,
      openStreams: () => 5,
      queueKinds: () => ['k'],
      backupFailures: async () => 6,
    };
    open().watch({ ...live, repairs: () => 1, slowStreams: () => 3, store: store as unknown as Store });
    const expected = {
      svc_turn_open: 2,
      svc_stream_open: 5,
      svc_stream_slow_ended_total: 3,
      svc_sweeper_repairs_total: 1,
      svc_outbox_depth: 4,
      svc_backup_failures: 6,
    };
    expect(await samples()).toMatchObject({ ...expected, svc_outbox_age_seconds: 5 });
  });

  it('time store transactions until they are done, failed ones too, and pass their outcome on', async () => {
    const clock = new ManualClock();
    const { timed } = open(false, clock);
    const gate = Promise.withResolvers<string>();
    const inner = { write: () => gate.promise, read: () => Promise.reject(new Error('no')), epoch: 'e' };
    const store = timed(inner as unknown as Store);
    const written = store.write(async () => 'unused');
    clock.advance(40);
    gate.resolve('done');
    expect(await written).toBe('done');
    await expect(store.read(async () => 'unused')).rejects.toThrow('no');
    expect(await samples()).toMatchObject({
      'svc_store_duration_seconds_sum{kind="write"}': 0.04,
      'svc_store_duration_seconds_count{kind="read"}': 1,
    });
  });

  it('leave urgent what was urgent among the timed writes', async () => {
    const asked: unknown[] = [];
    const inner = {
      write: async (_work: unknown, options: unknown) => {
        asked.push(options);
      },
    };
    const store = open().timed(inner as unknown as Store);
    await store.write(async () => 'unused', { isUrgent: true });
    await store.write(async () => 'unused');
    expect(asked).toEqual([{ isUrgent: true }, undefined]);
  });

  it('tell of memory, CPU, the event loop and garbage collections', async () => {
    open();
    await metrics.text();
    const found = await samples();
    expect(found['process_resident_memory_bytes']).toBeGreaterThan(1_000_000);
    expect(found['process_cpu_seconds']).toBeGreaterThan(0);
    expect(found).toHaveProperty('svc_event_loop_utilization');
    expect(found).toHaveProperty(['svc_event_loop_delay_seconds{quantile="0.99"}']);
    expect(await metrics.text()).toContain('# TYPE svc_gc_seconds_total counter');
  });

  it('carry no request, identity or namespace of a call', async () => {
    open().onCall(call);
    expect(await metrics.text()).not.toContain('canary');
  });
});

it('lets names that others choose take a bounded number of label values', () => {
  const limit = new LabelLimit(2);
  expect(['a', 'b', 'c', 'a', 'c'].map((name) => limit.of(name))).toEqual(['a', 'b', 'other', 'a', 'other']);
});
