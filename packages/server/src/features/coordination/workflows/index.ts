/**
 * features/coordination/workflows: definitions of workflows as resources: the rules of their steps, expressions and predicates, and what
 * their references resolve to. Does not run them, and nothing else does yet. app wires the contract.
 */
export { workflowsModule } from './workflows-module.ts';
