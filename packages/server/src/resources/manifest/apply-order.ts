/** Kinds in the order of application; custom kinds come last. */
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

/** Place of a kind in the order of application; deletion goes the other way. */
export const applyRank = (kind: string): number => ranks.get(kind) ?? ORDER.length;
