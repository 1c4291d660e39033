import type { WorkflowRun, WorkflowStepRun } from '@svc/api/data';
import type { Tone } from '../../../ui/badge.tsx';
import { durationText } from '../../../ui/time-texts.ts';
import type { StepLook } from '../flow/index.ts';

/** A state in a word that people use, and how it looks. */
export interface StateLook {
  readonly tone: Tone;
  readonly word: string;
}

const RUN_STATES: Readonly<Record<string, StateLook>> = {
  QUEUED: { tone: 'calm', word: 'Queued' },
  RUNNING: { tone: 'busy', word: 'Running' },
  WAITING_CHILDREN: { tone: 'busy', word: 'At work' },
  SUSPENDED: { tone: 'warn', word: 'Waiting' },
  COMPLETED: { tone: 'good', word: 'Completed' },
  FAILED: { tone: 'bad', word: 'Failed' },
  CANCELLED: { tone: 'calm', word: 'Cancelled' },
};

/** States that a list of runs can be narrowed to. */
export const RUN_STATUSES: readonly string[] = Object.keys(RUN_STATES);

const STEP_STATES: Readonly<Record<string, StateLook>> = {
  STARTING: { tone: 'busy', word: 'Running' },
  WAITING_CHILD_SESSION: { tone: 'busy', word: 'At work' },
  WAITING_CHILD_WORKFLOW: { tone: 'busy', word: 'At work' },
  WAITING_RETRY: { tone: 'warn', word: 'Retry' },
  SUSPENDED: { tone: 'warn', word: 'Waiting' },
  COMPLETED: { tone: 'good', word: 'Done' },
  FAILED: { tone: 'bad', word: 'Failed' },
  SKIPPED: { tone: 'calm', word: 'Skipped' },
  CANCELLED: { tone: 'calm', word: 'Cancelled' },
};

/** How the state of a run looks. */
export const lookOfRun = (status: string): StateLook => RUN_STATES[status] ?? { tone: 'calm', word: status };

/** How the state of a step looks. */
export const lookOfStep = (status: string): StateLook => STEP_STATES[status] ?? { tone: 'calm', word: status };

/** True once nothing of the run changes any more. */
export const hasEnded = ({ status }: Pick<WorkflowRun, 'status'>): boolean =>
  ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status);

const ENDED_STEPS = ['COMPLETED', 'FAILED', 'CANCELLED', 'SKIPPED'];

/** The time from the begin to the last change, such as `2.4 s`; '' while it runs. */
export const timeTaken = (
  { createdAt, updatedAt }: Pick<WorkflowRun, 'createdAt' | 'updatedAt'>,
  isOver: boolean,
): string => (isOver ? durationText(Number(updatedAt - createdAt) / 1_000) : '');

/** How each step of a run is, by its id; steps that have not begun are missing. */
export const looksOfRun = (steps: readonly WorkflowStepRun[]): ReadonlyMap<string, StepLook> =>
  new Map(steps.map((step) => [step.stepId, { ...lookOfStep(step.status), note: noteOf(step) }]));

const noteOf = (step: WorkflowStepRun): string => {
  const taken = step.status === 'SKIPPED' ? '' : timeTaken(step, ENDED_STEPS.includes(step.status));
  const attempt = step.attempt > 1 ? `attempt ${step.attempt}` : '';
  return [taken, attempt].filter((part) => part !== '').join(', ');
};
