import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, silentLog } from '../../../base/index.ts';
import type { ModelRequest } from '../../../models/contract.ts';
import type { Part, TurnCause, TurnUsage } from '../../../runtime/contract.ts';
import { OtlpReceiver } from '../testing/index.ts';
import { openTracing, type ProcessTracing, traceIdOf } from './index.ts';

const turn = {
  id: '0190a1b2-0000-7000-8000-000000000001',
  namespace: 'default',
  agent: 'helper',
  sessionId: '0190a1b2-0000-7000-8000-000000000002',
};
const cause: TurnCause = { kind: 'api', identity: 'token', labels: {}, lineage: [] };
const request = {
  target: { provider: 'demo', model: 'echo' },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'the prompt' }] }],
  tools: [],
  namespace: 'default',
  turnId: turn.id,
  callNumber: 1,
} satisfies ModelRequest;
const usage: TurnUsage = {
  ...{ inputTokens: 11, cachedInputTokens: 2, cacheWriteTokens: 3, outputTokens: 5, reasoningTokens: 4 },
  ...{ totalTokens: 16, usageAvailable: true, provider: 'demo', model: 'echo-2', providerRequestId: 'req-1' },
};
const reply = { parts: (): Part[] => [{ id: 'p', type: 1, content: 'the reply', createdAt: 0 } as Part] };

let receiver: OtlpReceiver;
let tracing: ProcessTracing;

const open = async (captureContent = false): Promise<ProcessTracing> => {
  const endpoint = await receiver.listen();
  const common = { version: '1', instance: 'w1', log: silentLog, clock: new ManualClock() };
  tracing = await openTracing({ ...common, endpoint, captureContent });
  return tracing;
};

/** One attempt with a model call, a tool call and a compaction, delivered. */
const runAttempt = async (given: TurnCause = cause): Promise<string | undefined> => {
  const attempt = tracing.tracer.attempt(turn, given, 2);
  const compaction = attempt.modelCall({ ...request, purpose: 'compaction' });
  compaction.end({ kind: 'failed', error: { errorClass: 'provider_timeout' }, usage: undefined }, reply);
  const model = attempt.modelCall(request);
  model.end({ kind: 'finished', finish: 'tool_calls', usage }, reply);
  const harness = attempt.harnessPrompt({ provider: 'acp', model: 'demo' });
  harness.prompted('the prompt');
  harness.end({ kind: 'finished', finish: 'stop', usage }, reply);
  const tool = attempt.toolCall('calculate', 'call-1', { secret: 'the input' });
  tool.end({ end: 'failed', result: { content: 'the output' } });
  attempt.turnEnded('FAILED', 'step_limit', usage);
  attempt.end('ended');
  await tracing.close();
  return model.traceHeaders?.['traceparent'];
};

