/**
 * features/coordination/workflows: definitions of workflows as resources: the rules of their steps, expressions and predicates, and what
 * their references resolve to. Does not run them, and nothing else does yet. app wires the contract
 * and the operations, of which none is served yet.
 */
export { workflowsModule } from './workflows-module.ts';
