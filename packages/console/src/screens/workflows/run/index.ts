/** workflows/run: runs of workflows, what they say of their steps, and how to move them on. */
export {
  type RunAddress,
  useCancelRun,
  useResumeRun,
  useRun,
  useRunEvents,
  useRuns,
  useStartRun,
  useStepTalk,
} from './run-data.ts';
export { hasEnded, lookOfRun, lookOfStep, looksOfRun, RUN_STATUSES, timeTaken } from './run-looks.ts';
