import { describe, expect, it } from 'vitest';
import { type ApprovalMode, type Tool, textResult } from '../../../tools/contract.ts';
import { deniedResult, type JudgeFacts, judgeCalls, type RequestedCall, stoppedResult } from './index.ts';

const tool = (name: string): Tool => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  effect: 'read',
  run: async () => textResult('ran'),
});

const facts = (change: Partial<JudgeFacts> = {}): JudgeFacts => ({
  offered: [offer('read', 'allow'), offer('send', 'ask'), offer('wipe', 'deny')],
  exists: (name) => name === 'hidden',
  validate: (_tool, input) => ('bad' in (input as object) ? ['bad must not be there', 'city is missing'] : []),
  earlier: [],
  maxBatchCalls: 32,
  maxTurnCalls: 128,
  ...change,
});

const offer = (name: string, approval: ApprovalMode) => ({ tool: tool(name), approval, reach: 'own' as const });

let serial = 0;
const call = (name: string, input: unknown = {}): RequestedCall => ({ callId: `call_${serial++}`, name, input });

/** Codes and texts of the answers, `run`/`ask` for calls that go on. */
const answers = (calls: readonly RequestedCall[], change: Partial<JudgeFacts> = {}): readonly string[] =>
  judgeCalls(calls, facts(change)).map((judged) => {
    if (judged.kind !== 'refused') return judged.kind;
    const { ok, tool: name, code, error, retryable } = judged.result.structured as Record<string, unknown>;
    expect({ ok, name, retryable, isError: judged.result.isError }).toEqual({
      ok: false,
      name: judged.call.name,
      retryable: false,
      isError: true,
    });
    return `${String(code)}: ${String(error)}`;
  });

describe('judging a batch of calls', () => {
  it('lets allowed calls run and asks for those that need approval', () => {
    expect(answers([call('read'), call('send')])).toEqual(['run', 'ask']);
  });

  it('answers unknown tools, hidden tools and denied tools without running them (R42, R43)', () => {
    expect(answers([call('nope'), call('hidden'), call('wipe')])).toEqual([
      'unknown_tool: there is no tool of this name',
      'denied: this agent may not use the tool',
      'denied: this agent may not use the tool',
    ]);
  });

  it('answers arguments that break the schema or are no object with what is wrong', () => {
    expect(answers([call('read', { bad: 1 }), call('read', '{"a":'), call('read', [1])])).toEqual([
      'invalid_arguments: bad must not be there; city is missing',
      'invalid_arguments: the arguments must be one complete JSON object of at most 256 KiB, nested at most 100 deep',
      'invalid_arguments: the arguments must be one complete JSON object of at most 256 KiB, nested at most 100 deep',
    ]);
  });

  it('refuses the calls above the limits of a batch and of a turn', () => {
    const calls = [1, 2, 3].map((n) => call('read', { n }));
    expect(answers(calls, { maxBatchCalls: 2 })).toEqual(['run', 'run', 'failed: more than 2 calls at once']);
    const earlier = [call('read', { n: 8 }), call('read', { n: 9 })];
    expect(answers(calls, { earlier, maxTurnCalls: 4 })[2]).toBe('failed: more than 4 calls in this turn');
  });

  it('refuses the sixth identical call in a row, across steps and within a batch (R45)', () => {
    const same = (count: number) => Array.from({ length: count }, () => call('read', { a: 1, b: 2 }));
    const mirrored = call('read', { b: 2, a: 1 });
    expect(answers([mirrored], { earlier: same(4) })).toEqual(['run']);
    expect(answers([mirrored], { earlier: same(5) })).toEqual(['failed: repeated call']);
    expect(answers([mirrored], { earlier: same(9) })).toEqual(['failed: repeated call']);
    expect(answers([...same(3), mirrored], { earlier: same(3) })).toEqual([
      'run',
      'run',
      'failed: repeated call',
      'failed: repeated call',
    ]);
  });

  it('counts again after any other call', () => {
    const same = Array.from({ length: 5 }, () => call('read', { a: 1 }));
    expect(answers([call('read', { a: 2 }), call('read', { a: 1 })], { earlier: same })).toEqual(['run', 'run']);
  });

  it('shapes the results of denied and stopped calls alike', () => {
    expect(deniedResult('send', 'no answer in time').structured).toMatchObject({
      code: 'denied',
      error: 'no answer in time',
    });
    expect(stoppedResult('send').structured).toMatchObject({ ok: false, code: 'failed', error: 'stopped' });
  });
});
