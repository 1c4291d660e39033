/**
 * features/authoring/templates: templates as resources: what they may hold, and the four operations of agent templates. Does not
 * render them into namespaces (features/authoring/deployments) nor merge them into agents (features/conversation/agents): both read them from the
 * store. app wires it.
 */
export { templateContract } from './template-kind.ts';
export { templateOperations } from './template-operations.ts';
