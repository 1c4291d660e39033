/** What a kind is called. */
export interface KindNames {
  readonly name: string;
  readonly plural: string;
  readonly short?: string;
  /** Namespace that all of them live in, whatever namespace is set. */
  readonly home?: string;
}

/** Kinds that are shown by calls of their own. */
const OWN_KINDS: readonly KindNames[] = [
  { name: 'Namespace', plural: 'namespaces', short: 'ns' },
  { name: 'Agent', plural: 'agents' },
  { name: 'Session', plural: 'sessions' },
];

/** Kinds that the ResourceService shows. */
export const RESOURCE_KINDS: readonly KindNames[] = [
  { name: 'Template', plural: 'templates', short: 'tpl' },
  { name: 'McpServer', plural: 'mcpservers', short: 'mcp' },
  { name: 'McpServerBinding', plural: 'mcpserverbindings', short: 'mcpb' },
  { name: 'Knowledge', plural: 'knowledges', short: 'kn' },
  { name: 'Skill', plural: 'skills' },
  { name: 'File', plural: 'files' },
  { name: 'Secret', plural: 'secrets' },
  { name: 'Channel', plural: 'channels', short: 'ch' },
  { name: 'ChannelSubscription', plural: 'channelsubscriptions', short: 'sub' },
  { name: 'Schedule', plural: 'schedules', short: 'sched' },
  { name: 'Workflow', plural: 'workflows', short: 'wf' },
  { name: 'ConnectorClass', plural: 'connectorclasses', short: 'cc' },
  { name: 'Connector', plural: 'connectors', short: 'conn' },
  { name: 'SandboxClass', plural: 'sandboxclasses', short: 'sbc' },
  { name: 'SandboxPolicy', plural: 'sandboxpolicies', short: 'sbp' },
  { name: 'Sandbox', plural: 'sandboxes', short: 'sb' },
  { name: 'Deployment', plural: 'deployments', short: 'dep' },
  { name: 'DeploymentReplica', plural: 'deploymentreplicas' },
  { name: 'UsagePolicy', plural: 'usagepolicies', short: 'up' },
  { name: 'Task', plural: 'tasks' },
  { name: 'Worker', plural: 'workers', home: 'system' },
];

/** Every kind that has a name of its own. */
export const KIND_NAMES: readonly KindNames[] = [...OWN_KINDS, ...RESOURCE_KINDS];

/** The words for kinds, for help texts: `namespaces (ns), agents, ...`. */
export const kindList = (): string =>
  KIND_NAMES.map(({ plural, short }) => (short === undefined ? plural : `${plural} (${short})`)).join(', ');
