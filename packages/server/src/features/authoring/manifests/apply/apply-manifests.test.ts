import { setImmediate as turn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import {
  type ApplyManifestsResponse,
  ApplyOutcome,
  GatewayService,
  type ListResourcesResponse,
  ResourceService,
} from '@svc/api/gateway';
import { ResourceManifestSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
import { namespaceKey, recordKey } from '../../../../resources/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import { type AuthoringWorld, openAuthoringWorld } from '../../../testing/index.ts';

const { applyManifests, applyResource, listResources } = ResourceService.method;
const { createNamespace, deleteNamespace, modifyAgent } = GatewayService.method;

const skillMessage = (name: string) =>
  create(ResourceManifestSchema, {
    ...{ apiVersion: 'svc/v1', kind: 'Skill', metadata: { name } },
    spec: { kind: { case: 'skill', value: { description: 'd' } } },
  });

describe('applying manifests', () => {
  let world: AuthoringWorld;
  beforeEach(async () => {
    world = await openAuthoringWorld();
  });
  afterEach(() => world.close());

  const apply = (text: string, more: object = {}): Promise<ApplyManifestsResponse> =>
    world.call(applyManifests, { ns: 'default', text, ...more } as never);
  const stored = (kind: string, name: string, ns = 'default'): Promise<StoredResource | undefined> =>
    world.store.direct.resources.get(recordKey(kind, ns, name));
  const shown = ({ results }: ApplyManifestsResponse): string[] =>
    results.map(({ kind, ns, name, outcome }) => `${ApplyOutcome[outcome]} ${kind} ${ns}/${name}`);
  const newest = async (): Promise<number> => (await world.store.direct.resources.versionRange()).newest;
  const failure = async (text: string, more: object = {}) =>
    apply(text, more).then(
      () => {
        throw new Error('was not refused');
      },
      (error: unknown) =>
        error as {
          readonly code: string;
          readonly reason: string;
          readonly message: string;
          readonly violations: readonly { readonly field: string; readonly description: string }[];
          readonly cause: ApplyManifestsResponse;
        },
    );

  const agent = (name: string, prompt: string, metadata = ''): string =>
    `kind: Agent\nmetadata: {name: ${name}${metadata}}\nspec: {systemPrompt: ${prompt}}\n`;
  const skill = (name: string, description = 'd'): string =>
    `kind: Skill\nmetadata: {name: ${name}}\nspec: {description: ${description}}\n`;

  it.each([
    ['text', {}],
    ['text that is only tried', { dryRun: true }],
    ['messages', { manifests: Array.from({ length: 300 }, (_, index) => skillMessage(`s-${index}`)), text: '' }],
  ])('lets others run and read while it works on many documents as %s', async (_what, more) => {
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) {
        const found = await world.store.direct.resources.list({ kind: 'Skill', scope: { type: 'all' }, limit: 300 });
        expect([0, 300]).toContain(found.length);
        await turn();
      }
    })();
    const text = Array.from({ length: 300 }, (_, index) => skill(`s-${index}`)).join('---\n');
    const { results } = await apply(text, more);
    isOver = true;
    await others;
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([ApplyOutcome.CREATED]));
    // Every 25 documents while they are read, every 20 while they are written, every 100 while they are shown.
    expect(turns).toBeGreaterThan(25);
  });

  it('creates in order of rank, and again changes nothing', async () => {
    const kinds = (index: number): string =>
      [
        `kind: Namespace\nmetadata: {name: "team-${index}:x"}\n`,
        `kind: Namespace\nmetadata: {name: team-${index}}\n`,
        `kind: Agent\nmetadata: {name: a, namespace: "team-${index}:x"}\nspec: {systemPrompt: p}\n`,
        `kind: McpServer\nmetadata: {name: m, namespace: team-${index}}\nspec: {transport: http, target: "https://x.example/mcp"}\n`,
        `kind: Template\nmetadata: {name: t, namespace: team-${index}}\nspec: {kind: Skill, spec: {description: d}}\n`,
        `kind: Skill\nmetadata: {name: s, namespace: "team-${index}:x"}\nspec: {description: d, instructions: i}\n`,
      ].join('---\n');
    const random = seededRandom(5);
    const documents = Array.from({ length: 5 }, (_, index) => kinds(index))
      .join('---\n')
      .split('---\n')
      .map((text) => ({ text, at: random.next() }))
      .sort((left, right) => left.at - right.at)
      .map(({ text }) => text);
    expect(documents).toHaveLength(30);
    const first = await apply(documents.join('---\n'), { createNamespaces: false });
    expect(new Set(first.results.map(({ outcome }) => outcome))).toEqual(new Set([ApplyOutcome.CREATED]));
    const before = await newest();
    const again = await apply(documents.reverse().join('---\n'));
    expect(new Set(again.results.map(({ outcome }) => outcome))).toEqual(new Set([ApplyOutcome.UNCHANGED]));
    expect(again.results).toHaveLength(30);
    expect(await newest()).toBe(before);
  });

  it('takes messages as well as text', async () => {
    const manifests = [
      create(ResourceManifestSchema, {
        kind: 'Agent',
        metadata: { name: 'a' },
        spec: { kind: { case: 'agent', value: { systemPrompt: 'p' } } },
      }),
    ];
    expect(shown(await world.call(applyManifests, { ns: 'default', manifests }))).toEqual(['CREATED Agent default/a']);
    expect(shown(await apply(agent('a', 'p')))).toEqual(['UNCHANGED Agent default/a']);
    const twice = [...manifests, ...manifests];
    await expect(world.call(applyManifests, { ns: 'default', manifests: twice })).rejects.toMatchObject({
      violations: [{ reason: 'DUPLICATE_DOCUMENT' }],
    });
    const wrong = [
      create(ResourceManifestSchema, { kind: 'Session', metadata: { name: 's' } }),
      create(ResourceManifestSchema, { kind: 'Agent' }),
      create(ResourceManifestSchema, { kind: 'Agnt', metadata: { name: 's' } }),
    ];
    await expect(world.call(applyManifests, { manifests: wrong })).rejects.toMatchObject({
      violations: [
        { field: 'manifests[0].kind', reason: 'NOT_AUTHORABLE' },
        { field: 'manifests[1].metadata.name' },
        { field: 'manifests[2].kind', reason: 'UNKNOWN_KIND' },
      ],
    });
    await expect(world.call(applyManifests, { manifests, text: 'x' })).rejects.toMatchObject({
      violations: [{ field: 'text' }],
    });
  });

  it('changes nothing when one document fails, and names every fault with its place', async () => {
    const before = await newest();
    const refused = await failure(
      `${skill('s')}---\n${agent('a', '"{{ bad }}"')}---\nkind: Skill\nspec: {descriptio: x}\n`,
    );
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(refused.violations.map(({ field, description }) => `${field} ${description}`)).toEqual([
      expect.stringMatching(/^manifests\[1\]\.spec\.systemPrompt 7:8: Agent\/default\/a: /),
      expect.stringMatching(/^manifests\[2\]\.metadata\.name 9:1: Skill\/default: is required/),
      expect.stringMatching(/^manifests\[2\]\.spec\.descriptio 10:8: .*did you mean description/),
    ]);
    expect(shown(refused.cause)).toEqual([
      'NOT_ATTEMPTED Skill default/s',
      'FAILED Agent default/a',
      'FAILED Skill default/',
    ]);
    expect(refused.cause.results[1]?.fieldErrors).toMatchObject([{ line: 7, column: 8 }]);
    expect(await newest()).toBe(before);
  });

  it('stops one by one at the first failure, or goes on', async () => {
    const text = [skill('one'), 'kind: Knowledge\nmetadata: {name: k}\nspec: {titel: x}\n', agent('a', 'p')].join(
      '---\n',
    );
    expect(shown(await apply(text, { atomic: false }))).toEqual([
      'CREATED Skill default/one',
      'FAILED Knowledge default/k',
      'NOT_ATTEMPTED Agent default/a',
    ]);
    expect(shown(await apply(text, { atomic: false, keepGoing: true }))).toEqual([
      'UNCHANGED Skill default/one',
      'FAILED Knowledge default/k',
      'CREATED Agent default/a',
    ]);
  });

  it('rehearses documents that refer to each other and leaves nothing behind', async () => {
    const text = `${agent('a', 'p', ', namespace: "new:ns"')}---\nkind: Namespace\nmetadata: {name: new}\n`;
    const before = await newest();
    const answer = await apply(text, { dryRun: true });
    expect(shown(answer)).toEqual(['CREATED Agent new:ns/a', 'CREATED Namespace /new']);
    expect(answer.results[0]?.resource?.spec?.kind.value).toMatchObject({ systemPrompt: 'p' });
    expect(await newest()).toBe(before);
    expect(await stored('Agent', 'a', 'new:ns')).toBeUndefined();
    const failing = await apply(`${text}---\n${agent('b', '"{{ bad }}"')}`, { dryRun: true });
    expect(shown(failing)[2]).toBe('FAILED Agent default/b');
  });

  it('refuses a stale version and a version of what is not there', async () => {
    await apply(agent('a', 'p'));
    expect(await failure(agent('a', 'q', ', resourceVersion: "1"'))).toMatchObject({
      code: 'ABORTED',
      reason: 'CONFLICT',
    });
    expect(await failure(agent('b', 'q', ', resourceVersion: "1"'))).toMatchObject({ reason: 'AGENT_NOT_FOUND' });
  });

  it('creates missing namespaces unless told not to, and revives none', async () => {
    const text = agent('a', 'p', ', namespace: "x:y"');
    expect(await failure(text, { createNamespaces: false })).toMatchObject({ reason: 'NAMESPACE_MISSING' });
    expect(shown(await apply(text))).toEqual(['CREATED Agent x:y/a']);
    const kid = 'kind: Namespace\nmetadata: {name: kid}\nspec: {parent: "mother:b"}\n';
    expect(await failure(kid, { createNamespaces: false })).toMatchObject({ reason: 'PARENT_MISSING' });
    expect(shown(await apply(kid))).toEqual(['CREATED Namespace /kid']);
    await world.call(createNamespace, { name: 'gone' });
    await world.call(deleteNamespace, { name: 'gone' });
    for (const document of [agent('a', 'p', ', namespace: gone'), 'kind: Namespace\nmetadata: {name: gone}\n'])
      expect(await failure(document)).toMatchObject({ reason: 'NAMESPACE_DELETED' });
  });

  it('asks for a grant on the namespace of every document of a text', async () => {
    const caller = {
      identity: 'x',
      subject: 'x',
      mode: 'api-key',
      grants: [{ role: 'admin', namespace: 'default', readSecrets: false }],
    } as never;
    const call = (text: string) => world.call(applyManifests, { ns: 'default', text }, caller);
    await expect(call(agent('a', 'p', ', namespace: system'))).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(call('kind: Namespace\nmetadata: {name: root}')).rejects.toMatchObject({ reason: 'SCOPE' });
    await expect(call('kind: AgentTemplate\nmetadata: {name: t}\nspec: {systemPrompt: x}')).rejects.toMatchObject({
      reason: 'SCOPE',
    });
    expect(shown(await call(agent('a', 'p')))).toEqual(['CREATED Agent default/a']);
  });

  it('needs no grant on the namespace that documents without their own would go to', async () => {
    await world.call(createNamespace, { name: 'acme' });
    const grants = [{ role: 'admin', namespace: 'acme', readSecrets: false }];
    const caller = { identity: 'x', subject: 'x', mode: 'api-key', grants } as never;
    const call = (text: string) => world.call(applyManifests, { ns: 'default', text }, caller);
    expect(shown(await call(agent('a', 'p', ', namespace: acme')))).toEqual(['CREATED Agent acme/a']);
    await expect(call(agent('a', 'p'))).rejects.toMatchObject({
      reason: 'SCOPE',
      message: 'not allowed in namespace default, where Agent default/a belongs; your grant is admin@acme',
    });
  });

  it('lets the admin of a namespace have it among the documents while nothing of it changes', async () => {
    await world.call(createNamespace, { name: 'acme', labels: { team: 'a' } });
    const grants = [{ role: 'admin', namespace: 'acme', readSecrets: false }];
    const caller = { identity: 'x', subject: 'x', mode: 'api-key', grants } as never;
    const call = (labels: string) => {
      const namespace = `kind: Namespace\nmetadata: {name: acme, labels: {${labels}}}\n---\n`;
      return world.call(applyManifests, { text: namespace + agent('a', 'p', ', namespace: acme') }, caller);
    };
    expect(shown(await call('team: a'))).toEqual(['UNCHANGED Namespace /acme', 'CREATED Agent acme/a']);
    await expect(call('team: b')).rejects.toMatchObject({ code: 'PERMISSION_DENIED', reason: 'SCOPE' });
    await expect(call('more: b')).rejects.toMatchObject({ code: 'PERMISSION_DENIED', reason: 'SCOPE' });
    // Nor did it take the fields over: another manager may still change them.
    const other = 'kind: Namespace\nmetadata: {name: acme, labels: {team: c}}\n';
    expect(shown(await world.call(applyManifests, { text: other, manager: 'other', force: false }))).toEqual([
      'UPDATED Namespace /acme',
    ]);
  });

  it('refuses more documents than one transaction takes', async () => {
    const text = Array.from({ length: 501 }, (_, index) => skill(`s-${index}`)).join('---\n');
    expect(await failure(text)).toMatchObject({ violations: [{ field: 'text', reason: 'TOO_MANY_DOCUMENTS' }] });
  });

  it.each([
    [{ manager: 'a b' }, 'manager'],
    [{ manager: 'deployment:x' }, 'manager'],
    [{ applySet: 'a b' }, 'applySet'],
    [{ prune: true }, 'applySet'],
  ])('refuses %j', async (more, field) => {
    expect((await failure(skill('s'), more)).violations.map((item) => item.field)).toContain(field);
  });

  it('names the set that a prune needs, as the command line has it', async () => {
    expect((await failure(skill('s'), { prune: true })).violations).toEqual([
      expect.objectContaining({ field: 'applySet', description: 'name the set: --set NAME of svc apply' }),
    ]);
  });

  describe('fields', () => {
    const text = (prompt: string | undefined, labels: string, refs = ''): string =>
      `kind: Agent\nmetadata: {name: a, labels: {${labels}}}\nspec: {${prompt === undefined ? '' : `systemPrompt: ${prompt}`}${refs}}\n`;
    const outcome = async (document: string, more: object = {}): Promise<string> =>
      shown(await apply(document, more)).map((line) => line.split(' ')[0])[0] ?? '';
    const state = async (): Promise<object> => {
      const record = await stored('Agent', 'a');
      const spec = JSON.parse(record?.spec ?? '{}') as { systemPrompt?: string; mcpServerRefs?: string[] };
      return { prompt: spec.systemPrompt, refs: spec.mcpServerRefs, labels: record?.labels };
    };

    it('of two managers do not disturb each other until both want one', async () => {
      await apply(text('p', 'x: "1"'), { manager: 'one' });
      await apply(text(undefined, 'y: "2"', 'mcpServerRefs: [m]'), { manager: 'two' });
      expect(await state()).toEqual({ prompt: 'p', refs: ['m'], labels: { x: '1', y: '2' } });
      const clash = await failure(text('q', 'x: "3"'), { manager: 'two' });
      expect(clash).toMatchObject({ code: 'ABORTED', reason: 'CONFLICT' });
      expect(clash.violations.map((item) => `${item.field} ${item.description}`)).toEqual([
        expect.stringMatching(/^manifests\[0\]\.metadata\.labels\[x\] .*is managed by one/),
        expect.stringMatching(/^manifests\[0\]\.spec\.systemPrompt .*is managed by one/),
      ]);
      expect(await outcome(text('q', 'x: "3"'), { manager: 'two', force: true })).toBe('UPDATED');
      expect(await state()).toEqual({ prompt: 'q', refs: undefined, labels: { x: '3' } });
      expect(await failure(text('p', 'x: "1"'), { manager: 'one' })).toMatchObject({ reason: 'CONFLICT' });
      expect(await outcome(text('p', 'x: "1"'), { manager: 'one', force: true })).toBe('UPDATED');
    });

    it('changed by others are set back and reported as repaired', async () => {
      await apply(text('p', 'x: "1"'));
      await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { x: '9', z: '5' } });
      expect(await outcome(text('p', 'x: "1"'))).toBe('REPAIRED');
      expect(await state()).toMatchObject({ labels: { x: '1', z: '5' } });
      expect(await outcome(text('p', 'x: "1"'))).toBe('UNCHANGED');
      await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { x: '9' } });
      expect(await outcome(text('other', 'x: "1"'))).toBe('UPDATED');
    });

    it('left out go when they are as they were applied, and stay when somebody changed them', async () => {
      await apply(text('p', 'x: "1", y: "2"', ', mcpServerRefs: [m]'));
      await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { x: '1', y: '9' } });
      expect(await outcome(text('p', ''))).toBe('UPDATED');
      expect(await state()).toEqual({ prompt: 'p', refs: undefined, labels: { y: '9' } });
    });

    it('that the program fills in belong to nobody, and explicit defaults are values', async () => {
      const document = agent('a', 'p, runtime: {kind: "", acp: {persistSession: false}}, capabilities: {}');
      await apply(document);
      expect(await outcome(document)).toBe('UNCHANGED');
    });

    it('with sensitive values stay what they are when a masked read comes back', async () => {
      const server = (value: string): string =>
        `kind: McpServer\nmetadata: {name: m}\nspec: {transport: http, target: "https://x.example/mcp", headers: {k: "${value}"}}\n`;
      await apply(server('hush'));
      expect(shown(await apply(server('hush')))).toEqual(['UNCHANGED McpServer default/m']);
      expect(shown(await apply(server('')))).toEqual(['UNCHANGED McpServer default/m']);
      expect(shown(await apply(server('hush')))).toEqual(['UNCHANGED McpServer default/m']);
      expect(shown(await apply(server('loud')))).toEqual(['UPDATED McpServer default/m']);
      const uid = (await stored('McpServer', 'm'))?.uid ?? '';
      expect(await world.store.direct.instance.value(`ownership/${uid}`)).not.toMatch(/hush|loud/);
    });

    it('of replaced resources are unowned: they are taken without a question', async () => {
      await apply(text('p', 'x: "1"'));
      const manifest = create(ResourceManifestSchema, {
        kind: 'Agent',
        spec: { kind: { case: 'agent', value: { systemPrompt: 'plain' } } },
      });
      await world.call(applyResource, { ns: 'default', kind: 'Agent', name: 'a', manifest });
      expect(await outcome(text('p', 'x: "1"'))).toBe('REPAIRED');
    });
  });

  describe('an apply set', () => {
    const set = { applySet: 'site', prune: true };

    it('loses what the input no longer holds, and nothing else', async () => {
      await apply(skill('foreign'));
      await apply(`${skill('one')}---\n${agent('a', 'p')}`, set);
      await apply(skill('other'), { applySet: 'other' });
      expect((await stored('Skill', 'one'))?.annotations['svc/apply-set']).toBe('site');
      const dry = await apply(skill('one'), { ...set, dryRun: true });
      expect(shown(dry)).toEqual(['UNCHANGED Skill default/one', 'PRUNED Agent default/a']);
      expect(await stored('Agent', 'a')).toBeDefined();
      expect(shown(await apply(skill('one'), set))).toEqual(['UNCHANGED Skill default/one', 'PRUNED Agent default/a']);
      expect(await stored('Agent', 'a')).toBeUndefined();
      expect([await stored('Skill', 'foreign'), await stored('Skill', 'other')].map(Boolean)).toEqual([true, true]);
    });

    it('keeps its namespaces unless they are meant', async () => {
      await apply('kind: Namespace\nmetadata: {name: x}\n---\nkind: Namespace\nmetadata: {name: "x:y"}\n', set);
      expect(shown(await apply(skill('s'), set))).toEqual(['CREATED Skill default/s']);
      expect(shown(await apply(skill('s'), { ...set, pruneNamespaces: true }))).toEqual([
        'UNCHANGED Skill default/s',
        'PRUNED Namespace /x:y',
        'PRUNED Namespace /x',
      ]);
      expect((await world.store.direct.resources.get(namespaceKey('x')))?.status).toContain('isDeleted');
    });

    it('is not emptied by an empty input unless that is said', async () => {
      await apply(skill('one'), set);
      expect(await failure('', set)).toMatchObject({ violations: [{ reason: 'INPUT_EMPTY' }] });
      expect(shown(await apply('', { ...set, allowEmpty: true }))).toEqual(['PRUNED Skill default/one']);
    });

    it('is left alone when a document fails', async () => {
      await apply(`${skill('one')}---\n${skill('two')}`, set);
      const answer = await apply('kind: Skill\nmetadata: {name: bad}\nspec: {x: 1}\n', { ...set, atomic: false });
      expect(shown(answer)).toEqual(['FAILED Skill default/bad']);
      expect(await stored('Skill', 'one')).toBeDefined();
    });
  });

  it('keeps system labels of what it merges', async () => {
    await apply(skill('s'), { applySet: 'site' });
    await apply(`kind: Skill\nmetadata: {name: s, annotations: {a: b}}\nspec: {description: d}\n`);
    expect((await stored('Skill', 's'))?.annotations).toEqual({ 'svc/apply-set': 'site', a: 'b' });
    const page: ListResourcesResponse = await world.call(listResources, { ns: 'default', kind: 'Skill' });
    expect(page.resources[0]?.metadata?.labels).toEqual({});
    const changed = 'kind: Skill\nmetadata: {name: s, annotations: {svc/apply-set: x}}\nspec: {description: d}\n';
    expect(await failure(changed)).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
