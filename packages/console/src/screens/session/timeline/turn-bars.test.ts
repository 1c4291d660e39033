import { create } from '@bufbuild/protobuf';
import { SessionMessagePartType, SessionMessageSchema, StepSchema, TurnSchema } from '@svc/api/data';
import { expect, it } from 'vitest';
import { turnBars } from './turn-bars.ts';

const { TOOL_CALL, TOOL_RESULT, REQUEST_PERMISSION, PERMISSION_RESULT } = SessionMessagePartType;

const part = (partType: SessionMessagePartType, createdAtMs: number, payload: object) => ({
  id: `${partType} ${createdAtMs}`,
  partType,
  name: 'look',
  createdAt: BigInt(createdAtMs) * 1_000n,
  payloadJson: JSON.stringify(payload),
});

const turn = (attempt: number) =>
  create(TurnSchema, { id: 't1', attempt, createdAt: 1_000_000n, startedAt: 1_100_000n, finishedAt: 3_000_000n });

const step = (number: number, times: readonly [startMs: number, modelMs: number], outcome = 'answered') =>
  create(StepSchema, { step: number, startedAt: BigInt(times[0]) * 1_000n, modelMs: times[1], outcome });

const lines = (facts: Parameters<typeof turnBars>[0]): string[] =>
  turnBars(facts).map(({ kind, label, startMs, endMs, isFailed }) =>
    [kind, label, `${startMs}-${endMs}`, isFailed ? 'failed' : ''].join(' ').trim(),
  );

it('has everything that took time, by its begin', () => {
  const reply = create(SessionMessageSchema, {
    id: 'm1',
    parts: [
      part(TOOL_CALL, 1_400, { tool_call_id: 'c1' }),
      part(REQUEST_PERMISSION, 1_410, { request_id: 'r1' }),
      part(PERMISSION_RESULT, 1_900, { request_id: 'r1', decided_at: '1800000' }),
      part(TOOL_RESULT, 2_000, { tool_call_id: 'c1', is_error: true }),
    ],
  });
  const steps = [step(1, [1_150, 200], 'tool_calls'), step(2, [2_100, 300], 'failed')];
  expect(lines({ turn: turn(1), steps, replies: [reply], nowMs: 9_000 })).toEqual([
    'queue Queue 1000-1100',
    'step Step 1 1150-1350',
    'tool look 1400-2000 failed',
    'wait Waits for a person 1410-1800',
    'step Step 2 2100-2400 failed',
  ]);
});

it('goes on until now for what has not ended', () => {
  const reply = create(SessionMessageSchema, {
    id: 'm1',
    parts: [part(TOOL_CALL, 1_400, { tool_call_id: 'c1' })],
  });
  const waiting = create(TurnSchema, { id: 't1', attempt: 1, createdAt: 1_000_000n });
  expect(lines({ turn: waiting, steps: [], replies: [reply], nowMs: 9_000 })).toEqual([
    'queue Queue 1000-9000',
    'tool look 1400-9000',
  ]);
});

it('shows what a crash cost, only in a turn that was recovered', () => {
  const steps = [step(1, [1_150, 200]), step(2, [2_600, 300])];
  expect(lines({ turn: turn(2), steps, replies: [], nowMs: 9_000 })).toEqual([
    'queue Queue 1000-1100',
    'step Step 1 1150-1350',
    'recovery Recovery (attempt 2) 1350-2600',
    'step Step 2 2600-2900',
  ]);
  expect(lines({ turn: turn(1), steps, replies: [], nowMs: 9_000 })).toHaveLength(3);
});

it('names summaries by the step behind them, and the prompts of an external agent, which may still work', () => {
  const summary = { ...step(2, [1_400, 100]), compaction: 1, kind: 'compaction' };
  const steps = [step(1, [1_150, 200]), summary, step(2, [1_500, 300])];
  expect(lines({ turn: turn(1), steps, replies: [], nowMs: 9_000 })).toEqual([
    'queue Queue 1000-1100',
    'step Step 1 1150-1350',
    'step Summary before step 2 1400-1500',
    'step Step 2 1500-1800',
  ]);
  const prompt = { ...step(1, [1_150, 0]), kind: 'harness' };
  const working = create(TurnSchema, { id: 't1', attempt: 1, createdAt: 1_000_000n, startedAt: 1_100_000n });
  expect(lines({ turn: working, steps: [prompt], replies: [], nowMs: 9_000 })).toContain('step Prompt 1 1150-9000');
  expect(lines({ turn: turn(1), steps: [prompt], replies: [], nowMs: 9_000 })).toContain('step Prompt 1 1150-1150');
});

it('leaves out calls of which nothing was kept', () => {
  expect(lines({ turn: turn(1), steps: [step(1, [0, 5])], replies: [], nowMs: 9_000 })).toEqual([
    'queue Queue 1000-1100',
  ]);
});
