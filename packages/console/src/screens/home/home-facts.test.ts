import { create } from '@bufbuild/protobuf';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { dueSchedules, firstSteps, isWithin, lastHour, nearLimits, scheduleLines } from './home-facts.ts';

const NOW_MS = 1_800_000_000_000;
const minutesAgo = (minutes: number): bigint => BigInt(NOW_MS - minutes * 60_000) * 1_000n;

it('counts by five minutes of the last hour, and leaves older moments out', () => {
  expect(lastHour([0, 1, 4.9, 5, 59.9, 60, 61].map(minutesAgo), NOW_MS)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3]);
  expect(lastHour([minutesAgo(-2)], NOW_MS).at(-1)).toBe(1);
});

it('tells whether a moment is recent', () => {
  expect([9.9, 10, 10.1].map((minutes) => isWithin(minutesAgo(minutes), 600_000, NOW_MS))).toEqual([true, true, false]);
});

describe('nearLimits', () => {
  const policy = (hard: readonly { readonly used: bigint; readonly max: bigint }[]): Resource =>
    create(ResourceSchema, {
      metadata: { name: 'budget', namespace: 'a' },
      status: {
        kind: {
          case: 'usagePolicy',
          value: { hard: hard.map((each) => ({ metric: 'tool.calls', window: '1h', resetAt: 50n, ...each })) },
        },
      },
    });

  it('takes limits from four fifths on, the fullest first', () => {
    const found = nearLimits([
      policy([
        { used: 79n, max: 100n },
        { used: 80n, max: 100n },
        { used: 12n, max: 10n },
      ]),
    ]);
    expect(found.map(({ used, max, resetAt }) => [used, max, resetAt])).toEqual([
      [12, 10, 50_000_000n],
      [80, 100, 50_000_000n],
    ]);
  });
});

describe('schedules', () => {
  const schedule = (name: string, value: object): Resource =>
    create(ResourceSchema, { metadata: { name, namespace: 'a' }, status: { kind: { case: 'schedule', value } } });

  it('finds those of the next hour, and what went wrong', () => {
    const lines = scheduleLines([
      schedule('later', { nextRunAt: minutesAgo(-61) }),
      schedule('soon', { nextRunAt: minutesAgo(-59), lastError: 'no agent' }),
      schedule('next', { nextRunAt: minutesAgo(-1) }),
      schedule('off', {}),
    ]);
    expect(dueSchedules(lines, NOW_MS).map(({ name }) => name)).toEqual(['next', 'soon']);
    expect(lines.map(({ lastError }) => lastError)).toEqual(['', 'no agent', '', '']);
  });
});

it('marks first steps by what exists', () => {
  const steps = firstSteps({ sessions: 3, secrets: 0, ownAgents: 1, tools: 0, rooms: 0 });
  expect(steps.map(({ step, isDone }) => `${step} ${isDone}`)).toEqual([
    'talk true',
    'key false',
    'agent true',
    'tool false',
    'room false',
  ]);
});
