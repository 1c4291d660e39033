/**
 * features/coordination/workflows/steps: what each type of step does when an attempt of it begins, one file for each, and what becomes of its
 * result. A type of step sees one transaction and knows nothing of the graph; when attempts begin and what follows from their end is
 * decided in `runs`.
 */

export { workflowIdentity } from './agent-step.ts';
export * from './step-contract.ts';
export { labelledAttempt } from './step-labels.ts';
export * from './step-output.ts';
export * from './step-table.ts';
export { createWorkflowHook, type TurnReport } from './turn-hook.ts';
export { firedOutput } from './wait-step.ts';
