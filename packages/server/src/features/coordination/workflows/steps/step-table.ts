import { type AgentStepDeps, agentStep } from './agent-step.ts';
import { pauseStep } from './pause-step.ts';
import type { StepType } from './step-contract.ts';
import { type ToolStepDeps, toolStep } from './tool-step.ts';
import { transformStep } from './transform-step.ts';
import { waitStep } from './wait-step.ts';
import { type ChildStepDeps, workflowStep } from './workflow-step.ts';

export interface StepTableDeps extends AgentStepDeps, ToolStepDeps, ChildStepDeps {}

const RETRIED: ReadonlySet<string> = new Set(['agent', 'tool', 'workflow']);

/** Whether attempts of such steps that fail are made again, as the policy of the step says. */
export const isRetried = (type: string): boolean => RETRIED.has(type);

/** The types of steps by their names in definitions. */
export const stepTable = (deps: StepTableDeps): Readonly<Record<string, StepType>> => ({
  agent: agentStep(deps),
  tool: toolStep(deps),
  workflow: workflowStep(deps),
  transform: transformStep,
  pause: pauseStep,
  wait: waitStep,
});
