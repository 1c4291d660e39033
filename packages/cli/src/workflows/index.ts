/** workflows: `svc workflow`: runs are begun, shown, resumed, cancelled and followed here, and drawn as a graph. */
export { cancelRun, resumeRun } from './change-run.ts';
export { followRun } from './follow-run.ts';
export { type GraphOptions, showGraph } from './graph.ts';
export { type ListRunsOptions, listRuns, showRun } from './show-runs.ts';
export { type StartOptions, startRun } from './start-run.ts';
