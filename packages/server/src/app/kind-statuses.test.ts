import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { GatewayService } from '@svc/api/gateway';
import {
  AgentSpecSchema,
  ConnectorClassSpecSchema,
  ConnectorSpecSchema,
  McpServerSpecSchema,
  RawResourceSpecSchema,
  SandboxClassSpecSchema,
  SandboxPolicySpecSchema,
  SandboxSpecSchema,
  SecretSpecSchema,
  WorkflowSpecSchema,
} from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../auth/contract.ts';
import { type KindContract, kindContract, type Reconciler, statusReconcilers } from '../controllers/index.ts';
import { secretContract } from '../features/authoring/secrets/secret-kind.ts';
import { SecretResolver } from '../features/authoring/secrets/secret-resolver.ts';
import { connectorClassContract } from '../features/coordination/connectors/class-kind.ts';
import { connectorContract } from '../features/coordination/connectors/connector-kind.ts';
import { RouteBook } from '../features/coordination/connectors/routes/index.ts';
import { toolGrant } from '../features/coordination/workflows/tool-grant.ts';
import { workflowContract } from '../features/coordination/workflows/workflow-kind.ts';
import { sandboxContracts } from '../features/platform/sandboxes/sandbox-kinds.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import { recordKey } from '../resources/index.ts';
import type { StoredResource } from '../store/contracts/index.ts';

type Grants = Caller['grants'];

interface Shown {
  readonly phase: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message?: string;
  }[];
  readonly compiledRouteIds?: readonly string[];
}

