import { create } from '@bufbuild/protobuf';
import {
  type AgentResponse,
  type AgentTemplateResponse,
  GatewayService,
  type GetAgentResponse,
  type ListAgentTemplatesResponse,
} from '@svc/api/gateway';
import { AgentSpecSchema, TemplateSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/index.ts';
import { recordKey } from '../../../resources/index.ts';
import { ADMIN, type AuthoringWorld, callContext, openAuthoringWorld } from '../../testing/index.ts';

const {
  createAgentTemplate,
  getAgentTemplate,
  listAgentTemplates,
  deleteAgentTemplate,
  createAgent,
  modifyAgent,
  getAgent,
} = GatewayService.method;

const READER: Caller = { ...ADMIN, grants: [{ role: 'viewer', readSecrets: false }] };

describe('agent templates', () => {
  let world: AuthoringWorld;

  beforeEach(async () => {
    world = await openAuthoringWorld();
  });
  afterEach(() => world.close());

  const put = (name: string, spec: object, metadata: object = {}): Promise<AgentTemplateResponse> =>
    world.call(createAgentTemplate, {
      template: { metadata: { name, ...metadata }, spec: { specJson: JSON.stringify(spec) } },
    });
  const read = (name: string): Promise<AgentTemplateResponse> => world.call(getAgentTemplate, { name });
  const agentOf = async (name: string) => {
    const { agent } = (await world.call(getAgent, { ns: 'default', name })) as GetAgentResponse;
    const current = agent?.status?.conditions.find((condition) => condition.type === 'TemplateCurrent');
    return { agent, version: agent?.metadata?.resourceVersion, condition: `${current?.status} ${current?.reason}` };
  };

  it('are made of kind Agent in system, Ready, and read back the same', async () => {
    const { template } = await put('base', { systemPrompt: 'Help.' });
    expect(template).toMatchObject({
      metadata: { name: 'base', namespace: 'system', generation: 1n },
      spec: { kind: 'Agent', specJson: '{"systemPrompt":"Help."}' },
      status: { phase: 'Ready', observedGeneration: 1n },
    });
    expect((await read('base')).template).toEqual(template);
  });

  it('are replaced by a second create, which keeps the uid and honours the version', async () => {
    const first = (await put('base', { systemPrompt: 'a' }, { labels: { x: '1' } })).template;
    const second = (await put('base', { systemPrompt: 'b' })).template;
    expect(second?.metadata).toMatchObject({ uid: first?.metadata?.uid, generation: 2n, labels: {} });
    expect(second?.status?.observedGeneration).toBe(2n);
    const stale = put('base', {}, { resourceVersion: first?.metadata?.resourceVersion });
    await expect(stale).rejects.toMatchObject({ code: 'ABORTED', reason: 'CONFLICT' });
    const gone = put('other', {}, { resourceVersion: '5' });
    await expect(gone).rejects.toMatchObject({ reason: 'TEMPLATE_NOT_FOUND' });
  });

  it.each([
    ['no name', { template: { spec: { specJson: '{}' } } }, 'metadata.name'],
    ['nothing at all', {}, 'metadata.name'],
    ['another namespace', { template: { metadata: { name: 'a', namespace: 'default' } } }, 'metadata.namespace'],
    ['another kind', { template: { metadata: { name: 'a' }, spec: { kind: 'Skill' } } }, 'spec.kind'],
    ['no object', { template: { metadata: { name: 'a' }, spec: { specJson: '[]' } } }, 'spec.specJson'],
    ['a foreign field', { template: { metadata: { name: 'a' }, spec: { specJson: '{"x":1}' } } }, 'spec.specJson'],
    [
      'a bad prompt',
      { template: { metadata: { name: 'a' }, spec: { specJson: '{"systemPrompt":"{{ x }}"}' } } },
      'spec.specJson',
    ],
  ])('refuse %s', async (_title, request, field) => {
    const refused = world.call(createAgentTemplate, request as never);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ field }] });
  });

  it('take namespace system and a partial agent', async () => {
    expect((await put('base', {}, { namespace: 'system' })).template?.spec?.specJson).toBe('{}');
    const partial = { modelPolicy: { profiles: [{ name: 'default' }] }, runtime: { kind: 'acp' } };
    await expect(put('partial', partial)).resolves.toBeDefined();
  });

  it('are listed and found without templates of other kinds', async () => {
    await put('b', {});
    await put('a', {}, { labels: { tier: 'gold' } });
    await world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), {
        key: recordKey('Template', 'system', 'c'),
        spec: create(TemplateSpecSchema, { kind: 'Skill', specJson: '{}' }),
      }),
    );
    const names = async (request: object) => {
      const page = (await world.call(listAgentTemplates, request)) as ListAgentTemplatesResponse;
      return [page.templates.map((item) => item.metadata?.name), page.nextPageToken] as const;
    };
    const [first, token] = await names({ pageSize: 1 });
    expect([first, token === '']).toEqual([['a'], false]);
    expect(await names({ pageSize: 1, pageToken: token })).toEqual([['b'], '']);
    expect(await names({ labelSelector: 'tier=gold' })).toEqual([['a'], '']);
    const { templates } = (await world.call(listAgentTemplates, { metadataOnly: true })) as ListAgentTemplatesResponse;
    expect(templates.map((item) => item.spec)).toEqual([undefined, undefined]);
    const missing = { code: 'NOT_FOUND', reason: 'TEMPLATE_NOT_FOUND' };
    await expect(read('c')).rejects.toMatchObject(missing);
    await expect(world.call(deleteAgentTemplate, { name: 'c' })).rejects.toMatchObject(missing);
    await expect(world.call(listAgentTemplates, { pageToken: 'x' })).rejects.toMatchObject({
      reason: 'PAGE_TOKEN_INVALID',
    });
  });

  it('are deleted once', async () => {
    await put('base', {});
    expect(await world.call(deleteAgentTemplate, { name: 'base' })).toMatchObject({ success: true });
    const missing = { code: 'NOT_FOUND', reason: 'TEMPLATE_NOT_FOUND' };
    await expect(read('base')).rejects.toMatchObject(missing);
    await expect(world.call(deleteAgentTemplate, { name: 'base' })).rejects.toMatchObject(missing);
  });

  it('hide and keep what agents would hide and keep', async () => {
    const acp = (env: object) => ({ runtime: { kind: 'acp', acp: { command: 'x', env } } });
    await put('base', acp({ KEY: 'hidden', REF: 'secret://a/b' }));
    const masked = (await world.call(getAgentTemplate, { name: 'base' }, READER)) as AgentTemplateResponse;
    expect(JSON.parse(masked.template?.spec?.specJson ?? '')).toEqual(acp({ KEY: '', REF: 'secret://a/b' }));
    await put('base', acp({ KEY: '', REF: 'secret://a/b' }));
    expect(JSON.parse((await read('base')).template?.spec?.specJson ?? '')).toEqual(
      acp({ KEY: 'hidden', REF: 'secret://a/b' }),
    );
  });

  // PL-18 23
  it('give agents what these leave open, clear nothing, and when edited flip TemplateCurrent and nothing else', async () => {
    const profile = (name: string) => ({ name, model: { provider: 'demo', name: 'echo' } });
    await put('base', {
      systemPrompt: 'From template.',
      postHistoryPrompt: 'Be brief.',
      modelPolicy: { profiles: [profile('a'), profile('b')] },
      capabilities: { files: ['read'] },
    });
    const { agent } = (await world.call(createAgent, {
      ns: 'default',
      name: 'helper',
      template: 'base',
      spec: create(AgentSpecSchema, {
        systemPrompt: 'Own.',
        postHistoryPrompt: '',
        modelPolicy: { profiles: [profile('c')] },
      }),
      annotations: { mine: 'x' },
    })) as AgentResponse;
    expect(agent?.spec).toMatchObject({ systemPrompt: 'Own.', postHistoryPrompt: 'Be brief.' });
    expect(agent?.spec?.modelPolicy?.profiles.map((item) => item.name)).toEqual(['c']);
    expect(Object.keys(agent?.spec?.capabilities ?? {})).toEqual(['files']);
    expect(agent?.metadata?.annotations).toMatchObject({
      mine: 'x',
      'svc/template': 'base',
      'svc/template-version': '1',
    });
    await world.settle();
    const before = await agentOf('helper');
    expect(before.condition).toBe('True Current');

    await put('base', { systemPrompt: 'New.', postHistoryPrompt: 'Newer.' });
    await world.settle();
    const after = await agentOf('helper');
    expect(after.condition).toBe('False NewerVersion');
    expect(after.agent?.spec).toEqual(before.agent?.spec);
    expect(after.agent?.status?.phase).toBe('Ready');
    expect(after.agent?.metadata).toEqual({ ...before.agent?.metadata, resourceVersion: after.version });

    await world.call(modifyAgent, {
      ns: 'default',
      agent: 'helper',
      template: 'base',
      spec: create(AgentSpecSchema, { systemPrompt: 'Own.' }),
    });
    const merged = await agentOf('helper');
    expect(merged.condition).toBe('True Current');
    expect(merged.agent?.spec).toMatchObject({ systemPrompt: 'Own.', postHistoryPrompt: 'Newer.' });
    expect(merged.agent?.spec?.modelPolicy).toBeUndefined();

    await world.call(deleteAgentTemplate, { name: 'base' });
    await world.settle();
    expect((await agentOf('helper')).condition).toBe('False Deleted');
    await put('base', { systemPrompt: 'Again.' });
    await world.settle();
    // A template of another uid whose generation happens to differ is not the one the agent came from.
    expect((await agentOf('helper')).condition).toBe('False NewerVersion');
  });

  it('hand on values that are stored sealed', async () => {
    const acp = (env: object) => ({ runtime: { kind: 'acp', acp: { command: 'x', env } } });
    await put('base', acp({ KEY: 'hidden' }));
    const stored = await world.store.direct.resources.get(recordKey('Template', 'system', 'base'));
    expect(stored?.spec).not.toContain('hidden');
    await world.call(createAgent, { ns: 'default', name: 'helper', template: 'base' });
    expect((await agentOf('helper')).agent?.spec?.runtime?.acp?.env).toEqual({ KEY: 'hidden' });
    await put('base', acp({ KEY: 'changed' }));
    await world.call(modifyAgent, { ns: 'default', agent: 'helper', template: 'base' });
    const { agent } = await agentOf('helper');
    expect([agent?.metadata?.annotations?.['svc/template-version'], agent?.spec?.runtime?.acp?.env]).toEqual([
      '2',
      { KEY: 'changed' },
    ]);
  });

  it('are needed by an agent that names them, and must give a valid agent', async () => {
    const make = (template: string) => world.call(createAgent, { ns: 'default', name: 'helper', template });
    await expect(make('none')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'REFERENCE_MISSING' });
    await put('partial', { modelPolicy: { profiles: [{ name: 'default' }] } });
    await expect(make('partial')).rejects.toMatchObject({
      violations: [{ field: 'spec.modelPolicy.profiles[0].model.name' }],
    });
  });
});
