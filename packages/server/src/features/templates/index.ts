/**
 * features/templates: templates as resources (PL-4): what they may hold, and the four operations of agent templates. Does not
 * render deployments and does not merge templates into agents: the agents feature reads them from the store. app wires it.
 */
export { templateContract } from './template-kind.ts';
export { type TemplateOperationsDeps, templateOperations } from './template-operations.ts';
export type { TemplateRuleDeps } from './template-rules.ts';
