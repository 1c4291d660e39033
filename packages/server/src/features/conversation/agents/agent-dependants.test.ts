import { create, toJsonString } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { recordKey } from '../../../resources/index.ts';
import type { ResourceReads, StoredResource } from '../../../store/contracts/index.ts';
import { AgentDependants } from './agent-dependants.ts';

const agent = (name: string, spec: object, more: Partial<StoredResource> = {}): StoredResource => ({
  ...{ key: recordKey('Agent', 'acme', name), apiVersion: 'svc/v1', uid: name, generation: 1, version: 1 },
  ...{ createdAt: 0, updatedAt: 0, labels: {}, annotations: {}, owners: [], finalizers: [], status: '{}' },
  spec: toJsonString(AgentSpecSchema, create(AgentSpecSchema, spec as never)),
  ...more,
});

const storeOf = (agents: readonly StoredResource[]) => {
  const state = { lists: 0, isBroken: false };
  const list: ResourceReads['list'] = async ({ after, limit }) => {
    if (state.isBroken) throw new Error('the store is gone');
    state.lists += 1;
    const from = after === undefined ? 0 : agents.findIndex(({ key }) => key.name === after.name) + 1;
    return agents.slice(from, from + limit);
  };
  return { state, reads: { list } as ResourceReads };
};

describe('what agents hang on', () => {
  const agents = [
    agent('plain', {}),
    agent('skilled', { features: [{ type: 'skill', name: 'cook' }] }),
    agent('boxed', { features: [{ type: 'sandbox', name: '' }] }),
    agent('harnessed', { runtime: { kind: 'acp', acp: { sandboxPolicyRef: 'strict' } } }),
    agent('served', { mcpServerRefs: ['files'] }),
    agent('connected', { a2a: { connections: [{ name: 'x', auth: { kind: 'bearer', secretRef: 'a/b' } }] } }),
    agent('linked', { a2a: { connections: [{ name: 'x', target: { internal: { agent: 'other' } } }] } }),
    agent('placed', {
      a2a: { connections: [{ name: 'x', target: { internal: { namespace: 'far', agent: 'other' } } }] },
    }),
    agent('keyed', { runtime: { kind: 'acp', acp: { env: { A: 'secret://a/b', B: 'plain', C: 'secret://c' } } } }),
    agent('unkeyed', { runtime: { kind: 'acp', acp: { env: { B: 'plain' } } } }),
    agent('templated', {}, { annotations: { 'svc/template': 'base' } }),
  ];
  const namesOf = async (
    dependants: AgentDependants,
    [kind = '', name = '', namespace = 'acme']: readonly string[],
    where: { readonly reads: ResourceReads; readonly namespaces?: readonly string[] | undefined },
  ): Promise<readonly string[]> => {
    const { reads, namespaces } = where;
    const found = await dependants.of(recordKey(kind, namespace, name), reads, async () => namespaces);
    return found.map((key) => key.name).sort();
  };

  it.each([
    ['Skill', 'cook', ['skilled']],
    ['Skill', 'other', []],
    ['SandboxPolicy', 'default', ['boxed', 'keyed', 'unkeyed']],
    ['SandboxPolicy', 'strict', ['harnessed']],
    ['SandboxClass', 'any', ['boxed', 'harnessed', 'keyed', 'unkeyed']],
    ['McpServerBinding', 'files', ['served']],
    ['McpServerBinding', 'mail', []],
    ['McpServer', 'any', ['served']],
    ['Secret', 'a', ['connected', 'keyed']],
    ['Secret', 'any', []],
    ['Agent', 'other', ['linked']],
    ['Agent', 'linked', []],
    ['Template', 'base', ['templated']],
    ['Template', 'other', []],
  ])('is told of a %s named %s', async (kind, name, expected) => {
    const { reads } = storeOf(agents);
    const dependants = new AgentDependants();
    expect(await namesOf(dependants, [kind, name], { reads, namespaces: ['acme', 'acme:team'] })).toEqual(expected);
    expect(await namesOf(dependants, [kind, name], { reads })).toEqual(expected);
    expect(await namesOf(dependants, [kind, name], { reads, namespaces: ['other'] })).toEqual([]);
  });

  it('tells agents whom they are connected to, by name and place', async () => {
    const { reads } = storeOf(agents);
    const dependants = new AgentDependants();
    expect(await namesOf(dependants, ['Agent', 'other', 'acme'], { reads })).toEqual(['linked']);
    expect(await namesOf(dependants, ['Agent', 'other', 'far'], { reads })).toEqual(['placed']);
    expect(await namesOf(dependants, ['Agent', 'other', 'elsewhere'], { reads })).toEqual([]);
  });

  it('is read once and kept up from changes', async () => {
    const { reads, state } = storeOf(agents);
    const dependants = new AgentDependants();
    dependants.note({ change: 'created', resource: agent('early', { features: [{ type: 'skill', name: 'cook' }] }) });
    expect(await namesOf(dependants, ['Skill', 'cook'], { reads })).toEqual(['skilled']);
    dependants.note({ change: 'created', resource: agent('late', { features: [{ type: 'skill', name: 'cook' }] }) });
    expect(await namesOf(dependants, ['Skill', 'cook'], { reads })).toEqual(['late', 'skilled']);
    dependants.note({ change: 'updated', resource: agent('skilled', { mcpServerRefs: ['files'] }) });
    expect(await namesOf(dependants, ['Skill', 'cook'], { reads })).toEqual(['late']);
    expect(await namesOf(dependants, ['McpServer', 'x'], { reads })).toEqual(['served', 'skilled']);
    dependants.note({ change: 'deleted', resource: agent('late', {}) });
    expect(await namesOf(dependants, ['Skill', 'cook'], { reads })).toEqual([]);
    expect(state.lists).toBe(1);
  });

  it('keeps nothing of a reading that failed half-way: changes until the next one are not lost', async () => {
    const cook = { features: [{ type: 'skill', name: 'cook' }] };
    const many = Array.from({ length: 600 }, (_, index) => agent(`a-${index}`, cook));
    const { reads, state } = storeOf(many);
    const dependants = new AgentDependants();
    const breaking: ResourceReads['list'] = async (query) => {
      if (query.after !== undefined) throw new Error('the store is gone');
      return reads.list(query);
    };
    await expect(namesOf(dependants, ['Skill', 'cook'], { reads: { ...reads, list: breaking } })).rejects.toThrow();
    const changed = agent('a-0', { mcpServerRefs: ['files'] });
    many[0] = changed;
    dependants.note({ change: 'updated', resource: changed });
    expect(await namesOf(dependants, ['McpServer', 'any'], { reads })).toEqual(['a-0']);
    expect(await namesOf(dependants, ['Skill', 'cook'], { reads })).toHaveLength(599);
    expect(state.lists).toBe(3);
  });

  it('is read over pages, and again when reading failed', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) =>
      agent(`a-${index}`, { features: [{ type: 'skill', name: 'cook' }] }),
    );
    const { reads, state } = storeOf(many);
    const dependants = new AgentDependants();
    state.isBroken = true;
    await expect(namesOf(dependants, ['Skill', 'cook'], { reads })).rejects.toThrow('gone');
    state.isBroken = false;
    expect(await namesOf(dependants, ['Skill', 'cook'], { reads })).toHaveLength(1_200);
    expect(state.lists).toBe(3);
  });
});
