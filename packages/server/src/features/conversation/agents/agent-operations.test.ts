import { create } from '@bufbuild/protobuf';
import { type AgentResponse, GatewayService, type GetAgentResponse, type ListAgentsResponse } from '@svc/api/gateway';
import { AgentSpecSchema, TemplateSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kindContract } from '../../../controllers/contract.ts';
import { recordKey } from '../../../resources/index.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';

const { createAgent, getAgent, modifyAgent, listAgents } = GatewayService.method;

describe('agents', () => {
  let world: ResourceWorld;

  beforeEach(async () => {
    world = await openResourceWorld({ contracts: () => [kindContract({ kind: 'Template', validate: () => [] })] });
  });
  afterEach(() => world.close());

  const make = async (name: string, spec: object = {}): Promise<AgentResponse> =>
    world.call(createAgent, { ns: 'default', name, spec: create(AgentSpecSchema, spec as never) });
  const read = async (name: string): Promise<GetAgentResponse> => world.call(getAgent, { ns: 'default', name });

  it('are created Ready with generation 1 and read back the same', async () => {
    const { agent } = await make('helper', { systemPrompt: 'Help.' });
    expect(agent?.metadata?.generation).toBe(1n);
    expect(agent?.status?.phase).toBe('Ready');
    expect(agent?.status?.observedGeneration).toBe(1n);
    expect((await read('helper')).agent).toEqual(agent);
  });

  it('get a UUID as name when none is given', async () => {
    const { agent } = (await world.call(createAgent, { ns: 'default' })) as AgentResponse;
    expect(agent?.metadata?.name).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answer the same frozen message until something changes', async () => {
    await make('helper');
    const first = await read('helper');
    expect(await read('helper')).toBe(first);
    expect(Object.isFrozen(first.agent?.metadata)).toBe(true);
    await world.call(modifyAgent, { ns: 'default', agent: 'helper', labels: { tier: 'gold' } });
    const second = await read('helper');
    expect(second).not.toBe(first);
    expect(second.agent?.metadata?.labels).toEqual({ tier: 'gold' });
  });

  it('refuse a name that is taken, a missing and a malformed one', async () => {
    await make('helper');
    await expect(make('helper')).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'AGENT_EXISTS' });
    await expect(read('other')).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'AGENT_NOT_FOUND' });
    await expect(make('-bad')).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
  });

  it('are refused in a namespace that does not exist', async () => {
    const missing = { ns: 'nowhere', name: 'helper' };
    await expect(world.call(createAgent, missing)).rejects.toMatchObject({ reason: 'NAMESPACE_MISSING' });
    await expect(world.call(getAgent, missing)).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
  });

  it('name all faults of a spec at once', async () => {
    const spec = {
      modelPolicy: {
        profiles: [
          { name: 'default', model: { name: '', temperature: 1 } },
          { name: 'default', model: { name: 'm', temperature: 3, thinking: { effort: 'huge' } } },
        ],
      },
      mcpServerRefs: ['a', 'a'],
      systemPrompt: 'x {{ bad }}',
      runtime: { kind: 'acp', acp: { permissionPolicy: { fly: 'sure' } } },
      a2a: { connections: [{ name: 'c', target: { internal: { agent: 'x' }, external: { agentCardUrl: 'u' } } }] },
    };
    const failure: { violations: { field: string }[] } = (await make('helper', spec).catch(
      (error: unknown) => error as never,
    )) as never;
    expect(failure.violations.map((violation) => violation.field)).toEqual([
      'spec.modelPolicy.profiles[1].name',
      'spec.modelPolicy.profiles[0].model.name',
      'spec.modelPolicy.profiles[1].model.temperature',
      'spec.modelPolicy.profiles[1].model.thinking.effort',
      'spec.mcpServerRefs[1]',
      'spec.a2a.connections[0].target',
      'spec.a2a.connections[0].target.external.agentCardUrl',
      'spec.runtime.acp',
      'spec.runtime.acp.permissionPolicy[fly]',
      'spec.runtime.acp.permissionPolicy[fly]',
      'spec.systemPrompt',
    ]);
  });

  it('keep generation and version when a write changes nothing', async () => {
    const { agent } = await make('helper', { systemPrompt: 'Help.' });
    const spec = create(AgentSpecSchema, { systemPrompt: 'Help.' });
    const same = (await world.call(modifyAgent, { ns: 'default', agent: 'helper', spec })) as AgentResponse;
    expect(same.agent?.metadata?.resourceVersion).toBe(agent?.metadata?.resourceVersion);
    expect(same.agent?.metadata?.generation).toBe(1n);
  });

  it('count generations by spec only', async () => {
    await make('helper');
    const labelled = (await world.call(modifyAgent, {
      ns: 'default',
      agent: 'helper',
      labels: { a: 'b' },
    })) as AgentResponse;
    expect(labelled.agent?.metadata?.generation).toBe(1n);
    const spec = create(AgentSpecSchema, { systemPrompt: 'New.' });
    const changed = (await world.call(modifyAgent, { ns: 'default', agent: 'helper', spec })) as AgentResponse;
    expect(changed.agent?.metadata?.generation).toBe(2n);
    expect(changed.agent?.metadata?.labels).toEqual({ a: 'b' });
    expect(changed.agent?.status?.observedGeneration).toBe(2n);
  });

  it('replace exactly the fields of the mask', async () => {
    await make('helper', { systemPrompt: 'Help.', postHistoryPrompt: 'Be kind.', mcpServerRefs: ['a'] });
    const changed = (await world.call(modifyAgent, {
      ns: 'default',
      agent: 'helper',
      spec: create(AgentSpecSchema, { systemPrompt: 'New.', mcpServerRefs: ['b'] }),
      labels: { ignored: 'yes' },
      updateMask: { paths: ['spec.system_prompt', 'spec.post_history_prompt'] },
    })) as AgentResponse;
    expect(changed.agent?.spec).toMatchObject({ systemPrompt: 'New.', postHistoryPrompt: '', mcpServerRefs: ['a'] });
    expect(changed.agent?.metadata?.labels).toEqual({});
    const untouched = { ns: 'default', agent: 'helper', template: 'none', labels: { a: 'b' } };
    const labelled = (await world.call(modifyAgent, {
      ...untouched,
      updateMask: { paths: ['labels'] },
    })) as AgentResponse;
    expect(labelled.agent?.metadata).toMatchObject({ labels: { a: 'b' }, annotations: {}, generation: 2n });
    const templated = world.call(modifyAgent, { ...untouched, updateMask: { paths: ['spec'] } });
    await expect(templated).rejects.toMatchObject({ reason: 'REFERENCE_MISSING' });
    const wrong = { ns: 'default', agent: 'helper', updateMask: { paths: ['spec.nothing'] } };
    await expect(world.call(modifyAgent, wrong)).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
  });

  it('let one of two conditional writers win and tell the other the current version', async () => {
    const { agent } = await make('helper');
    const resourceVersion = agent?.metadata?.resourceVersion ?? '';
    const write = (value: string) =>
      world.call(modifyAgent, { ns: 'default', agent: 'helper', labels: { value }, resourceVersion });
    await write('one');
    const current = (await read('helper')).agent?.metadata?.resourceVersion;
    await expect(write('two')).rejects.toMatchObject({ code: 'ABORTED', reason: 'CONFLICT', metadata: { current } });
  });

  it('lose no update of 50 parallel conditional writers', async () => {
    await make('counter');
    const versions = new Set<string>();
    const add = async (index: number): Promise<void> => {
      for (;;) {
        const { agent } = await read('counter');
        const labels = { ...agent?.metadata?.labels, [`writer-${index}`]: 'done' };
        const resourceVersion = agent?.metadata?.resourceVersion ?? '';
        try {
          const request = { ns: 'default', agent: 'counter', labels, resourceVersion };
          const written = (await world.call(modifyAgent, request)) as AgentResponse;
          versions.add(written.agent?.metadata?.resourceVersion ?? '');
          return;
        } catch (error) {
          expect(error).toMatchObject({ reason: 'CONFLICT' });
        }
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, index) => add(index)));
    expect(versions.size).toBe(50);
    expect(Object.keys((await read('counter')).agent?.metadata?.labels ?? {})).toHaveLength(50);
  });

  it('keep system keys that are repeated or left out and refuse changed ones', async () => {
    const key = recordKey('Agent', 'default', 'helper');
    await make('helper');
    await world.store.write((tx) =>
      world.writer.writeStatus(tx, key, () => ({ system: { labels: { 'svc/mark': 'one' } } })),
    );
    const modify = (labels: Record<string, string>): Promise<AgentResponse> =>
      world.call(modifyAgent, { ns: 'default', agent: 'helper', labels });
    expect((await modify({ a: 'b' })).agent?.metadata?.labels).toEqual({ a: 'b', 'svc/mark': 'one' });
    expect((await modify({ 'svc/mark': 'one' })).agent?.metadata?.labels).toEqual({ 'svc/mark': 'one' });
    await expect(modify({ 'svc/mark': 'two' })).rejects.toMatchObject({ reason: 'SYSTEM_LABEL' });
    await expect(modify({ 'svc/new': 'x' })).rejects.toMatchObject({ reason: 'SYSTEM_LABEL' });
    const option = { ns: 'default', agent: 'helper', annotations: { 'option.svc/nothing': 'x' } };
    await expect(world.call(modifyAgent, option)).rejects.toMatchObject({
      violations: [expect.objectContaining({ reason: 'OPTION_UNKNOWN' })],
    });
  });

  it('are listed by name in pages, by label, and as metadata', async () => {
    for (const name of ['b', 'a', 'd', 'c']) await make(name);
    await world.call(modifyAgent, { ns: 'default', agent: 'c', labels: { tier: 'gold' } });
    const list = (request: object): Promise<ListAgentsResponse> =>
      world.call(listAgents, { ns: 'default', ...request });
    const first = await list({ pageSize: 3 });
    expect(first.agents.map((agent) => agent.metadata?.name)).toEqual(['a', 'b', 'c']);
    const second = await list({ pageSize: 3, pageToken: first.nextPageToken });
    expect(second.agents.map((agent) => agent.metadata?.name)).toEqual(['d']);
    expect(second.nextPageToken).toBe('');
    const gold = await list({ labelSelector: 'tier=gold', metadataOnly: true });
    expect(gold.agents.map((agent) => [agent.metadata?.name, agent.spec])).toEqual([['c', undefined]]);
    await expect(list({ labelSelector: 'x', pageToken: first.nextPageToken })).rejects.toMatchObject({
      reason: 'PAGE_TOKEN_INVALID',
    });
  });

  it('hide environment values from callers without read_secrets and keep what is written back empty', async () => {
    const runtime = { kind: 'acp', acp: { command: 'run', env: { KEY: 'value', REF: 'secret://a/b' } } };
    await make('coder', { runtime });
    const viewer = {
      identity: 'key:1',
      subject: 'key',
      mode: 'api-key' as const,
      grants: [{ role: 'admin' as const, namespace: 'default', readSecrets: false }],
    };
    const masked = (await world.call(getAgent, { ns: 'default', name: 'coder' }, viewer)) as GetAgentResponse;
    expect(masked.agent?.spec?.runtime?.acp?.env).toEqual({ KEY: '', REF: 'secret://a/b' });
    const spec = masked.agent?.spec;
    await world.call(modifyAgent, { ns: 'default', agent: 'coder', ...(spec === undefined ? {} : { spec }) }, viewer);
    expect((await read('coder')).agent?.spec?.runtime?.acp?.env).toEqual({ KEY: 'value', REF: 'secret://a/b' });
  });

  it('show what is missing without being refused', async () => {
    const spec = {
      features: [{ name: 'files' }, { name: 'vision', type: 'model' }, { name: 'max_steps=0', type: 'knob' }],
      mcpServerRefs: ['search'],
      modelPolicy: { profiles: [{ name: 'p', model: { provider: 'unknown', name: 'm' } }] },
      capabilities: { flying: { values: [{ kind: { case: 'stringValue', value: '*' } }] } },
    };
    const { agent } = await make('helper', spec);
    expect(agent?.status?.phase).toBe('Degraded');
    const conditions = agent?.status?.conditions.map(({ type, status }) => `${type}=${status}`);
    expect(conditions).toEqual([
      'Ready=False',
      'ReferencesResolved=False',
      'FeaturesAvailable=False',
      'CapabilitiesKnown=False',
      'ModelsAvailable=False',
      'ModelOptions=True',
    ]);
    expect((await world.agents.current(world.store.direct, 'default', 'helper'))?.notReady).toBe('');
  });

  it.each([
    [{ provider: 'opnai', name: 'gpt' }, 'provider opnai is not configured, did you mean openai'],
    [{ provider: 'zzz', name: 'gpt' }, 'provider zzz is not configured'],
    [
      { name: 'openai/gpt-x' },
      'model openai/gpt-x names no provider, and the default provider demo does not know it: did you mean provider openai, name gpt-x',
    ],
    [
      { name: 'gpt-x' },
      'model gpt-x names no provider, and the default provider demo does not know it: name a provider that has it (demo, openai)',
    ],
    [{ name: 'echo' }, ''],
    [{ provider: 'demo', name: 'anything' }, ''],
    [{ provider: 'openai', name: 'gpt-x' }, ''],
  ])('say of the model %j whether a provider has it, and what was meant', async (model, message) => {
    const { agent } = await make('helper', { modelPolicy: { profiles: [{ name: 'p', model }] } });
    const found = agent?.status?.conditions.find(({ type }) => type === 'ModelsAvailable');
    expect([found?.status, found?.message]).toEqual([message === '' ? 'True' : 'False', message]);
  });

  it('refuse turns when a required feature is missing', async () => {
    const { agent } = await make('helper', { features: [{ name: 'vision', type: 'model', required: true }] });
    expect(agent?.status?.conditions[0]).toMatchObject({ type: 'Ready', status: 'False' });
    const revision = await world.agents.current(world.store.direct, 'default', 'helper');
    expect(revision?.notReady).toContain('vision');
  });

  it('merge a template without clearing anything and note its version', async () => {
    const specJson = '{"system_prompt":"From the template.","mcpServerRefs":["a"],"postHistoryPrompt":"Kind."}';
    await world.store.write((tx) =>
      world.writer.create(tx, callContext('test'), {
        key: recordKey('Template', 'system', 'base'),
        spec: create(TemplateSpecSchema, { kind: 'Agent', specJson }),
      }),
    );
    const request = { ns: 'default', name: 'helper', template: 'base' };
    const { agent } = (await world.call(createAgent, {
      ...request,
      spec: create(AgentSpecSchema, { systemPrompt: 'Own.', mcpServerRefs: [] }),
    })) as AgentResponse;
    expect(agent?.spec).toMatchObject({ systemPrompt: 'Own.', mcpServerRefs: ['a'], postHistoryPrompt: 'Kind.' });
    expect(agent?.metadata?.annotations).toEqual({
      ...{ 'svc/template': 'base', 'svc/template-version': '1' },
      'svc/template-uid': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(agent?.status?.conditions.at(-1)).toMatchObject({ type: 'TemplateCurrent', status: 'True' });
    const missing = { ns: 'default', name: 'x', template: 'none' };
    await expect(world.call(createAgent, missing)).rejects.toMatchObject({ reason: 'REFERENCE_MISSING' });
  });

  it('hand former revisions to turns that began with them', async () => {
    await make('helper', { systemPrompt: 'One.' });
    const before = await world.agents.current(world.store.direct, 'default', 'helper');
    const spec = create(AgentSpecSchema, { systemPrompt: 'Two.' });
    await world.call(modifyAgent, { ns: 'default', agent: 'helper', spec });
    const now = await world.agents.current(world.store.direct, 'default', 'helper');
    expect(now?.spec.systemPrompt).toBe('Two.');
    if (now === undefined || before === undefined) throw new Error('no agent');
    const former = await world.agents.revision(world.store.direct, now, now.uid, before.generation);
    expect(former?.spec.systemPrompt).toBe('One.');
    world.clock.advance(3 * 86_400_000);
    await world.runner.tick();
    expect(await world.agents.revision(world.store.direct, now, now.uid, before.generation)).toBeUndefined();
  });

  it('show the newest session without a new version', async () => {
    const { agent } = await make('helper');
    const uid = agent?.metadata?.uid ?? '';
    await world.store.write((tx) => world.agents.noteSession(tx, uid, 'session-1'));
    const shown = (await read('helper')).agent;
    expect(shown?.status?.lastSessionId).toBe('session-1');
    expect(shown?.metadata?.resourceVersion).toBe(agent?.metadata?.resourceVersion);
  });

  it('leave one audit record per write and none for a write of nothing', async () => {
    await make('helper');
    await world.call(modifyAgent, { ns: 'default', agent: 'helper', labels: {} });
    const rows = await world.store.read((tx) => tx.audit.list({ namespaces: ['default'], limit: 10 }));
    const about = rows.filter((row) => row.target === 'Agent/default/helper');
    expect(about.map((row) => [row.operation, row.outcome, row.identity])).toEqual([
      ['svc.gateway.GatewayService/CreateAgent', 'created', 'anonymous'],
    ]);
  });
});
