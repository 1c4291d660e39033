/** Specs to begin with, by kind: the fields that are needed, and those that people change first. */
const SPECS: Readonly<Record<string, string>> = {
  Agent: 'systemPrompt: You are a helpful assistant. Answer briefly.',
  Template: 'kind: Skill\nspec:\n  description: When this helps.\n  instructions: What to do.',
  McpServer: 'transport: http\ntarget: https://tools.example.com/mcp',
  McpServerBinding: 'server: tools\npolicy:\n  tools:\n    allowlist: []',
  Knowledge: 'path: guide.md\ncontent: |\n  # Guide\n\n  What agents should know.',
  Skill: 'description: When this helps.\ninstructions: |\n  What to do.',
  Channel: 'title: What this channel is about',
  ChannelSubscription: 'channel: general\nagent: demo\ntrigger: mention',
  Schedule: 'cron: 0 9 * * 1-5\ntimezone: UTC\ntarget:\n  agent: demo\ninput: Good morning.',
  ConnectorClass: 'platform: chat\nruntime:\n  endpoint: http://127.0.0.1:8090',
  Connector: 'classRef: chat\nmatchFields:\n  room: general\nconsumer:\n  channel:\n    name: general',
  Workflow: 'steps:\n  - id: greet\n    type: agent\n    agent: demo\n    prompt: Say hello.',
  Deployment: 'selector:\n  matchLabels:\n    tier: shop\ntemplates:\n  - greeting',
  SandboxClass: 'provider: local',
  SandboxPolicy: 'classRef: local\nmaxConcurrent: 2',
  Sandbox: 'policyRef: default',
  UsagePolicy: "hard:\n  - metric: llm.totalTokens\n    max: '1000000'\n    window: 1d",
  Secret: 'stringData:\n  key: value',
  File: 'path: /notes.md\nmediaType: text/markdown',
  Task: 'title: What is to be done',
};

/** The text of a new resource of a kind. */
export const skeletonOf = (kind: string, ns: string): string => {
  const spec = SPECS[kind];
  return [
    'apiVersion: svc/v1',
    `kind: ${kind}`,
    'metadata:',
    '  name: new',
    ...(kind === 'Namespace' ? [] : [`  namespace: ${ns}`]),
    ...(spec === undefined
      ? ['spec: {}']
      : ['spec:', ...spec.split('\n').map((line) => (line === '' ? '' : `  ${line}`))]),
    '',
  ].join('\n');
};
