import { create } from '@bufbuild/protobuf';
import { WorkflowStepRunSchema } from '@svc/api/data';
import { expect, it } from 'vitest';
import { hasEnded, lookOfRun, looksOfRun, timeTaken } from './run-looks.ts';

const step = (stepId: string, status: string, [attempt, ms]: readonly [attempt: number, ms: number]) =>
  create(WorkflowStepRunSchema, {
    stepId,
    status,
    attempt,
    createdAt: 1_000_000n,
    updatedAt: 1_000_000n + BigInt(ms) * 1_000n,
  });

it('shows the state, the time and the attempts of steps', () => {
  const looks = looksOfRun([
    step('a', 'COMPLETED', [1, 2_400]),
    step('b', 'FAILED', [3, 61_000]),
    step('c', 'WAITING_CHILD_SESSION', [2, 100]),
    step('d', 'SKIPPED', [0, 0]),
    step('e', 'NEW_STATE', [1, 0]),
  ]);
  expect([...looks]).toEqual([
    ['a', { tone: 'good', word: 'Done', note: '2.4 s' }],
    ['b', { tone: 'bad', word: 'Failed', note: '1 min 1 s, attempt 3' }],
    ['c', { tone: 'busy', word: 'At work', note: 'attempt 2' }],
    ['d', { tone: 'calm', word: 'Skipped', note: '' }],
    ['e', { tone: 'calm', word: 'NEW_STATE', note: '' }],
  ]);
});

it('knows which runs have ended, and what they took', () => {
  expect(['RUNNING', 'SUSPENDED', 'FAILED', 'CANCELLED'].map((status) => hasEnded({ status }))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(timeTaken({ createdAt: 5_000n, updatedAt: 905_000n }, true)).toBe('900 ms');
  expect(timeTaken({ createdAt: 5_000n, updatedAt: 905_000n }, false)).toBe('');
  expect(lookOfRun('SUSPENDED')).toEqual({ tone: 'warn', word: 'Waiting' });
});
