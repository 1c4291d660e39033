/** Everything that a file of manifests can create, in the order of their sections. */
const documents = String.raw`
kind: Namespace
metadata: { name: shop, labels: { title: Acme Shop } }
---
kind: Namespace
metadata: { name: "shop:north", labels: { tier: gold, title: Northern branch } }
---
kind: Secret
metadata: { name: platform, namespace: shop, labels: { team: support } }
spec: { stringData: { key: not-a-real-key, webhook: not-a-real-secret } }
---
kind: Agent
metadata: { name: support, namespace: shop, labels: { team: support } }
spec:
  systemPrompt: |
    You are {{ agent.name }}. You answer customers of the shop, briefly and kindly.
    Look into the handbook before you promise anything.
  features: [{ type: toolset, name: goals }]
  capabilities:
    goals: [inspect, { action: create, approval: ask }, update]
    people: [ask]
    knowledge: [search, read]
    files: [inspect, read, create]
---
kind: Agent
metadata: { name: clerk, namespace: shop, labels: { team: support } }
spec: { systemPrompt: You write letters to customers. }
---
kind: Agent
metadata: { name: broken, namespace: shop }
spec:
  systemPrompt: You never get an answer from your model.
  modelPolicy: { profiles: [{ name: default, model: { provider: openai, name: some-model } }] }
---
kind: Agent
metadata: { name: bookworm, namespace: "shop:north" }
spec: { systemPrompt: You read what others wrote. }
---
kind: Skill
metadata: { name: refunds, namespace: shop }
spec:
  description: How refunds are decided.
  instructions: |
    # Refunds
    Up to 100 EUR without asking. Above that, a person decides.
---
kind: Knowledge
metadata: { name: handbook, namespace: shop }
spec:
  path: handbook/shipping.md
  content: |
    # Shipping
    Parcels leave the same day when they are ordered before **14:00**.
    | Country | Days |
    |---|---|
    | Germany | 1 |
    | Norway | 4 |
---
kind: Knowledge
metadata: { name: returns, namespace: shop }
spec: { path: handbook/returns.md, content: "Customers may return everything within 30 days." }
---
kind: McpServer
metadata: { name: stock, namespace: shop }
spec: { transport: http, target: "http://127.0.0.1:1/mcp", policy: { tools: { allowlist: [find_item, reserve_item] } } }
---
kind: McpServerBinding
metadata: { name: stock, namespace: shop }
spec: { serverRef: stock }
---
kind: Channel
metadata: { name: desk, namespace: shop }
spec: { title: Service desk }
---
kind: ChannelSubscription
metadata: { name: support, namespace: shop }
spec: { channel: desk, agent: support, trigger: mention, replyMode: auto }
---
kind: Schedule
metadata: { name: morning, namespace: shop }
spec: { cron: "0 8 * * mon-fri", timezone: Europe/Berlin, target: { agent: clerk }, inputMessage: What came in over night? }
---
kind: Schedule
metadata: { name: sweep, namespace: shop }
spec: { intervalSeconds: 86400, target: { workflow: refund }, inputJson: '{"order":"A0","amount":5}', enabled: false }
---
kind: Workflow
metadata:
  name: refund
  namespace: shop
  annotations: { console.svc/test-inputs: '{"A large refund":{"order":"A9","amount":238},"Small":{"order":"A1","amount":5}}' }
spec:
  description: Writes a letter about a refund and lets a person approve large ones.
  inputSchema: { type: object, required: [order, amount], properties: { order: { type: string }, amount: { type: number } } }
  steps:
    - { id: total, type: tool, tool: calculate, input: { expression: "\${$.input.amount} * 1.19" } }
    - id: letter
      type: agent
      agent: clerk
      after: [total]
      prompt: "!say We refund \${$.steps.total.output.text} for order \${$.input.order}."
    - id: approve
      type: pause
      after: [letter]
      when: { path: $.input.amount, gt: 100 }
      prompt: "Send this? \${$.steps.letter.output.text}"
      resumeSchema: { type: object, required: [approved], properties: { approved: { type: boolean }, note: { type: string } } }
  output: { letter: "\${$.steps.letter.output.text}" }
---
kind: Workflow
metadata: { name: failing, namespace: shop }
spec:
  description: Fails at its second step.
  steps:
    - { id: prepare, type: transform, input: { ready: true } }
    - { id: divide, type: tool, tool: calculate, after: [prepare], input: { expression: "1 / (" } }
---
kind: UsagePolicy
metadata: { name: reading, namespace: "shop:north" }
spec: { hard: [{ metric: llm.requests, max: 5, window: 1d }, { metric: tool.calls, max: 1000, window: 1h }] }
---
kind: UsagePolicy
metadata: { name: budget, namespace: shop }
spec: { hard: [{ metric: llm.totalTokens, max: 2000000, window: 1h, selector: { agent: support } }] }
---
kind: SandboxClass
metadata: { name: jail, namespace: shop }
spec: { provider: local }
---
kind: SandboxPolicy
metadata: { name: careful, namespace: shop }
spec: { classRef: jail, quota: { maxConcurrent: 2 }, template: { spec: { network: { mode: none } } } }
---
kind: Sandbox
metadata: { name: bench, namespace: shop }
spec: { policyRef: careful }
---
kind: Template
metadata: { name: greeter, namespace: shop }
spec:
  kind: Agent
  spec: { systemPrompt: "You greet the customers of {{ namespace.leaf }}." }
---
kind: Deployment
metadata: { name: branches, namespace: shop }
spec: { placement: { namespaceSelector: { matchLabels: { tier: gold } } }, templates: [greeter] }
---
kind: Task
metadata: { name: count-stock, namespace: shop }
spec: { title: Count the stock of the north, description: Shelf by shelf., type: stock, owner: { name: support }, delegate: { name: clerk } }
---
kind: Task
metadata: { name: write-terms, namespace: shop }
spec: { title: Write new terms, owner: { name: clerk } }
`;

/** A class of connectors whose service is at `endpoint`, with routes into a session that is answered at once and one that waits for review. */
const connectors = (endpoint: string): string => `
kind: ConnectorClass
metadata: { name: chat, namespace: shop }
spec:
  platform: example-chat
  runtime: { endpoint: "${endpoint}" }
  auth: { apiKey: { plain: "secret://platform/key" } }
  matchIndexes: [{ name: team, fields: [team] }]
---
kind: Connector
metadata: { name: front, namespace: shop }
spec: { classRef: chat, matchFields: { team: front }, consumer: { session: { agent: support, continuity: reuse } } }
---
kind: Connector
metadata: { name: reviewed, namespace: shop }
spec: { classRef: chat, matchFields: { team: reviewed }, consumer: { session: { agent: support, replyMode: hold_for_review } } }
---
kind: Connector
metadata: { name: room, namespace: shop }
spec: { classRef: chat, matchFields: { team: room }, consumer: { channel: { channel: desk, agent: support, replyPolicy: thread } } }
---
kind: ConnectorClass
metadata: { name: closed, namespace: shop }
spec:
  platform: example-chat
  runtime: { endpoint: "${endpoint}" }
  auth: { apiKey: { plain: "secret://platform/key" } }
  matchIndexes: [{ name: place, fields: [place] }]
---
kind: Connector
metadata: { name: closed, namespace: shop }
spec: { classRef: closed, matchFields: { place: closed }, consumer: { session: { agent: clerk } } }
`;

/** The manifests of the shop, as one text of YAML documents. */
export const shopDocuments = (endpoint: string): string =>
  `${documents.replaceAll('\\${', '${')}---\n${connectors(endpoint).trim()}\n`;
