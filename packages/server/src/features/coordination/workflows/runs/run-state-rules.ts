import type { WorkflowStep, WorkflowStepRetryPolicy } from '@svc/api/resources';
import type { RunStatus, StepStatus } from '../record/index.ts';

/** Statuses of the steps that began or were skipped, by id. */
export type StepStatuses = ReadonlyMap<string, StepStatus>;

const OVER: ReadonlySet<StepStatus> = new Set(['COMPLETED', 'SKIPPED']);

/** Steps that have not begun and need wait for no other one, in declared order. */
export const readySteps = (steps: readonly WorkflowStep[], statuses: StepStatuses): readonly WorkflowStep[] =>
  steps.filter(
    ({ id, after }) => !statuses.has(id) && after.every((name) => OVER.has(statuses.get(name) as StepStatus)),
  );

/** What a run with these live steps shows. */
export const liveRunStatus = (live: readonly StepStatus[]): RunStatus => {
  if (live.length === 0 || live.some((status) => status === 'STARTING' || status === 'WAITING_RETRY')) return 'RUNNING';
  return live.includes('SUSPENDED') ? 'SUSPENDED' : 'WAITING_CHILDREN';
};

/** Seconds from the failure of an attempt (from 1) to the next one; undefined when there is none. */
export const retryDelay = (policy: WorkflowStepRetryPolicy | undefined, attempt: number): number | undefined => {
  if (policy === undefined || attempt >= policy.maxAttempts) return undefined;
  const seconds = Number(policy.initialBackoffSeconds) * policy.multiplier ** (attempt - 1);
  return Math.min(Number(policy.maxBackoffSeconds), seconds);
};
