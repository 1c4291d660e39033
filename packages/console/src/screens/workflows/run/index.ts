/** workflows/run: runs of workflows, what they say of their steps, and how to move them on. */
export { JsonInput } from './json-input.tsx';
export { KeptInputs } from './kept-inputs.tsx';
export { ResumeForm } from './resume-form.tsx';
export {
  type RunAddress,
  useCancelRun,
  useRun,
  useRuns,
  useStartRun,
} from './run-data.ts';
export { RunHistory } from './run-history.tsx';
export { hasEnded, lookOfRun, lookOfStep, looksOfRun, RUN_STATUSES, timeTaken } from './run-looks.ts';
export { StepTalk } from './step-talk.tsx';
