/**
 * features/coordination/workflows: workflows and their runs. In this folder the rules of definitions: steps, expressions, predicates, and what
 * their references resolve to; in `values` what runs compute, in `record` what they keep, in `steps` the types of steps, in `runs` what
 * happens next, in `api` the operations. Sessions and turns belong to the runtime, whose turns report their ends to the hook of this folder.
 * Called by app; schedules and connectors begin runs through `runs` of the module.
 */
export { createWorkflowHook } from './steps/index.ts';
export { workflowsModule } from './workflows-module.ts';