describe('statuses follow what they refer to', () => {
  let world: ResourceWorld;
  let reconcilers: readonly Reconciler[];
  let isProviderThere: boolean;
  let seen: number;

  beforeEach(async () => {
    isProviderThere = false;
    seen = 0;
    const ancestorsOf = (namespace: string): readonly string[] => world.ancestry.ancestors(namespace);
    let contracts: readonly KindContract[] = [];
    world = await openResourceWorld({
      contracts: ({ store, seal, directory: namespaces }) => {
        const resolver = new SecretResolver({ store, seal, lineage: async (_reads, namespace) => [namespace] });
        const secretProblem = resolver.problem.bind(resolver);
        const routing = { ancestorsOf, namespaces, writer: () => world.writer };
        const removed = async (): Promise<void> => undefined;
        contracts = [
          connectorClassContract({ isEnvAllowed: () => true, environment: { SET: 'x' }, secretProblem, removed }),
          connectorContract({ ...routing, routes: new RouteBook(routing), removed }),
          workflowContract({
            leaveRuns: async () => undefined,
            limits: { definitionBytes: 100_000, steps: 10 },
            isToolGranted: toolGrant({ ancestorsOf }),
          }),
          ...sandboxContracts({
            ancestorsOf,
            configProblems: () => [],
            planProblem: () => '',
            providerReport: () => ({ isAvailable: isProviderThere, message: isProviderThere ? '' : 'missing' }),
            secretProblem,
          }),
        ];
        return [...contracts, secretContract(), kindContract({ kind: 'McpServer', validate: () => [] })];
      },
    });
    const { store, writer, seal } = world;
    reconcilers = statusReconcilers({ store, writer, seal }, contracts);
  });
  afterEach(() => world.close());

  const settle = async (): Promise<void> => {
    for (;;) {
      const changes = await world.store.direct.resources.changes(seen, 100);
      const last = changes.at(-1);
      if (last === undefined) return;
      seen = last.version;
      for (const change of changes)
        for (const reconciler of reconcilers.filter((each) => each.concerns(change)))
          for (const key of await reconciler.keysFor(change, world.store.direct.resources))
            await reconciler.reconcile(key);
    }
  };
  const put = async <D extends DescMessage>(
    address: readonly [string, string],
    schema: D,
    spec: MessageInitShape<D>,
  ): Promise<StoredResource> => {
    const key = recordKey(address[0], 'default', address[1]);
    const { resource } = await world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), { key, spec: create(schema, spec) }),
    );
    return resource;
  };
  const shown = async (kind: string, name: string): Promise<Shown> => {
    await settle();
    const record = await world.store.direct.resources.get(recordKey(kind, 'default', name));
    return JSON.parse(record?.status ?? '{}') as Shown;
  };
  const conditions = ({ phase, conditions: list }: Shown): string[] => [
    phase,
    ...list.map((condition) => `${condition.type} ${condition.status} ${condition.reason}`),
  ];

  it('of connector classes: their credential; nothing claims that they are registered', async () => {
    const spec = { runtime: { endpoint: 'http://x' }, auth: { apiKey: { plain: 'secret://chat/key' } } };
    await put(['ConnectorClass', 'one'], ConnectorClassSpecSchema, spec);
    expect(conditions(await shown('ConnectorClass', 'one'))).toEqual([
      'pending',
      'Ready False CredentialUnavailable',
      'CallbackAccepted False NoRegistration',
      'CredentialResolved False SecretMissing',
      'DeliveryHealthy Unknown NoDelivery',
      'ProviderConnected Unknown NoReport',
    ]);
    await put(['Secret', 'chat'], SecretSpecSchema, { stringData: { key: 'x' } });
    expect(conditions(await shown('ConnectorClass', 'one')).slice(0, 4)).toEqual([
      'pending',
      'Ready Unknown Registering',
      'CallbackAccepted False NoRegistration',
      'CredentialResolved True Resolved',
    ]);
    await put(['ConnectorClass', 'env'], ConnectorClassSpecSchema, { ...spec, auth: { apiKey: { env: 'UNSET' } } });
    expect(conditions(await shown('ConnectorClass', 'env'))).toContain('CredentialResolved False EnvNotSet');
    await put(['ConnectorClass', 'env'], ConnectorClassSpecSchema, { ...spec, auth: { apiKey: { env: 'SET' } } });
    expect(conditions(await shown('ConnectorClass', 'env'))).toContain('CredentialResolved True Resolved');
  });

  it('are no concern of custom kinds, whatever their name', async () => {
    await world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), {
        key: recordKey('constructor', 'default', 'x'),
        apiVersion: 'example.org/v1',
        spec: create(RawResourceSpecSchema, { json: '{}' }),
      }),
    );
    const change = (await world.store.direct.resources.changes(seen, 100)).at(-1);
    expect(change?.resource.key.kind).toBe('constructor');
    expect(reconcilers.filter((each) => change !== undefined && each.concerns(change))).toEqual([]);
  });

  it('of connectors: why they take no events', async () => {
    const base = { classRef: { name: 'one' } };
    const consumer = { session: { agent: { name: 'helper' }, replyMode: 'loud' } };
    const of = async (spec: MessageInitShape<typeof ConnectorSpecSchema>): Promise<string[]> => {
      await put(['Connector', 'c'], ConnectorSpecSchema, spec);
      return conditions(await shown('Connector', 'c'));
    };
    expect(await of({ ...base, enabled: false })).toEqual([
      'disabled',
      'Ready False Disabled',
      'Indexed False Disabled',
      'ConsumerResolved Unknown ConsumerMissing',
      'ProviderConnected Unknown NoReport',
    ]);
    expect(await of(base)).toContain('Indexed False ClassNotFound');
    const classSpec = { runtime: { endpoint: 'http://x' }, matchIndexes: [{ name: 'team', fields: ['team'] }] };
    await put(['ConnectorClass', 'one'], ConnectorClassSpecSchema, classSpec);
    expect(await of(base)).toContain('Indexed False ConsumerMissing');
    expect(await of({ ...base, consumer })).toContain('Indexed False MatchFieldsEmpty');
    expect(await of({ ...base, consumer, matchFields: { user: 'u' } })).toContain('Indexed False NoIndexSatisfied');
    const whole = await of({ ...base, consumer, matchFields: { team: 't' } });
    expect(whole).toEqual(
      expect.arrayContaining(['invalid', 'Indexed False ClassNotRegistered', 'ConsumerResolved False AgentNotFound']),
    );
    await put(['Agent', 'helper'], AgentSpecSchema, {});
    expect(conditions(await shown('Connector', 'c'))).toContain('ConsumerResolved True UnknownReplyMode');
    const pinned = { session: { agent: { name: 'helper' }, continuity: 'pinned', sessionId: 'none' } };
    expect(await of({ ...base, consumer: pinned })).toContain('ConsumerResolved False SessionNotFound');
    expect(await of({ ...base, consumer: { channel: { channel: { name: 'none' } } } })).toContain(
      'ConsumerResolved False ChannelNotFound',
    );
    expect(await of({ ...base, consumer: { workflow: { name: 'none' } } })).toContain(
      'ConsumerResolved False WorkflowNotFound',
    );
  });

  it('of connectors: ready with their routes as soon as the class accepts callbacks', async () => {
    await put(['Agent', 'helper'], AgentSpecSchema, {});
    const classSpec = { runtime: { endpoint: 'http://x' }, matchIndexes: [{ name: 'team', fields: ['team'] }] };
    const { key } = await put(['ConnectorClass', 'one'], ConnectorClassSpecSchema, classSpec);
    const spec = {
      classRef: { name: 'one' },
      consumer: { session: { agent: { name: 'helper' } } },
      matchFields: { team: 't' },
    };
    await put(['Connector', 'c'], ConnectorSpecSchema, spec);
    expect((await shown('Connector', 'c')).phase).toBe('invalid');
    await world.store.write(async (tx) => {
      const current = (await tx.resources.get(key)) as StoredResource;
      const annotations = { 'svc/~registration': JSON.stringify({ generation: 1, registered: {} }) };
      await tx.resources.replace({ ...current, annotations }, current.version, ['metadata']);
    });
    const [, connectors] = reconcilers;
    await connectors?.reconcile(recordKey('Connector', 'default', 'c'));
    const record = await world.store.direct.resources.get(recordKey('Connector', 'default', 'c'));
    expect(JSON.parse(record?.status ?? '{}')).toMatchObject({ phase: 'ready', compiledRouteIds: ['team?team=t'] });
  });

  it('of connectors: messages go only where their writer may send them', async () => {
    const spec = { classRef: { name: 'one' }, consumer: { workflow: { namespace: 'system', name: 'w' } } };
    const key = recordKey('Connector', 'default', 'c');
    const write = (grants: Grants) =>
      world.store.write((tx) => {
        const origin = callContext('test', { ...callContext('test').caller, grants });
        return world.writer.put(tx, origin, { key, spec: create(ConnectorSpecSchema, spec) });
      });
    for (const role of ['viewer', 'operator'] as const)
      await expect(
        write([{ role, namespace: role === 'viewer' ? 'system' : 'default', readSecrets: false }]),
      ).rejects.toMatchObject({
        violations: [{ field: 'spec.consumer.workflow.namespace', reason: 'CONSUMER_NAMESPACE' }],
      });
    const operator: Grants[number] = { role: 'operator', namespace: 'system', readSecrets: false };
    for (const narrow of [{ agent: 'a' }, { agent: 'a', session: 's' }, { channel: 'c' }])
      await expect(write([{ ...operator, ...narrow }])).rejects.toMatchObject({
        violations: [{ reason: 'CONSUMER_NAMESPACE' }],
      });
    spec.classRef.name = '';
    await expect(write([])).rejects.toMatchObject({
      violations: [{ field: 'spec.classRef.name' }, { field: 'spec.consumer.workflow.namespace' }],
    });
    spec.classRef.name = 'one';
    expect((await write([operator])).outcome).toBe('created');
  });

  it('of workflows: whether agents, workflows and tools are there', async () => {
    const steps = [
      { id: 'a', type: 'agent', agent: 'helper', prompt: 'x' },
      { id: 'b', type: 'workflow', workflow: 'other' },
      { id: 'c', type: 'tool', tool: 'web/search' },
      { id: 'd', type: 'tool', tool: 'mcp_my_web_do_it' },
      { id: 'e', type: 'tool', tool: 'current_time' },
      { id: 'f', type: 'workflow', workflow: 'w' },
      { id: 'g', type: 'transform', inputJson: '"${$.steps.a.output}"' },
    ];
    await put(['Workflow', 'w'], WorkflowSpecSchema, { steps });
    const first = await shown('Workflow', 'w');
    expect(conditions(first)).toEqual([
      'Degraded',
      'Ready False AgentNotFound',
      'ReferencesResolved False AgentNotFound',
      'ReferencesOrdered False NotUpstream',
    ]);
    await put(['Agent', 'helper'], AgentSpecSchema, {});
    await put(['Workflow', 'other'], WorkflowSpecSchema, { steps: [{ id: 'x', type: 'transform' }] });
    expect(conditions(await shown('Workflow', 'w'))).toContain('ReferencesResolved False ToolNotGranted');
    await put(['McpServer', 'web'], McpServerSpecSchema, { policy: { tools: { allowlist: ['search'] } } });
    await put(['McpServer', 'my_web'], McpServerSpecSchema, {});
    expect(conditions(await shown('Workflow', 'w'))).toEqual([
      'Degraded',
      'Ready False NotUpstream',
      'ReferencesResolved True Resolved',
      'ReferencesOrdered False NotUpstream',
    ]);
    await put(['Workflow', 'w'], WorkflowSpecSchema, {
      steps: steps.map((step) => (step.id === 'g' ? { ...step, after: ['a'] } : step)),
    });
    expect(conditions(await shown('Workflow', 'w')).slice(0, 2)).toEqual(['Ready', 'Ready True Ready']);
    await put(['McpServer', 'web'], McpServerSpecSchema, { policy: { tools: { allowlist: ['other'] } } });
    expect((await shown('Workflow', 'w')).phase).toBe('Degraded');
  });

  it('of workflows: tools behind a capability, which the nearest namespace that names some gives them', async () => {
    const tools = ['read_file', 'search', 'open_result'];
    const steps = tools.map((tool) => ({ id: tool, type: 'tool', tool }));
    await put(['Workflow', 'w'], WorkflowSpecSchema, { steps });
    const missing = async (): Promise<readonly string[]> => {
      const found = (await shown('Workflow', 'w')).conditions.find(({ type }) => type === 'ReferencesResolved');
      return tools.filter((tool) => found?.message?.includes(`tool ${tool} `) === true);
    };
    const give = (actions: string): Promise<unknown> =>
      world.call(GatewayService.method.createNamespace, {
        ...{ name: 'default', annotations: { 'option.svc/workflow-capabilities': actions } },
      });
    expect(await missing()).toEqual(tools);
    await give('files:read, search:sessions');
    expect(await missing()).toEqual(['open_result']);
    await give('search:open_result');
    expect(await missing()).toEqual(['read_file', 'search']);
  });

  it('of sandbox classes and policies: provider, secrets and class', async () => {
    await put(['SandboxPolicy', 'p'], SandboxPolicySpecSchema, {
      classRef: { name: 'one' },
      template: { network: { mode: 'odd' } },
    });
    expect(conditions(await shown('SandboxPolicy', 'p'))).toEqual([
      'Degraded',
      'Ready False Unresolved',
      'ReferencesResolved False Unresolved',
      'ModesKnown Unknown UnknownMode',
    ]);
    await put(['SandboxClass', 'one'], SandboxClassSpecSchema, {
      provider: 'e2b',
      credentialsJson: '{"key":"secret://e2b/key"}',
    });
    expect(conditions(await shown('SandboxClass', 'one'))).toEqual([
      'Degraded',
      'Ready False Unavailable',
      'ProviderAvailable False Unavailable',
      'ReferencesResolved False Unresolved',
    ]);
    expect((await shown('SandboxPolicy', 'p')).phase).toBe('Ready');
    isProviderThere = true;
    await put(['Secret', 'e2b'], SecretSpecSchema, { stringData: { key: 'x' } });
    expect((await shown('SandboxClass', 'one')).phase).toBe('Ready');
  });

  it('of sandboxes: modes that act as another, beside what a backend reports', async () => {
    const template = { workspace: { mode: 'odd' } };
    await put(['Sandbox', 's'], SandboxSpecSchema, { policyRef: 'p', runtimeTemplate: template });
    const found = await shown('Sandbox', 's');
    expect(conditions(found)).toEqual([
      'Pending',
      'Ready False Pending',
      'Provisioned False Pending',
      'SetupDone Unknown Pending',
      'ModesKnown Unknown UnknownMode',
    ]);
    await put(['Sandbox', 's'], SandboxSpecSchema, { policyRef: 'p' });
    expect(conditions(await shown('Sandbox', 's'))).toEqual(conditions(found).slice(0, -1));
  });

  it('come to rest also when a text in them is cut within a character', async () => {
    const mode = `${'x'.repeat(39)}\u{1f642}`;
    await put(['SandboxPolicy', 'p'], SandboxPolicySpecSchema, {
      classRef: { name: 'one' },
      template: { network: { mode } },
    });
    const agent = '\u{1f642}'.repeat(600);
    await put(['Workflow', 'w'], WorkflowSpecSchema, { steps: [{ id: 'a', type: 'agent', agent, prompt: 'x' }] });
    for (const [kind, name] of [
      ['SandboxPolicy', 'p'],
      ['Workflow', 'w'],
    ] as const) {
      const read = () => world.store.direct.resources.get(recordKey(kind, 'default', name));
      const before = await read();
      for (const reconciler of reconcilers.filter(({ kinds }) => kinds.includes(kind)))
        await reconciler.reconcile(recordKey(kind, 'default', name));
      expect(await read()).toEqual(before);
    }
  });
});
