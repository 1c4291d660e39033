import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AppUnderTest, EventReader, gate } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

const AGENTS = '/v1/ns/default/agents';
interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly generation: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Read {
  readonly metadata: Metadata;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly phase: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}
const agentOf = async (what: string, body?: unknown): Promise<Read> =>
  (await rest.ok<{ agent: Read }>(what, body)).agent;
const unique = (): string => `a-${randomUUID()}`;
const profiles = (...list: readonly object[]): object => ({ modelPolicy: { profiles: list } });
const model = (more: object = {}): object => ({ name: 'echo', provider: 'demo', ...more });

describe('the spec of an agent (API-8.1)', () => {
  it.each([
    ['no spec at all', undefined],
    ['profiles with names of their own', profiles({ name: 'a', model: model() }, { name: 'b', model: model() })],
    ['temperature 0', profiles({ name: 'a', model: model({ temperature: 0 }) })],
    ['temperature 2', profiles({ name: 'a', model: model({ temperature: 2 }) })],
    ['thinking with an effort', profiles({ name: 'a', model: model({ thinking: { effort: 'high' } }) })],
    ['references to nothing', { mcpServerRefs: ['none'], features: [{ type: 'mcp', name: 'none' }] }],
    ['a native runtime', { runtime: { kind: 'native' } }],
    ['an llm runtime', { runtime: { kind: 'llm' } }],
    ['a connection without target', { a2a: { connections: [{ name: 'c' }] } }],
    ['known capabilities', { capabilities: { goals: ['inspect', { action: 'create', approval: 'ask' }] } }],
  ])('may have %s', async (_, spec) => {
    const name = unique();
    expect(await rest.outcome(`POST ${AGENTS}`, { name, ...(spec === undefined ? {} : { spec }) })).toBe('200');
  });

  it.each([
    ['two profiles of one name', profiles({ name: 'a', model: model() }, { name: 'a', model: model() })],
    ['a model without a name', profiles({ name: 'a', model: { provider: 'demo' } })],
    ['temperature 2.1', profiles({ name: 'a', model: model({ temperature: 2.1 }) })],
    ['temperature -1', profiles({ name: 'a', model: model({ temperature: -1 }) })],
    ['an unknown effort', profiles({ name: 'a', model: model({ thinking: { effort: 'most' } }) })],
    ['a feature twice', { features: [{ name: 'goals' }, { name: 'goals' }] }],
    ['a server twice', { mcpServerRefs: ['a', 'a'] }],
    ['a connection twice', { a2a: { connections: [{ name: 'c' }, { name: 'c' }] } }],
    [
      'a connection with both targets',
      {
        a2a: {
          connections: [
            { name: 'c', target: { internal: { agent: 'a' }, external: { agentCardUrl: 'https://a.example' } } },
          ],
        },
      },
    ],
    ['an unknown runtime', { runtime: { kind: 'vm' } }],
    ['an acp runtime without a command', { runtime: { kind: 'acp', acp: {} } }],
    [
      'an unknown key of the permission policy',
      { runtime: { kind: 'acp', acp: { command: 'x', permissionPolicy: { everything: 'allow' } } } },
    ],
    [
      'an unknown value of the permission policy',
      { runtime: { kind: 'acp', acp: { command: 'x', permissionPolicy: { default: 'maybe' } } } },
    ],
    ['an unknown variable in its prompt', { systemPrompt: 'Hello {{ nonsense }}' }],
    ['a reference that is no name', { mcpServerRefs: ['a/b'] }],
  ])('may not have %s', async (_, spec) => {
    expect(await rest.outcome(`POST ${AGENTS}`, { name: unique(), spec })).toMatch(
      /^400 (FIELD_INVALID|JSON_INVALID)$/,
    );
  });

  it('gives an agent without a name a UUIDv7', async () => {
    const { metadata } = await agentOf(`POST ${AGENTS}`, {});
    expect(metadata.name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  });

  it('without what it needs is Degraded and says so', async () => {
    const { metadata } = await agentOf(`POST ${AGENTS}`, { spec: { mcpServerRefs: ['none'] } });
    const { status } = await agentOf(`GET ${AGENTS}/${metadata.name}`);
    expect(status.phase).toBe('Degraded');
    expect(status.conditions.filter((condition) => condition.status === 'False')).not.toEqual([]);
  });
});

describe('a change of an agent (API-1.4, 8.1)', () => {
  const spec = { systemPrompt: 'one', mcpServerRefs: ['x'] };
  const create = async (): Promise<Metadata> =>
    (await agentOf(`POST ${AGENTS}`, { name: unique(), spec, labels: { a: '1' }, annotations: { n: '1' } })).metadata;

  it('without a mask replaces the spec, and maps only when they hold something', async () => {
    const { name } = await create();
    const changed = await agentOf(`PUT ${AGENTS}/${name}`, {
      spec: { systemPrompt: 'two' },
      labels: {},
      annotations: { m: '2' },
    });
    expect(changed.spec).toMatchObject({ systemPrompt: 'two', mcpServerRefs: [] });
    expect(changed.metadata).toMatchObject({ labels: { a: '1' }, generation: '2' });
    expect(changed.metadata.annotations).toMatchObject({ m: '2' });
    expect(changed.metadata.annotations).not.toHaveProperty('n');
  });

  it.each([
    ['spec.systemPrompt', { systemPrompt: 'two', mcpServerRefs: ['x'] }, { a: '1' }],
    ['spec.system_prompt', { systemPrompt: 'two', mcpServerRefs: ['x'] }, { a: '1' }],
    ['spec', { systemPrompt: 'two', mcpServerRefs: [] }, { a: '1' }],
    ['labels', { systemPrompt: 'one', mcpServerRefs: ['x'] }, {}],
  ])('with the mask %s replaces exactly that', async (updateMask, expectedSpec, labels) => {
    const { name } = await create();
    const changed = await agentOf(`PUT ${AGENTS}/${name}`, { spec: { systemPrompt: 'two' }, updateMask });
    expect(changed.spec).toMatchObject(expectedSpec);
    expect(changed.metadata.labels).toEqual(labels);
  });

  it('of nothing writes nothing; of labels keeps the generation', async () => {
    const before = await create();
    const same = await agentOf(`PUT ${AGENTS}/${before.name}`, { spec });
    expect(same.metadata.generation).toBe('1');
    const labelled = await agentOf(`PUT ${AGENTS}/${before.name}`, { labels: { a: '2' } });
    expect(labelled.metadata).toMatchObject({ generation: '1', labels: { a: '2' }, uid: before.uid });
    expect(Number(labelled.metadata.resourceVersion)).toBeGreaterThan(Number(before.resourceVersion));
  });

  it('keeps system keys that are sent back or left out and refuses changed ones', async () => {
    const { name } = await create();
    const path = `PUT ${AGENTS}/${name}`;
    expect(await rest.outcome(path, { labels: { 'svc/x': '1' } })).toBe('400 SYSTEM_LABEL');
    expect(await rest.outcome(path, { annotations: { 'option.svc/nonsense': '1' } })).toMatch(/^400 /);
  });

  it('leaves a running turn its spec', async () => {
    const name = unique();
    const session = await rest.session(name, { systemPrompt: 'old rules' });
    const { turnId } = await rest.send(session, `${gate(1)}\n!tool current_time {}\n!prompt`);
    await app.clock.reached(1);
    await rest.ok(`PUT ${AGENTS}/${name}`, { spec: { systemPrompt: 'new rules' } });
    await app.clock.open(1);
    const reader = await EventReader.open(rest, `${session}/stream?turnId=${turnId}`);
    await reader.rest();
    const shown = JSON.stringify(await rest.ok(`GET ${session}/messages`));
    expect(shown).toContain('old rules');
    expect(shown).not.toContain('new rules');
    expect((await rest.send(session, '!prompt', { waitSeconds: 30 })).reply).toContain('new rules');
  });
});

describe('a deleted agent (API-8)', () => {
  const resource = (name: string): string => `/v1/ns/default/resources/Agent/${name}`;

  it('is gone with its sessions, and comes back as another one', async () => {
    const name = unique();
    const { metadata } = await agentOf(`POST ${AGENTS}`, { name });
    const session = await rest.session(name);
    const stream = await EventReader.open(rest, `${session}/stream`);
    expect(await rest.outcome(`DELETE ${resource(name)}`)).toBe('200');
    expect(JSON.stringify((await stream.rest()).at(-1))).toContain('SESSION_NOT_FOUND');
    expect(await rest.outcome(`GET ${AGENTS}/${name}`)).toBe('404 AGENT_NOT_FOUND');
    expect(await rest.outcome(`DELETE ${resource(name)}`)).toBe('404 AGENT_NOT_FOUND');
    const again = await agentOf(`POST ${AGENTS}`, { name });
    expect(again.metadata.uid).not.toBe(metadata.uid);
    expect(await rest.outcome(`GET ${session}`)).toBe('404 SESSION_NOT_FOUND');
  });

  it('is kept by a finalizer and refuses turns meanwhile', async () => {
    const name = unique();
    const metadata = { name, namespace: 'default', finalizers: ['example.org/hold'] };
    const manifest = { apiVersion: 'svc/v1', kind: 'Agent', metadata, spec: { agent: {} } };
    await rest.ok(`PUT ${resource(name)}`, { manifest });
    const session = await rest.session(name);
    expect(await rest.ok(`DELETE ${resource(name)}`)).toMatchObject({ pending: true });
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x' })).toBe('400 RESOURCE_DELETING');
    expect(await rest.outcome(`PUT ${AGENTS}/${name}`, { labels: { a: '1' } })).toBe('400 RESOURCE_DELETING');
  });
});

describe('namespaces (API-8.5)', () => {
  const path = (name: string): string => `/v1/namespaces/${name}`;
  const namesOf = async (query: string): Promise<string[]> => {
    const page = await rest.ok<{ namespaces: { metadata: Metadata }[] }>(`GET /v1/namespaces?${query}`);
    return page.namespaces.map((namespace) => namespace.metadata.name);
  };

  it('are made below a parent, with their ancestors on request', async () => {
    expect(await rest.outcome(`POST ${path('p1:a')}`, {})).toBe('400 PARENT_MISSING');
    expect(await rest.outcome(`POST ${path('p1:a:b')}`, { recursive: true, labels: { x: '1' } })).toBe('200');
    expect(await rest.ok(`GET ${path('p1:a')}`)).toMatchObject({
      namespace: { metadata: { labels: {} }, spec: { parent: 'p1' } },
    });
    expect(await rest.outcome(`POST ${path('p1:a')}`, { parent: 'default' })).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(`POST ${path('stray')}`, { parent: 'nowhere' })).toBe('400 PARENT_MISSING');
    expect(await namesOf('parent=p1&recursive=true')).toEqual(['p1:a', 'p1:a:b']);
  });

  it('merge labels when they are there already', async () => {
    await rest.ok(`POST ${path('p2')}`, { labels: { a: '1' } });
    expect(await rest.ok(`POST ${path('p2')}`, { labels: { b: '2' } })).toMatchObject({
      namespace: { metadata: { labels: { a: '1', b: '2' }, namespace: '' } },
    });
  });

  it('are tombstones first: readable, closed to writes, revived with their contents', async () => {
    await rest.ok(`POST ${path('p3')}`, { labels: { old: '1' } });
    await rest.ok('POST /v1/ns/p3/agents', { name: 'kept' });
    expect(await rest.ok(`DELETE ${path('p3')}`)).toMatchObject({ namespace: { status: { isDeleted: true } } });
    expect(await rest.outcome(`DELETE ${path('p3')}`)).toBe('400 NAMESPACE_DELETED');
    expect(await rest.outcome('GET /v1/ns/p3/agents/kept')).toBe('200');
    expect(await rest.outcome('POST /v1/ns/p3/agents', { name: 'late' })).toBe('400 NAMESPACE_DELETED');
    expect(await rest.outcome('POST /v1/ns/p3/agents/kept/sessions', {})).toBe('400 NAMESPACE_DELETED');
    expect(await rest.outcome(`POST ${path('p3:below')}`, { recursive: true })).toBe('400 NAMESPACE_DELETED');
    expect(await namesOf('parent=')).not.toContain('p3');
    expect(await namesOf('parent=&includeDeleted=true')).toContain('p3');
    await rest.ok(`POST ${path('p3')}`, { labels: { fresh: '1' } });
    expect(await rest.ok(`GET ${path('p3')}`)).toMatchObject({
      namespace: { metadata: { labels: { fresh: '1' } }, status: { isDeleted: false } },
    });
    expect(await rest.outcome('GET /v1/ns/p3/agents/kept')).toBe('200');
  });

  it('lose their running turn at once and run what waited when they come back', async () => {
    await rest.ok(`POST ${path('p4')}`, {});
    await rest.ok('POST /v1/ns/p4/agents', { name: 'worker' });
    const { sessionId } = await rest.ok<{ sessionId: string }>('POST /v1/ns/p4/agents/worker/sessions', {});
    const session = `/v1/ns/p4/agents/worker/sessions/${sessionId}`;
    const reader = await EventReader.open(rest, `${session}/stream`);
    await rest.send(session, `!say a\n${gate(2)}\n!say b`);
    await rest.send(session, 'waited');
    await app.clock.reached(2);
    await rest.ok(`DELETE ${path('p4')}`);
    expect((await reader.ends()).at(-1)).toMatchObject({ reason: 'stopped' });
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x' })).toBe('400 NAMESPACE_DELETED');
    await rest.ok(`POST ${path('p4')}`, {});
    expect((await reader.ends()).at(-1)).toMatchObject({ reason: 'completed' });
  });

  it('are missing for reads and creates in different words', async () => {
    expect(await rest.outcome('GET /v1/ns/none/agents/a')).toMatch(/^404 (AGENT|NAMESPACE)_NOT_FOUND$/);
    expect(await rest.outcome('GET /v1/ns/none/agents')).toBe('404 NAMESPACE_NOT_FOUND');
    expect(await rest.outcome('POST /v1/ns/none/agents', {})).toBe('400 NAMESPACE_MISSING');
    expect(await rest.outcome('POST /v1/ns/none/agents/a/sessions', {})).toMatch(
      /^(400 NAMESPACE_MISSING|404 AGENT_NOT_FOUND)$/,
    );
  });

  it('of the system cannot be deleted', async () => {
    for (const name of ['system', 'default'])
      expect(await rest.outcome(`DELETE ${path(name)}?purge=true`)).toBe('400 NAMESPACE_PROTECTED');
  });
});
