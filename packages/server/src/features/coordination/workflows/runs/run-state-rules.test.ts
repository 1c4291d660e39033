import { create } from '@bufbuild/protobuf';
import { WorkflowSpecSchema, WorkflowStepRetryPolicySchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import type { StepStatus } from '../record/index.ts';
import { liveRunStatus, readySteps, retryDelay } from './run-state-rules.ts';

it.each<[StepStatus[], string]>([
  [[], 'RUNNING'],
  [['STARTING', 'SUSPENDED'], 'RUNNING'],
  [['WAITING_RETRY', 'SUSPENDED', 'WAITING_CHILD_SESSION'], 'RUNNING'],
  [['SUSPENDED', 'WAITING_CHILD_WORKFLOW'], 'SUSPENDED'],
  [['WAITING_CHILD_SESSION', 'WAITING_CHILD_WORKFLOW'], 'WAITING_CHILDREN'],
])('a run whose live steps are %j is %s', (live, status) => {
  expect(liveRunStatus(live)).toBe(status);
});

it('steps are ready, in declared order, once all that they wait for has ended well', () => {
  const { steps } = create(WorkflowSpecSchema, {
    steps: [{ id: 'd', after: ['a', 'b'] }, { id: 'c', after: ['a'] }, { id: 'a' }, { id: 'b' }, { id: 'e' }],
  });
  const ready = (statuses: Record<string, StepStatus>) =>
    readySteps(steps, new Map(Object.entries(statuses))).map(({ id }) => id);
  expect(ready({})).toEqual(['a', 'b', 'e']);
  expect(ready({ a: 'COMPLETED', e: 'SUSPENDED', b: 'WAITING_RETRY' })).toEqual(['c']);
  expect(ready({ a: 'SKIPPED', e: 'FAILED', b: 'COMPLETED' })).toEqual(['d', 'c']);
});

it('delays between attempts grow up to their limit, and end after the last attempt', () => {
  const policy = create(WorkflowStepRetryPolicySchema, {
    maxAttempts: 5,
    initialBackoffSeconds: 2n,
    maxBackoffSeconds: 15n,
    multiplier: 3,
  });
  expect([1, 2, 3, 4, 5].map((attempt) => retryDelay(policy, attempt))).toEqual([2, 6, 15, 15, undefined]);
  expect(retryDelay(undefined, 1)).toBeUndefined();
});
