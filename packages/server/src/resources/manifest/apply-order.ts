/** Kinds in the order in which they are applied; custom kinds come last. */
const ORDER = [
  'Namespace',
  'Secret',
  'UsagePolicy',
  'Template',
  'Skill',
  'Knowledge',
  'File',
  'SandboxClass',
  'SandboxPolicy',
  'Sandbox',
  'McpServer',
  'McpServerBinding',
  'Agent',
  'Channel',
  'ChannelSubscription',
  'Workflow',
  'Schedule',
  'ConnectorClass',
  'Connector',
  'Deployment',
  'Task',
];

const ranks: ReadonlyMap<string, number> = new Map(ORDER.map((kind, index) => [kind, index]));

/** Position of a kind in that order; deletion uses the reverse. */
export const applyRank = (kind: string): number => ranks.get(kind) ?? ORDER.length;
