/** Nothing connects to MCP servers, so no agent has their tools. */
const MCP = 'this version of svc does not connect to MCP servers: their tools are not available to agents';
const SANDBOX = 'this version of svc does not run sandboxes';
const CONNECTOR = 'this version of svc does not run connectors: no event is taken and nothing is delivered';

/**
 * Kinds that can be declared although nothing in this version acts on them, with the sentence that their condition Ready shows.
 * The commit that brings the executor of a kind removes its row.
 */
const NOT_EXECUTED_KINDS: ReadonlyMap<string, string> = new Map([
  ['Schedule', 'this version of svc does not run schedules: nothing starts at the times of this one'],
  ['Workflow', 'this version of svc does not run workflows'],
  ['ChannelSubscription', 'this version of svc does not start agents for posts in channels'],
  ['McpServer', MCP],
  ['McpServerBinding', MCP],
  ['SandboxClass', SANDBOX],
  ['SandboxPolicy', SANDBOX],
  ['Sandbox', SANDBOX],
  ['ConnectorClass', CONNECTOR],
  ['Connector', CONNECTOR],
]);

/** Why nothing acts on resources of a kind yet; undefined for kinds that are executed. */
export const notExecuted = (kind: string): string | undefined => NOT_EXECUTED_KINDS.get(kind);
