import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { type AgentResponse, GatewayService, type GetAgentResponse } from '@svc/api/gateway';
import {
  AgentSpecSchema,
  McpServerBindingSpecSchema,
  McpServerSpecSchema,
  SandboxClassSpecSchema,
  SandboxPolicySpecSchema,
  SecretSpecSchema,
  SkillSpecSchema,
  TemplateSpecSchema,
} from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { kindContract } from '../../../controllers/contract.ts';
import { ReconcileLoop } from '../../../controllers/index.ts';
import { recordKey } from '../../../resources/index.ts';
import { descendantRecords } from '../../authoring/namespaces/namespace-directory.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { agentController } from './agent-controller.ts';

const { createAgent, getAgent, createNamespace } = GatewayService.method;
const KINDS = ['Template', 'McpServer', 'McpServerBinding', 'Skill', 'SandboxPolicy', 'SandboxClass', 'Secret'];

describe('the agent controller', () => {
  let world: ResourceWorld;
  let loop: ReconcileLoop;
  /** A pass that failed is tried again later: without these a test would only see that a status is old. */
  const warnings: object[] = [];

  beforeEach(async () => {
    world = await openResourceWorld({
      contracts: () => KINDS.map((kind) => kindContract({ kind, validate: () => [] })),
    });
    const controller = agentController({
      ...{ store: world.store, writer: world.writer, namespaces: world.directory, dependencies: world.dependencies },
      descendants: async (reads, name) => (await descendantRecords(reads, name)).map((record) => record.key.name),
    });
    warnings.length = 0;
    const warn = (message: string, fields?: object): void => void warnings.push({ message, ...fields });
    loop = new ReconcileLoop(controller, { ...world, log: { ...silentLog, warn } });
    loop.start();
    await world.call(createNamespace, { name: 'acme:team', recursive: true });
  });
  afterEach(async () => {
    loop.close();
    await world.close();
    expect(warnings).toEqual([]);
  });

  /** Looks at what was changed. */
  const follow = async (): Promise<void> => {
    await world.feed.tick();
    await loop.tick();
  };
  const put = async (kind: string, address: string, spec: Message): Promise<void> => {
    const [namespace = '', name = ''] = address.split('/');
    await world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), { key: recordKey(kind, namespace, name), spec }),
    );
    await follow();
  };
  const remove = async (kind: string, address: string): Promise<void> => {
    const [namespace = '', name = ''] = address.split('/');
    await world.store.write((tx) =>
      world.writer.remove(tx, callContext('test'), { key: recordKey(kind, namespace, name) }),
    );
    await follow();
  };
  const make = async (spec: object, template = ''): Promise<AgentResponse> =>
    world.call(createAgent, { ns: 'acme:team', name: 'a', template, spec: create(AgentSpecSchema, spec as never) });
  const read = async (): Promise<GetAgentResponse> => world.call(getAgent, { ns: 'acme:team', name: 'a' });
  const condition = async (type: string): Promise<string> => {
    const found = (await read()).agent?.status?.conditions.find((candidate) => candidate.type === type);
    return `${found?.status} ${found?.reason}`;
  };

  it('finds servers that come later, near or far, and sees when they go', async () => {
    await make({ mcpServerRefs: ['search'] });
    expect(await condition('ReferencesResolved')).toBe('False Unresolved');
    await put('McpServer', 'system/search', create(McpServerSpecSchema, { target: 'x' }));
    expect(await condition('ReferencesResolved')).toBe('True Resolved');
    expect((await read()).agent?.status?.phase).toBe('Ready');
    await remove('McpServer', 'system/search');
    expect(await condition('ReferencesResolved')).toBe('False Unresolved');
    await put('McpServer', 'acme/other', create(McpServerSpecSchema, { target: 'x' }));
    await put('McpServerBinding', 'acme:team/search', create(McpServerBindingSpecSchema, { serverRef: 'other' }));
    expect(await condition('ReferencesResolved')).toBe('True Resolved');
  });

  it('makes turns possible once what is required has come', async () => {
    const features = [
      { name: 'write', type: 'skill', required: true },
      { name: 'box', type: 'sandbox', required: true },
      { name: 'search', type: 'mcp', required: true },
      { name: 'max_steps=5', type: 'knob' },
    ];
    await make({ features, mcpServerRefs: ['search'] });
    const notReady = async (): Promise<string | undefined> =>
      (await world.agents.current(world.store.direct, 'acme:team', 'a'))?.notReady;
    expect(await notReady()).toBe(
      'feature write is not available; feature box is not available; feature search is not available',
    );
    await put('Skill', 'acme/write', create(SkillSpecSchema, { description: 'd', instructions: 'i' }));
    await put('McpServer', 'acme/search', create(McpServerSpecSchema, { target: 'x' }));
    await put('SandboxPolicy', 'acme/box', create(SandboxPolicySpecSchema, { classRef: { name: 'local' } }));
    expect(await notReady()).toBe('feature box is not available');
    await put('SandboxClass', 'system/local', create(SandboxClassSpecSchema));
    expect(await notReady()).toBe('');
    await put('McpServer', 'acme/search', create(McpServerSpecSchema, { target: 'x', disabled: true }));
    expect(await notReady()).toBe('feature search is not available');
  });

  it('looks again every minute for what nothing announces', async () => {
    await make({ features: [{ name: 'web', type: 'toolset', required: true }] });
    await world.feed.tick();
    await loop.resync();
    await loop.tick();
    world.dependencies.isToolsetAvailable = () => true;
    const { dependencies } = world;
    expect(dependencies.isToolsetAvailable('web')).toBe(true);
    world.clock.advance(60_000);
    await loop.tick();
    expect(await condition('FeaturesAvailable')).toBe('True Available');
  });

  it('flips TemplateCurrent and nothing else when the template changes', async () => {
    const specJson = '{"systemPrompt":"One."}';
    await put('Template', 'system/base', create(TemplateSpecSchema, { kind: 'Agent', specJson }));
    const { agent } = await make({}, 'base');
    await put(
      'Template',
      'system/base',
      create(TemplateSpecSchema, { kind: 'Agent', specJson: '{"systemPrompt":"Two."}' }),
    );
    expect(await condition('TemplateCurrent')).toBe('False NewerVersion');
    const now = (await read()).agent;
    expect(now?.spec).toEqual(agent?.spec);
    expect([now?.metadata?.generation, now?.status?.phase]).toEqual([1n, 'Ready']);
    await put('Template', 'system/base', create(TemplateSpecSchema, { kind: 'Skill' }));
    expect(await condition('TemplateCurrent')).toBe('False Deleted');
  });

  it('takes a template that was deleted and made again with the same generation for another one', async () => {
    const template = (text: string) =>
      create(TemplateSpecSchema, { kind: 'Agent', specJson: JSON.stringify({ systemPrompt: text }) });
    await put('Template', 'system/base', template('One.'));
    await make({}, 'base');
    expect(await condition('TemplateCurrent')).toBe('True Current');
    await remove('Template', 'system/base');
    expect(await condition('TemplateCurrent')).toBe('False Deleted');
    await put('Template', 'system/base', template('Something else.'));
    expect(await condition('TemplateCurrent')).toBe('False NewerVersion');
  });

  it('writes nothing when nothing changed', async () => {
    await make({ mcpServerRefs: ['none'] });
    const before = (await read()).agent?.metadata?.resourceVersion;
    await loop.resync();
    await loop.tick();
    expect((await read()).agent?.metadata?.resourceVersion).toBe(before);
  });

  it('judges connections by their target and secret', async () => {
    const external = { external: { agentCardUrl: 'https://example.org/card' } };
    const connections = [
      { name: 'none' },
      { name: 'gone', target: { internal: { agent: 'x' } } },
      { name: 'self', target: { internal: { agent: 'a' } } },
      { name: 'open', target: external },
      { name: 'odd', target: external, auth: { kind: 'magic' } },
      { name: 'bare', target: external, auth: { kind: 'bearer' } },
      { name: 'secret', target: external, auth: { kind: 'bearer', secretRef: 'secret://key/token' } },
      { name: 'keyless', target: external, auth: { kind: 'bearer', secretRef: 'key' } },
      { name: 'deep', target: external, auth: { kind: 'bearer', secretRef: 'key/token/more' } },
      { name: 'strange', target: { internal: { agent: 'a' } }, auth: { kind: 'magic' } },
    ];
    await make({ a2a: { connections } });
    await follow();
    const message = async (): Promise<string | undefined> =>
      (await read()).agent?.status?.conditions.find(({ type }) => type === 'ReferencesResolved')?.message;
    expect((await message())?.split('; ').map((problem) => problem.split(':')[0])).toEqual([
      'connection none',
      'connection gone',
      'connection odd',
      'connection bare',
      'connection secret',
      'connection keyless',
      'connection deep',
      'connection strange',
    ]);
    await put('Secret', 'acme/key', create(SecretSpecSchema, { data: { token: 'eA==' } }));
    expect(await message()).toContain('connection secret');
    await world.store.write((tx) =>
      world.writer.modify(tx, callContext('test'), {
        key: recordKey('Secret', 'acme', 'key'),
        change: () => ({ annotations: { 'option.svc/inheritable': 'true' } }),
      }),
    );
    await follow();
    expect(await message()).not.toContain('connection secret');
    expect(await message()).toContain('connection keyless');
  });

  it('sees agents come and go to whom connections lead, also from other namespaces', async () => {
    const connections = [{ name: 'far', target: { internal: { namespace: 'acme', agent: 'desk' } } }];
    await make({ a2a: { connections } });
    expect(await condition('ReferencesResolved')).toBe('False Unresolved');
    await world.call(createAgent, { ns: 'acme', name: 'desk' });
    await follow();
    expect(await condition('ReferencesResolved')).toBe('True Resolved');
    await remove('Agent', 'acme/desk');
    expect(await condition('ReferencesResolved')).toBe('False Unresolved');
  });

  it('names variables of a harness whose secrets are missing', async () => {
    const env = { TOKEN: 'secret://key/token', MODE: 'plain' };
    await put('SandboxClass', 'acme/box', create(SandboxClassSpecSchema, { provider: 'demo' }));
    await put('SandboxPolicy', 'acme/default', create(SandboxPolicySpecSchema, { classRef: { name: 'box' } }));
    await make({ runtime: { kind: 'acp', acp: { command: 'run', env } } });
    const found = async () =>
      (await read()).agent?.status?.conditions.find(({ type }) => type === 'ReferencesResolved');
    expect(await found()).toMatchObject({ status: 'False', message: 'variable TOKEN: secret not found' });
    expect(await condition('Ready')).toBe('False Unresolved');
    await put('Secret', 'acme:team/key', create(SecretSpecSchema, { data: { token: 'eA==' } }));
    expect(await condition('ReferencesResolved')).toBe('True Resolved');
    await remove('Secret', 'acme:team/key');
    expect(await condition('ReferencesResolved')).toBe('False Unresolved');
  });

  it('refuses turns of harness agents without a sandbox', async () => {
    await make({ runtime: { kind: 'acp', acp: { harnessRef: 'unknown' } } });
    const revision = await world.agents.current(world.store.direct, 'acme:team', 'a');
    expect(revision?.notReady).toBe('sandbox policy default not usable; harness unknown not found');
  });
});
