/**
 * runtime/steps: what a turn can do next. Each kind of step is one file behind the interface of contract.ts: the model call with
 * its tries, the tool batch and steering, which the loop begins (the rows of step-table.ts), the harness that replaces all of these,
 * and quota, permission and compaction, which run inside them. A step reads the turn it is handed and records through it; the attempt owns the turn and
 * decides what an outcome means. Called by attempt only.
 */
export { grantsOf } from './agent-grants.ts';
export { DeltaPressure, PartWriter, type WriterPorts } from './answer/index.ts';
export type { FaultPort, LoopStep, StepAnswer, StepCommit, StepFailure, StepResult, StepTurn } from './contract.ts';
export { HarnessSlot } from './harness/index.ts';
export { sideAfterCall, usagePart } from './model-call/index.ts';
export { chargeUsage, type QuotaPorts } from './quota-step.ts';
export { hasSteers } from './steering-step.ts';
export { createSteps } from './step-table.ts';
