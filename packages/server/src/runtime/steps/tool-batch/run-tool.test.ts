import { describe, expect, it } from 'vitest';
import { Fault, ManualClock } from '../../../base/index.ts';
import { type Tool, type ToolContext, type ToolResult, textResult } from '../../../tools/contract.ts';
import { runTool, type ToolOutcome } from './index.ts';

const context: Omit<ToolContext, 'signal' | 'progress'> = {
  namespace: 'demo',
  agent: 'helper',
  sessionId: 's',
  turnId: 't',
  callId: 'call_t_1_0',
  idempotencyKey: 'key',
  identity: 'anna',
  lineage: [],
  reach: 'own',
  answers: [],
  nowMicros: 1,
};

/** Starts one tool in a world whose clock and stop signal the test holds. */
const start = (run: Tool['run'], change: Partial<Tool> = {}) => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const tool: Tool = { name: 'probe', description: '', inputSchema: {}, effect: 'read', run, ...change };
  const ran = runTool(tool, context, { input: { a: 1 }, options: { timeoutMs: 1000, signal: stop.signal, clock } });
  const outcome = ran.then((end) => {
    if (end.end === 'waiting') throw new Error('the call waits');
    return end;
  });
  return { clock, stop, ran, outcome };
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

const codeOf = (outcome: ToolOutcome): unknown => (outcome.result.structured as Record<string, unknown>)['code'];

describe('running one tool', () => {
  it('hands over context and input and gives the result back', async () => {
    const { outcome, clock } = start(async (given, input) =>
      textResult(`${given.callId} ${JSON.stringify(input)} ${given.signal.aborted}`),
    );
    expect(await outcome).toEqual({ end: 'finished', result: textResult('call_t_1_0 {"a":1} false') });
    expect(clock.pendingTimers).toBe(0);
  });

  it('turns any throw into a failed result that tells nothing of the inside (R19, R43)', async () => {
    const secret = new Error('connect 10.0.0.5: password hunter2');
    const thrown = await start(async () => Promise.reject(secret)).outcome;
    expect(thrown).toMatchObject({ end: 'failed', error: secret });
    expect(JSON.stringify(thrown.result)).not.toContain('hunter2');
    const sync = await start(() => {
      throw secret;
    }).outcome;
    expect(sync.end).toBe('failed');
    const hidden = await start(async () => Promise.reject(new Fault('INTERNAL', 'X', 'hunter2'))).outcome;
    expect(JSON.stringify(hidden.result)).not.toContain('hunter2');
  });

  it('shows the text of expected faults under their code', async () => {
    const of = async (code: Fault['code']) =>
      (await start(async () => Promise.reject(new Fault(code, 'R', 'clear words'))).outcome).result.structured;
    expect(await of('UNAVAILABLE')).toEqual({
      ok: false,
      tool: 'probe',
      code: 'unavailable',
      error: 'clear words',
      retryable: true,
    });
    expect(await of('PERMISSION_DENIED')).toMatchObject({ code: 'denied', retryable: false });
    expect(await of('INVALID_ARGUMENT')).toMatchObject({ code: 'invalid_arguments' });
    expect(await of('NOT_FOUND')).toMatchObject({ code: 'failed', error: 'clear words' });
  });

  it('aborts a call at its time-out, waits 2 s for it, then abandons it (R44)', async () => {
    let signal: AbortSignal | undefined;
    const late = Promise.withResolvers<ToolResult>();
    const { outcome, clock } = start((given) => {
      signal = given.signal;
      return late.promise;
    });
    let ended = false;
    void outcome.then(() => {
      ended = true;
    });
    clock.advance(999);
    await settled();
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    await settled();
    expect(signal?.aborted).toBe(true);
    clock.advance(1999);
    await settled();
    expect(ended).toBe(false);
    clock.advance(1);
    const result = await outcome;
    expect(result.end).toBe('timeout');
    expect(result.result.structured).toEqual({
      ok: false,
      tool: 'probe',
      code: 'timeout',
      error: 'no result within 1 s',
      retryable: true,
    });
    late.resolve(textResult('late'));
    await settled();
    expect(codeOf(await outcome)).toBe('timeout');
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers a timed-out call as soon as it gave up, and still discards its result', async () => {
    const late = Promise.withResolvers<ToolResult>();
    const { outcome, clock } = start(() => late.promise);
    clock.advance(1000);
    await settled();
    late.reject(new Error('aborted'));
    expect((await outcome).end).toBe('timeout');
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives a tool the time it asks for, at most 600 s', async () => {
    const never = () => new Promise<ToolResult>(() => undefined);
    const asked = start(never, { timeoutMs: 5000 });
    asked.clock.advance(5000);
    await settled();
    asked.clock.advance(2000);
    expect((await asked.outcome).end).toBe('timeout');
    const greedy = start(never, { timeoutMs: 9_000_000 });
    greedy.clock.advance(599_999);
    await settled();
    greedy.clock.advance(1);
    await settled();
    greedy.clock.advance(2000);
    expect((await greedy.outcome).result.structured).toMatchObject({ error: 'no result within 600 s' });
  });

  it('answers a stop at once and aborts the tool (R35)', async () => {
    let signal: AbortSignal | undefined;
    const { outcome, stop, clock } = start((given) => {
      signal = given.signal;
      return new Promise<ToolResult>(() => undefined);
    });
    await settled();
    stop.abort();
    expect(await outcome).toMatchObject({ end: 'stopped', result: { isError: true } });
    expect(signal?.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not start a tool after a stop, and does not wait out the grace of a time-out', async () => {
    const clock = new ManualClock();
    let runs = 0;
    const tool: Tool = {
      name: 'probe',
      description: '',
      inputSchema: {},
      effect: 'write',
      run: async () => {
        runs += 1;
        return textResult('');
      },
    };
    const options = { timeoutMs: 1, signal: AbortSignal.abort(), clock };
    expect((await runTool(tool, context, { input: {}, options })).end).toBe('stopped');
    expect(runs).toBe(0);
    const hung = start(() => new Promise<ToolResult>(() => undefined));
    hung.clock.advance(1000);
    await settled();
    hung.stop.abort();
    expect((await hung.outcome).end).toBe('timeout');
  });
});
