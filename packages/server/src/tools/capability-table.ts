/** Actions of every capability; a name that is not here grants nothing and makes an agent Degraded. */
const CAPABILITY_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  knowledge: ['search', 'read', 'write'],
  memory: ['inspect', 'read', 'create', 'update'],
  files: ['inspect', 'read', 'create', 'update', 'delete'],
  search: ['workspace', 'sessions', 'knowledge', 'open_result'],
  research: ['fetch_url', 'web_search'],
  schedules: ['inspect', 'create', 'update', 'delete', 'create:new', 'create:fresh', 'create:reuse', 'create:named'],
  sessions: ['inspect', 'read:messages', 'send_message'],
  tasks: ['inspect', 'create', 'update'],
  workflows: ['inspect', 'run'],
  goals: ['inspect', 'create', 'update'],
  code: ['run'],
  sandbox: ['exec', 'read', 'write'],
};

/** Capability whose actions are `<server>/<tool>` and only set the approval of remote tools. */
const MCP_CAPABILITY = 'mcp';

/** True for an action that the capability has; `*` stands for all of them. */
export const isKnownAction = (capability: string, action: string): boolean => {
  if (action === '*') return capability === MCP_CAPABILITY || Object.hasOwn(CAPABILITY_ACTIONS, capability);
  if (capability === MCP_CAPABILITY) return /^[^/]+\/.+$/.test(action);
  return Object.hasOwn(CAPABILITY_ACTIONS, capability) && (CAPABILITY_ACTIONS[capability] ?? []).includes(action);
};
