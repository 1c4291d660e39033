/**
 * features/workflows: definitions of workflows as resources: the rules of their steps, expressions and predicates, and what
 * their references resolve to (CO-4.1 to 4.4). Does not run them, and nothing else does yet. app wires the contract.
 */
export { toolGrant } from './tool-grant.ts';
export { workflowContract } from './workflow-kind.ts';