const span = (name: string) => {
  const found = receiver.spans.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${receiver.spans.map((one) => one.name).join()}`);
  return found;
};

beforeEach(() => {
  receiver = new OtlpReceiver();
});

afterEach(() => receiver.close());

describe('spans of a turn', () => {
  it('are one tree with the names and attributes of the GenAI conventions', async () => {
    await open();
    await runAttempt();
    expect(receiver.paths).toEqual(['/v1/traces']);
    const names = {
      'gen_ai.agent.name': 'helper',
      'gen_ai.conversation.id': turn.sessionId,
      'svc.namespace': 'default',
      'svc.turn': turn.id,
      'svc.attempt': 2,
    };
    const root = span('invoke_agent helper');
    expect(root.parentSpanId).toBe('');
    expect(root.attributes).toMatchObject({
      ...names,
      'gen_ai.operation.name': 'invoke_agent',
      'svc.outcome': 'ended',
    });
    expect(root.attributes['error.type']).toBe('step_limit');
    expect(root.resource).toMatchObject({ 'service.name': 'svc', 'service.version': '1', 'service.instance.id': 'w1' });
    expect(span('chat echo')).toMatchObject({
      parentSpanId: root.spanId,
      status: 0,
      attributes: {
        ...names,
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'demo',
        'gen_ai.request.model': 'echo',
        'gen_ai.response.model': 'echo-2',
        'gen_ai.response.id': 'req-1',
        'gen_ai.response.finish_reasons': ['tool_calls'],
        'gen_ai.usage.input_tokens': 11,
        'gen_ai.usage.output_tokens': 5,
      },
    });
    expect(span('acp.prompt')).toMatchObject({
      parentSpanId: root.spanId,
      attributes: {
        ...names,
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'acp',
        'gen_ai.request.model': 'demo',
        'gen_ai.response.finish_reasons': ['stop'],
      },
    });
    expect(span('execute_tool calculate')).toMatchObject({
      parentSpanId: root.spanId,
      status: 2,
      attributes: {
        ...names,
        'gen_ai.tool.name': 'calculate',
        'gen_ai.tool.call.id': 'call-1',
        'error.type': 'failed',
      },
    });
    expect(span('compaction')).toMatchObject({
      parentSpanId: root.spanId,
      status: 2,
      attributes: { 'error.type': 'provider_timeout' },
    });
  });

  it('begin a trace named after the turn, so that its attempts and its log line share it', async () => {
    await open();
    const tool = tracing.tracer.attempt(turn, cause, 1).toolCall('calculate', 'call-0', {});
    expect(tool.traceHeaders?.['traceparent']).toMatch(new RegExp(`^00-${turn.id.replaceAll('-', '')}-\\w{16}-01$`));
    const headers = await runAttempt();
    expect(new Set(receiver.spans.map((one) => one.traceId))).toEqual(new Set([turn.id.replaceAll('-', '')]));
    expect(traceIdOf(turn.id, cause)).toBe(turn.id.replaceAll('-', ''));
    expect(headers).toBe(`00-${turn.id.replaceAll('-', '')}-${span('chat echo').spanId}-01`);
  });

  it('join the trace of the caller', async () => {
    await open();
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = await runAttempt({ ...cause, traceParent });
    expect(span('invoke_agent helper')).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
    });
    expect(headers).toBe(`00-0af7651916cd43dd8448eb211c80319c-${span('chat echo').spanId}-01`);
  });

  it('are not delivered for a caller that does not sample, whose trace still goes on', async () => {
    await open();
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    expect(await runAttempt({ ...cause, traceParent })).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-\w{16}-00$/);
    expect(receiver.spans).toEqual([]);
  });

  it('hold no contents unless they may be captured (R73)', async () => {
    await open();
    await runAttempt();
    const contents = ['the prompt', 'the reply', 'the input', 'the output'];
    for (const text of contents) expect(receiver.bodies.join()).not.toContain(text);
    await receiver.close();
    receiver = new OtlpReceiver();
    await open(true);
    await runAttempt();
    for (const text of contents) expect(receiver.bodies.join()).toContain(text);
  });
});

it('tells once when the endpoint refuses spans', async () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void warnings.push([message, fields]) };
  receiver.status = 400;
  const endpoint = await receiver.listen();
  const common = { version: '1', instance: 'w1', captureContent: false, clock: new ManualClock() };
  tracing = await openTracing({ ...common, endpoint: `${endpoint}/v1/traces`, log });
  await runAttempt();
  expect(receiver.paths).toEqual(['/v1/traces']);
  expect(warnings).toMatchObject([['spans could not be delivered to telemetry.otlpEndpoint', { spans: 5 }]]);
});

it('traces nothing and makes nothing without an endpoint', async () => {
  await receiver.listen();
  const common = { version: '1', instance: 'w1', captureContent: false, log: silentLog, clock: new ManualClock() };
  const { tracer } = await openTracing({ ...common, endpoint: undefined });
  const attempt = tracer.attempt(turn, cause, 1);
  expect(tracer.attempt(turn, cause, 2)).toBe(attempt);
  expect(attempt.modelCall(request)).toBe(attempt.modelCall(request));
  expect(attempt.modelCall(request).traceHeaders).toBeUndefined();
});
