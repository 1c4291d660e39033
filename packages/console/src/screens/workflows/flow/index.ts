/** workflows/flow: the steps of a workflow as text, as a graph and as a list, and changes of the graph in the text. */
export { addStep, connectSteps, disconnectSteps, idProblem, removeStep, renameStep, STEP_TYPES } from './edit-flow.ts';
export { FlowGraph } from './flow-graph.tsx';
export { type Flow, readFlow } from './read-flow.ts';
export { type FlowStep, readSpec } from './read-spec.ts';
export { StepList } from './step-list.tsx';
export type { StepLook } from './step-look.ts';
