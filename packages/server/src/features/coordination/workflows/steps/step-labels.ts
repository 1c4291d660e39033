import type { ParentStep, StepAttempt } from '../record/index.ts';

/** Kind of the cause of turns that steps begin, and source of what they write. */
export const CAUSE = 'workflow';

const WORKFLOW = 'svc/workflow';
const RUN = 'svc/workflow-run';
const STEP = 'svc/workflow-step';
const ATTEMPT = 'svc/workflow-attempt';

/** Labels of the session of an attempt, its message, and the cause of its turn. */
export const attemptLabels = ({ workflow, runId, stepId, attempt }: ParentStep): Readonly<Record<string, string>> => ({
  'svc/message-source': CAUSE,
  [WORKFLOW]: workflow,
  [RUN]: runId,
  [STEP]: stepId,
  [ATTEMPT]: String(attempt),
});

/** The attempt that such labels name; undefined for others. */
export const labelledAttempt = (labels: Readonly<Record<string, string>>): StepAttempt | undefined => {
  const { [RUN]: runId, [STEP]: stepId, [ATTEMPT]: attempt } = labels;
  if (runId === undefined || stepId === undefined || attempt === undefined) return undefined;
  return { runId, stepId, attempt: Number(attempt) };
};

/** Labels of a child run, in addition to those of the run that began it. */
export const childLabels = ({ workflow, runId, stepId }: ParentStep): Readonly<Record<string, string>> => ({
  'svc/message-source': CAUSE,
  'svc/parent-workflow': workflow,
  'svc/parent-workflow-run': runId,
  'svc/parent-workflow-step': stepId,
});
