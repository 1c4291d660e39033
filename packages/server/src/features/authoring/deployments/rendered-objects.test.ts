import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordKey } from '../../../resources/index.ts';
import { type DeploymentWorld, deployment, namespace, openDeploymentWorld, template } from '../../testing/index.ts';

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
});
afterEach(() => world.close());

describe('a rendered object', () => {
  it('takes every variable, keeps its types, and passes on what belongs to later phases', async () => {
    const prompt = [
      '{{ namespace.name }} {{ namespace.leaf | upper }} {{ namespace.parent }} {{ namespace.labels.tier }}',
      '{{ namespace.annotations.note | default: none }} {{ deployment.name }} {{ deployment.namespace }}',
      '{{ deployment.labels.x }} {{ template.name }} {{ template.annotations.y }} {{ agent.name }}',
      '{% raw %}{{ namespace.leaf }}{% endraw %}',
    ].join(' ');
    await world.apply(namespace('a'));
    await world.apply(
      template('one', `systemPrompt: '${prompt.replace('none', '"none"')}'`, {
        own: ', annotations: {y: z}',
        metadata: 'name: "h-{{ namespace.leaf }}", labels: {from: "{{ deployment.name }}"}',
      }) + deployment('one').replace('name: rollout', 'name: rollout, labels: {x: X}'),
    );
    await world.settle();
    const agent = await world.get('Agent', 'acme:a/h-a');
    expect(JSON.parse(agent?.spec ?? '{}')).toEqual({
      systemPrompt:
        'acme:a A acme gold none rollout acme X one z {{ agent.name }} {% raw %}{{ namespace.leaf }}{% endraw %}',
    });
    expect(agent?.labels['from']).toBe('rollout');
  });

  it('of any kind is known by its whole name, and of a file by its path', async () => {
    await world.apply(namespace('a'));
    await world.apply(
      template('room', 'title: Room', { kind: 'Channel' }) +
        template('one', 'systemPrompt: x') +
        template('sub', 'channel: room, agent: one', { kind: 'ChannelSubscription' }) +
        template('doc', 'path: "/{{ namespace.leaf }}.txt"', { kind: 'File' }) +
        template('know', 'content: text', { kind: 'Knowledge', metadata: 'name: docs/know' }) +
        deployment('doc, know, sub, one, room'),
    );
    await world.settle();
    const { renderedResources, conflicts } = await world.replica('acme:a');
    expect(conflicts).toEqual([]);
    expect(renderedResources).toEqual([
      'acme:a/Agent/one',
      'acme:a/Channel/room',
      'acme:a/ChannelSubscription/room/sub',
      'acme:a/File/file-of-a.txt',
      'acme:a/Knowledge/docs/know',
    ]);
    expect((await world.replica('acme:a')).ownedJsonPointers).not.toContain('Knowledge/docs/know#/spec/path');
    expect(await world.isAtRest()).toBe(true);
    await world.remove('Deployment', 'acme/rollout');
    await world.settle();
    for (const kind of ['Agent', 'Channel', 'ChannelSubscription', 'File', 'Knowledge'])
      expect(await world.list(kind)).toEqual([]);
  });

  it('with secrets holds them, and the replica only their hashes', async () => {
    const secret = template('keys', 'stringData: {token: "{{ namespace.leaf }}-hush", other: kept}', {
      kind: 'Secret',
    });
    const nested = template(
      'inner',
      'kind: McpServer, specJson: \'{"transport":"http","target":"http://x","headers":{"h":"hush-too"}}\'',
      { kind: 'Template' },
    );
    await world.apply(namespace('a') + secret + nested + deployment('keys, inner'));
    await world.settle();
    const status = JSON.stringify((await world.replicasFor('acme:a'))[0]);
    const hidden = [
      'a-hush',
      Buffer.from('a-hush').toString('base64'),
      'hush-too',
      Buffer.from('kept').toString('base64'),
    ];
    for (const value of hidden) expect(status).not.toContain(value);
    expect(status).toContain('hashed:v1:');
    const open = async (): Promise<unknown> => {
      const record = await world.get('Secret', 'acme:a/keys');
      return record === undefined
        ? undefined
        : world.views.generic(record, { secrets: true, isTransient: true }).spec?.kind.value;
    };
    expect(await open()).toMatchObject({ data: { token: Buffer.from('a-hush').toString('base64') } });
    expect(await world.isAtRest()).toBe(true);
    await world.apply(`kind: Secret\nmetadata: {name: keys, namespace: "acme:a"}\nspec: {stringData: {mine: x}}\n`);
    await world.settle();
    expect((await world.replica('acme:a')).conflicts).toEqual([]);
    await world.apply(template('keys', 'stringData: {token: "{{ namespace.leaf }}-hush"}', { kind: 'Secret' }));
    await world.settle();
    expect(await open()).toMatchObject({ data: { token: expect.any(String), mine: expect.any(String) } });
    expect(JSON.stringify(await open())).not.toContain('other');
  });

  it('with secrets is settled after one pass: the second opens no write', async () => {
    await world.apply(
      namespace('a') + template('keys', 'stringData: {token: hush}', { kind: 'Secret' }) + deployment('keys'),
    );
    const [deployments, replicas] = world.controllers();
    await deployments?.reconcile(recordKey('Deployment', 'acme', 'rollout'));
    const [replica] = await world.replicasFor('acme:a');
    const pass = () => replicas?.reconcile(replica?.key ?? recordKey('', '', ''));
    expect(await pass()).toEqual({ done: true });
    const writes = vi.spyOn(world.store, 'write');
    expect(await pass()).toEqual({ done: true });
    expect(writes).not.toHaveBeenCalled();
  });

  it('is not made of a template whose values cannot be decrypted', async () => {
    await world.apply(
      namespace('a') + template('keys', 'stringData: {token: x}', { kind: 'Secret' }) + deployment('keys'),
    );
    const seal = { open: () => undefined };
    await world.settle(world.controllers({ seal }));
    expect((await world.replica('acme:a')).conflicts).toEqual(['Secret/keys#/spec: Invalid:spec']);
    expect(await world.list('Secret')).toEqual([]);
    expect((await world.get('Template', 'acme/keys'))?.spec).not.toContain('hush');
  });

  it('that is not Ready makes its replica Degraded until it is', async () => {
    await world.apply(
      namespace('a') + template('one', 'features: [{name: write, type: skill, required: true}]') + deployment('one'),
    );
    await world.settle();
    const agent = await world.get('Agent', 'acme:a/one');
    expect(agent?.status).toContain('"phase":"Degraded"');
    expect(await world.replica('acme:a')).toMatchObject({ phase: 'Degraded', conflicts: [] });
    expect(await world.counts()).toBe('1 = 0 + 0 + 1');
    await world.apply(
      'kind: Skill\nmetadata: {name: write, namespace: acme}\nspec: {description: d, instructions: i}\n',
    );
    await world.settleReferences();
    await world.settle();
    expect(await world.counts()).toBe('1 = 1 + 0 + 0');
  });

  it('that is being deleted is waited for and made again', async () => {
    await world.apply(namespace('a') + template('one', 'systemPrompt: x', {}) + deployment('one'));
    await world.settle();
    await world.apply(
      `kind: Agent\nmetadata: {name: one, namespace: "acme:a", finalizers: [example.org/hold]}\nspec: {}\n`,
      { manager: 'x' },
    );
    await world.remove('Agent', 'acme:a/one');
    await world.settle();
    expect(await world.replica('acme:a')).toMatchObject({ phase: 'Pending', conflicts: [] });
    expect(await world.counts()).toBe('1 = 0 + 1 + 0');
    await world.remove('Agent', 'acme:a/one', { force: true });
    await world.settle();
    expect(await world.counts()).toBe('1 = 1 + 0 + 0');
  });

  it('takes a value that its kind had filled in, and gives it back to the kind', async () => {
    const doc = (more: string) => template('doc', `path: /x${more}`, { kind: 'File' });
    const media = async (): Promise<unknown> => (await world.spec('File', 'acme:a/file-of-x'))?.['mediaType'];
    await world.apply(namespace('a') + doc('') + deployment('doc'));
    await world.settle();
    expect(await media()).toBe('text/plain');
    expect((await world.replica('acme:a')).ownedJsonPointers).toEqual(['File/file-of-x#/spec/path']);
    await world.apply(doc(', mediaType: text/html'));
    await world.settle();
    expect((await world.replica('acme:a')).conflicts).toEqual([]);
    expect(await media()).toBe('text/html');
    expect(await world.isAtRest()).toBe(true);
    await world.apply(doc(', mediaType: text/plain'));
    await world.settle();
    expect(await world.isAtRest()).toBe(true);
    await world.apply(doc(''));
    await world.settle();
    expect([await media(), (await world.replica('acme:a')).conflicts]).toEqual(['text/plain', []]);
  });

  it('with JSON texts compares as the kind stores them, however the template spells them', async () => {
    const daily = (input: string): string => template('daily', `kind: interval${input}`, { kind: 'Schedule' });
    const stored = async (ns: string): Promise<unknown> => (await world.spec('Schedule', `${ns}/daily`))?.['inputJson'];
    const conflicts = async (): Promise<readonly string[]> => [
      ...(await world.replica('acme:a')).conflicts,
      ...(await world.replica('acme:b')).conflicts,
    ];
    const found = `kind: Schedule\nmetadata: {name: daily, namespace: "acme:b"}\nspec: {input: {a: b, b: 1}}\n`;
    await world.apply(namespace('a') + namespace('b') + found);
    await world.apply(daily(`, inputJson: '{ "b": 1, "a": "{{ namespace.leaf }}" }'`) + deployment('daily'));
    await world.settle();
    expect(await stored('acme:a')).toBe('{"a":"a","b":1}');
    expect(await conflicts()).toEqual([]);
    expect(await world.isAtRest()).toBe(true);
    await world.apply(daily(''));
    await world.settle();
    expect(await conflicts()).toEqual([]);
    expect([await stored('acme:a'), await stored('acme:b')]).toEqual([undefined, '{"a":"b","b":1}']);
  });

  it('that somebody deleted comes back', async () => {
    await world.apply(namespace('a') + template('one', 'systemPrompt: x') + deployment('one'));
    await world.settle();
    await world.remove('Agent', 'acme:a/one');
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/one']);
    expect(await world.counts()).toBe('1 = 1 + 0 + 0');
  });
});
