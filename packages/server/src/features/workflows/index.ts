/**
 * features/workflows: definitions of workflows as resources: the rules of their steps, expressions and predicates, and what
 * their references resolve to (CO-4.1 to 4.4). Does not run them. app wires the contract; the run engine reads the parsers.
 */
export type { ParsedText, Path } from './path-expressions.ts';
export { type ToolGrantDeps, toolGrant } from './tool-grant.ts';
export { type WorkflowKindDeps, workflowContract } from './workflow-kind.ts';
export type { WorkflowLimits } from './workflow-rules.ts';
