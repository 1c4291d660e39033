/**
 * features/authoring/templates: templates as resources: what they may hold, and the four operations of agent templates. Does not
 * render them into namespaces (features/authoring/deployments) nor merge them into agents (features/conversation/agents): both read them from the
 * store. app wires it.
 */
export { templatesModule } from './templates-module.ts';
