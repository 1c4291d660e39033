import { create } from '@bufbuild/protobuf';
import { DeletePropagation, GatewayService } from '@svc/api/gateway';
import { McpServerSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/contract.ts';
import { recordKey } from '../../../resources/index.ts';
import {
  ADMIN,
  callContext,
  type DeploymentWorld,
  deployment,
  namespace,
  openDeploymentWorld,
  template,
} from '../../testing/index.ts';
import { defaultDeploymentLimits } from './deployment-rules.ts';

const { createNamespace, deleteNamespace, modifyAgent } = GatewayService.method;

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
});
afterEach(() => world.close());

const condition = async (type: string): Promise<string> => {
  const { conditions } = await world.deployment('acme/rollout');
  const found = conditions.find((entry) => entry.type === type);
  return `${found?.status} ${found?.reason}`;
};
const relabel = (name: string, labels: string): Promise<unknown> => world.apply(namespace(name, labels));

describe('a deployment at the door', () => {
  const put = (spec: string, address = 'acme/rollout', caller: Caller = ADMIN): Promise<unknown> => {
    const [ns, name] = address.split('/');
    return world
      .apply(`kind: Deployment\nmetadata: {name: "${name}", namespace: "${ns}"}\nspec: ${spec}\n`, { ns }, caller)
      .catch(({ violations }: { readonly violations: readonly { field: string; reason: string }[] }) =>
        violations.map(({ field, reason }) => `${field.replace(/^manifests.0..?/, '')} ${reason}`.trim()),
      );
  };

  it('is refused with every fault of its fields', async () => {
    const selector = '{parent: "a b", matchLabels: {"-x": y}}';
    expect(await put(`{selector: ${selector}, templates: [one, one, ".."]}`, `acme/${'n'.repeat(180)}`)).toEqual([
      'metadata.name FIELD_INVALID',
      'spec.placement.namespaceSelector.parent FIELD_INVALID',
      'spec.placement.namespaceSelector.matchLabels[-x] FIELD_INVALID',
      'spec.templates[1] TEMPLATES',
      'spec.templates[2] TEMPLATES',
    ]);
    expect(await put('{templates: []}')).toEqual(['spec.templates TEMPLATES']);
    const many = Array.from({ length: 101 }, (_, index) => `t${index}`).join(', ');
    expect(await put(`{templates: [${many}]}`)).toEqual(['spec.templates TEMPLATES']);
  });

  it('may select outside its own subtree only with a grant that covers the parent', async () => {
    await world.apply(`${namespace('x')}kind: Namespace\nmetadata: {name: other}\n`);
    const admin = (...namespaces: (string | undefined)[]): Caller => ({
      ...ADMIN,
      grants: namespaces.map((scope) => ({
        role: 'admin',
        readSecrets: false,
        ...(scope === undefined ? {} : { namespace: scope }),
      })),
    });
    const spec = (parent: string) => `{selector: {parent: "${parent}"}, templates: [t]}`;
    expect(await put(spec('acme:x'), 'acme/d', admin('acme'))).toEqual(['CREATED Deployment/d']);
    expect(await put(spec('other'), 'acme/e', admin('acme'))).toEqual(['PARENT_SCOPE']);
    expect(await put(spec('acme'), 'acme:x/e', admin('acme:x'))).toEqual(['PARENT_SCOPE']);
    expect(await put(spec('other'), 'acme/e', admin('acme', 'other'))).toEqual(['CREATED Deployment/e']);
    expect(await put(spec(''), 'system/f', admin('system'))).toEqual(['PARENT_SCOPE']);
    expect(await put(spec(''), 'system/f', admin(undefined))).toEqual(['CREATED Deployment/f']);
    const agentOnly: Caller = {
      ...ADMIN,
      grants: [...admin('acme').grants, { ...admin('other').grants[0]!, agent: 'x' }],
    };
    expect(await put(spec('other'), 'acme/g', agentOnly)).toEqual(['PARENT_SCOPE']);
  });
});

describe('the selection', () => {
  it('is the live children of the parent with all the labels, and follows them', async () => {
    await world.apply(namespace('a') + namespace('b', 'tier: silver') + namespace('a:deeper'));
    await world.apply(template('helper', 'systemPrompt: x') + deployment('helper'));
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/helper']);
    await relabel('b', 'tier: gold');
    await world.apply(namespace('c', 'tier: gold, more: x'));
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/helper', 'acme:b/helper', 'acme:c/helper']);
    await relabel('a', 'tier: silver');
    await world.settle();
    expect(await world.agents()).toEqual(['acme:b/helper', 'acme:c/helper']);
    expect(await world.counts()).toBe('2 = 2 + 0 + 0');
    await world.apply(deployment('helper', '{}'));
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/helper', 'acme:b/helper', 'acme:c/helper']);
    expect(await world.isAtRest()).toBe(true);
  });

  it('of nothing is Ready and says so', async () => {
    await world.apply(template('helper', 'systemPrompt: x') + deployment('helper'));
    await world.settle();
    expect((await world.deployment('acme/rollout')).phase).toBe('Ready');
    expect(await condition('Selected')).toBe('False NoNamespaces');
    expect(await condition('Ready')).toBe('True Ready');
    await world.remove('Deployment', 'acme/rollout');
    expect(await world.get('Deployment', 'acme/rollout')).toBeUndefined();
  });

  it('of a deployment in system is the roots but system itself', async () => {
    await world.apply(
      template('t', 'systemPrompt: "{{ namespace.name }}{{ namespace.parent }}"', { namespace: 'system' }),
    );
    await world.apply(
      `${namespace('x')}` +
        'kind: Deployment\nmetadata: {name: all, namespace: system}\nspec: {selector: {parent: ""}, templates: [t]}\n---\n' +
        'kind: Namespace\nmetadata: {name: other}\n',
    );
    await world.settle();
    expect(await world.agents()).toEqual(['acme/t', 'default/t', 'other/t']);
    expect(await world.spec('Agent', 'other/t')).toEqual({ systemPrompt: 'other' });
  });

  it('says which versions of its templates the counts speak of', async () => {
    await world.apply(namespace('a') + template('helper', 'systemPrompt: x') + deployment('helper'));
    const said = async (): Promise<readonly string[]> => (await world.deployment('acme/rollout')).templateVersions;
    for (const prompt of ['systemPrompt: y', 'systemPrompt: z']) {
      await world.settle();
      const { version = 0 } = (await world.get('Template', 'acme/helper')) ?? {};
      expect(await said()).toEqual([String(version)]);
      await world.apply(template('helper', prompt));
      // Until the next run of the controller, the status is about the former template, and says so.
      expect(await said()).toEqual([String(version)]);
    }
  });

  it('gives namespaces whose names look alike different replicas', async () => {
    await world.apply('kind: Namespace\nmetadata: {name: "a:b-c"}\n---\nkind: Namespace\nmetadata: {name: "a-b:c"}\n');
    const places = ['a', 'a-b'].map(
      (parent, index) =>
        `kind: Deployment\nmetadata: {name: d${index}, namespace: acme}\nspec: {selector: {parent: ${parent}}, templates: [t]}\n---\n`,
    );
    await world.apply(template('t', 'systemPrompt: x') + places.join(''));
    await world.settle();
    const names = (await world.list('DeploymentReplica')).map(({ key }) => key.name.replace(/^d.--/, ''));
    expect(new Set(names).size).toBe(2);
    expect(names.map((name) => name.replace(/-[0-9a-f]{8}$/, ''))).toEqual(['b-c', 'c']);
  });
});

it('keeps to the limits of the configuration', async () => {
  const long = template('long', `systemPrompt: ${'x'.repeat(500)}`);
  await world.apply(namespace('a') + namespace('b') + template('short', 'systemPrompt: x') + long);
  await world.apply(deployment('short, long'));
  await world.settle(world.controllers({ limits: { replicas: 1, objectBytes: 400, concurrency: 1 } }));
  expect(await world.agents()).toEqual(['acme:a/short']);
  expect(await condition('Selected')).toBe('False TooManyNamespaces');
  expect((await world.replica('acme:a')).conflicts.join()).toContain('Invalid');
});

it('takes nothing away when its limit is lowered', async () => {
  await world.apply(namespace('a') + namespace('b') + template('short', 'systemPrompt: x') + deployment('short'));
  await world.settle();
  await world.apply(namespace('c'));
  await world.settle(world.controllers({ limits: { ...defaultDeploymentLimits, replicas: 1 } }));
  expect(await world.agents()).toEqual(['acme:a/short', 'acme:b/short']);
  expect(await condition('Selected')).toBe('False TooManyNamespaces');
});

describe('withdrawal', () => {
  const three = template('one', 'systemPrompt: x') + template('two', 'systemPrompt: y');

  it('deletes what the deployment made when a label goes, takes owned fields from what it adopted, and keeps what is to stay', async () => {
    await world.apply(
      `${namespace('a')}kind: Agent\nmetadata: {name: two, namespace: "acme:a"}\nspec: {postHistoryPrompt: mine}\n`,
    );
    await world.apply(
      three +
        template('kept', 'systemPrompt: z', { metadata: 'annotations: {option.svc/keep: "true"}' }) +
        template('also', 'systemPrompt: z', { own: ', annotations: {option.svc/keep: "true"}' }) +
        deployment('one, two, kept, also'),
    );
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/also', 'acme:a/kept', 'acme:a/one', 'acme:a/two']);
    expect(await world.spec('Agent', 'acme:a/two')).toEqual({ postHistoryPrompt: 'mine', systemPrompt: 'y' });
    await relabel('a', '');
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/also', 'acme:a/kept', 'acme:a/two']);
    expect(await world.spec('Agent', 'acme:a/two')).toEqual({ postHistoryPrompt: 'mine' });
    expect(await world.spec('Agent', 'acme:a/kept')).toEqual({ systemPrompt: 'z' });
    expect((await world.get('Agent', 'acme:a/kept'))?.labels).toEqual({});
    expect(await world.list('DeploymentReplica')).toEqual([]);
    expect(await world.counts()).toBe('0 = 0 + 0 + 0');
  });

  it('keeps edited fields of what it adopted, and what another manager shares', async () => {
    await world.apply(
      `${namespace('a')}kind: Agent\nmetadata: {name: one, namespace: "acme:a"}\nspec: {systemPrompt: x}\n`,
    );
    await world.apply(template('one', 'systemPrompt: x, postHistoryPrompt: y') + deployment('one'));
    await world.settle();
    await world.loseEvents();
    await world.call(modifyAgent, {
      ns: 'acme:a',
      agent: 'one',
      spec: { systemPrompt: 'x', postHistoryPrompt: 'edited' },
    } as never);
    await world.remove('Deployment', 'acme/rollout');
    await world.settle();
    expect(await world.spec('Agent', 'acme:a/one')).toEqual({ systemPrompt: 'x', postHistoryPrompt: 'edited' });
    expect(await world.list('Deployment')).toEqual([]);
  });

  it('leaves an adopted object its fields where it is not valid without them, or its namespace is closed', async () => {
    const web = { transport: 'http', target: 'http://x' };
    await world.apply(namespace('a') + namespace('b'));
    for (const ns of ['acme:a', 'acme:b'])
      await world.store.write((tx) =>
        world.writer.put(tx, callContext('test'), {
          key: recordKey('McpServer', ns, 'web'),
          spec: create(McpServerSpecSchema, web),
        }),
      );
    await world.apply(
      template('web', 'transport: http, target: "http://x"', { kind: 'McpServer' }) + deployment('web'),
    );
    await world.settle();
    await world.call(deleteNamespace, { name: 'acme:b' } as never);
    await world.remove('Deployment', 'acme/rollout');
    await world.settle();
    for (const ns of ['a', 'b']) {
      expect(await world.spec('McpServer', `acme:${ns}/web`)).toEqual(web);
      expect((await world.get('McpServer', `acme:${ns}/web`))?.labels).toEqual({});
    }
    expect(await world.list('Deployment')).toEqual([]);
  });

  it('follows templates that are dropped and names that change, and leaves objects of a template that is missing', async () => {
    await world.apply(namespace('a') + three + deployment('one, two'));
    await world.settle();
    await world.apply(template('one', 'systemPrompt: x', { metadata: 'name: "{{ namespace.leaf }}-one"' }));
    await world.apply(deployment('one'));
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/a-one']);
    await world.remove('Template', 'acme/one');
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/a-one']);
    expect(await world.replica('acme:a')).toMatchObject({
      phase: 'Degraded',
      conflicts: ['Template/one#: TemplateMissing'],
      renderedResources: ['acme:a/Agent/a-one'],
    });
    expect(await condition('TemplatesResolved')).toBe('False TemplateMissing');
    expect(await world.isAtRest()).toBe(true);
    await world.apply(template('one', 'systemPrompt: new', { namespace: 'system' }));
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/one']);
    expect(await condition('TemplatesResolved')).toBe('True Resolved');
  });

  it('leaves nothing behind, in whatever way the deployment goes', async () => {
    const isNothingLeft = async (): Promise<void> => {
      for (const kind of ['Deployment', 'DeploymentReplica', 'Agent']) expect(await world.list(kind)).toEqual([]);
    };
    for (const more of [{}, { propagation: DeletePropagation.FOREGROUND }, { force: true }]) {
      await world.apply(namespace('a') + namespace('b') + three + deployment('one, two'));
      await world.settle();
      expect(await world.agents()).toHaveLength(4);
      await world.remove('Deployment', 'acme/rollout', more);
      await world.settle();
      await isNothingLeft();
    }
  });

  it('with the objects left in place is asked for by orphan', async () => {
    await world.apply(namespace('a') + three + deployment('one'));
    await world.settle();
    await world.remove('Deployment', 'acme/rollout', { propagation: DeletePropagation.ORPHAN });
    await world.settle();
    expect(await world.agents()).toEqual(['acme:a/one']);
    expect((await world.get('Agent', 'acme:a/one'))?.annotations).toEqual({});
    expect(await world.list('DeploymentReplica')).toEqual([]);
    expect(await world.list('Deployment')).toEqual([]);
  });

  it('of a replica alone is made good again', async () => {
    await world.apply(namespace('a') + three + deployment('one'));
    await world.settle();
    const [replica] = await world.replicasFor('acme:a');
    const before = await world.get('Agent', 'acme:a/one');
    await world.remove('DeploymentReplica', `acme/${replica?.key.name}`);
    await world.settle();
    expect((await world.replica('acme:a')).phase).toBe('Ready');
    expect((await world.get('Agent', 'acme:a/one'))?.uid).not.toBe(before?.uid);
  });
});

describe('a target namespace that is deleted', () => {
  beforeEach(async () => {
    await world.apply(namespace('a') + namespace('b') + template('one', 'systemPrompt: x') + deployment('one'));
    await world.settle();
    await world.call(deleteNamespace, { name: 'acme:a' } as never);
    await world.settle();
  });

  it('leaves the selection untouched, and comes back as it was', async () => {
    const before = await world.get('Agent', 'acme:a/one');
    expect(await world.counts()).toBe('1 = 1 + 0 + 0');
    await world.apply(template('one', 'systemPrompt: y'));
    await world.settle();
    expect((await world.get('Agent', 'acme:a/one'))?.version).toBe(before?.version);
    await world.call(createNamespace, { name: 'acme:a', labels: { tier: 'gold' } } as never);
    await world.settle();
    expect(await world.get('Agent', 'acme:a/one')).toMatchObject({ uid: before?.uid, spec: '{"systemPrompt":"y"}' });
    expect(await world.counts()).toBe('2 = 2 + 0 + 0');
  });

  it('loses its replica when it is purged', async () => {
    await world.call(deleteNamespace, { name: 'acme:a', purge: true } as never);
    await world.settle();
    expect(await world.replicasFor('acme:a')).toEqual([]);
    expect(await world.counts()).toBe('1 = 1 + 0 + 0');
  });

  it('holds nobody up: the deployment can go', async () => {
    await world.remove('Deployment', 'acme/rollout');
    await world.settle();
    expect(await world.agents()).toEqual([]);
    expect(await world.list('Deployment')).toEqual([]);
  });
});

it('a deployment in a deleted namespace rests, and withdraws when the namespace is purged', async () => {
  await world.apply(`kind: Namespace\nmetadata: {name: "other:x"}\n---\n${template('one', 'systemPrompt: x')}`);
  await world.apply(deployment('one', '{parent: other}'));
  await world.settle();
  await world.call(deleteNamespace, { name: 'acme' } as never);
  await world.apply('kind: Namespace\nmetadata: {name: "other:y"}\n');
  await world.settle();
  expect(await world.agents()).toEqual(['other:x/one']);
  await world.call(deleteNamespace, { name: 'acme', purge: true } as never);
  await world.settle();
  expect(await world.agents()).toEqual([]);
});

it('a deployment is Pending until its replicas are rendered', async () => {
  await world.apply(namespace('a') + template('one', 'systemPrompt: x') + deployment('one'));
  expect(await world.deployment('acme/rollout')).toMatchObject({ phase: 'Pending', observedGeneration: 0n });
  const [selecting] = world.controllers();
  await selecting?.reconcile(recordKey('Deployment', 'acme', 'rollout'));
  expect((await world.replica('acme:a')).phase).toBe('Pending');
  expect(await world.counts()).toBe('1 = 0 + 1 + 0');
  expect(await condition('Ready')).toBe('False Pending');
  await world.settle();
  expect(await world.deployment('acme/rollout')).toMatchObject({ phase: 'Ready', observedGeneration: 1n });
  await world.remove('Deployment', 'acme/rollout');
  await selecting?.reconcile(recordKey('Deployment', 'acme', 'rollout'));
  expect((await world.deployment('acme/rollout')).phase).toBe('Terminating');
});

describe('one mistake', () => {
  it('in one of 100 namespaces leaves 99 ready and one degraded, with its position', async () => {
    const all = Array.from({ length: 100 }, (_, index) =>
      namespace(`n${index}`, index === 42 ? 'tier: gold' : `tier: gold, title: t${index}`),
    );
    await world.apply(
      all.join('') + template('one', 'systemPrompt: "You are {{ namespace.labels.title }}"') + deployment('one'),
    );
    await world.settle();
    expect(await world.counts()).toBe('100 = 99 + 0 + 1');
    const { conflicts, conditions } = await world.replica('acme:n42');
    expect(conflicts).toEqual(['Agent/one#/spec/systemPrompt: RenderFailed:1:9']);
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      'Ready False RenderFailed',
      'Rendered False RenderFailed',
      'NoConflicts True NoConflicts',
    ]);
    expect(await world.deployment('acme/rollout')).toMatchObject({
      phase: 'Degraded',
      replicaCounts: { updated: 100n },
    });
    expect(await condition('Rendered')).toBe('False RenderFailed');
    expect(await world.isAtRest()).toBe(true);
    await relabel('n42', 'tier: gold, title: at last');
    await world.settle();
    expect(await world.counts()).toBe('100 = 100 + 0 + 0');
  });

  it('of one template leaves the others alone, and what it made before', async () => {
    await world.apply(namespace('a', 'tier: gold, word: ok') + template('one', 'systemPrompt: x'));
    await world.apply(
      template('two', 'description: d, instructions: "{{ namespace.labels.word }}"', { kind: 'Skill' }) +
        deployment('one, two'),
    );
    await world.settle();
    await world.apply(template('one', 'systemPrompt: changed'));
    await relabel('a', 'tier: gold');
    await world.settle();
    expect(await world.spec('Agent', 'acme:a/one')).toEqual({ systemPrompt: 'changed' });
    expect(await world.spec('Skill', 'acme:a/two')).toMatchObject({ instructions: 'ok' });
    expect((await world.replica('acme:a')).conflicts).toEqual(['Skill/two#/spec/instructions: RenderFailed:1:1']);
  });

  it.each([
    [
      'a value of the wrong form',
      template('t', 'disabled: "{{ namespace.leaf }}", transport: http, target: "http://x"', { kind: 'McpServer' }),
      'McpServer/t#/spec/disabled: Invalid:spec.disabled',
    ],
    [
      'a value the kind refuses',
      template('t', 'transport: http, target: "{{ namespace.leaf }}"', { kind: 'McpServer' }),
      'McpServer/t#/spec/target: Invalid:spec.target',
    ],
    [
      'a name that is none',
      template('t', 'systemPrompt: x', { metadata: 'name: "{{ namespace.name }}!"' }),
      'Agent/acme:a!#/metadata/name: Invalid:metadata.name',
    ],
    [
      'a process outside mcp.stdioNamespaces',
      template('t', 'transport: stdio, target: run', { kind: 'McpServer' }),
      'McpServer/t#: Denied',
    ],
    [
      'something that is missing',
      template('t', 'serverRef: none', { kind: 'McpServerBinding' }),
      'McpServerBinding/t#/spec/serverRef: Invalid:spec.serverRef',
    ],
    [
      'an object that is too large',
      template('t', `systemPrompt: "${'{{ namespace.labels.long }}'.repeat(1_200)}"`),
      'Agent/t#/spec: Invalid:spec',
    ],
  ])('%s is told', async (_title, text, conflict) => {
    await world.apply(namespace('a', `tier: gold, long: ${'x'.repeat(1_000)}`) + template('good', 'systemPrompt: x'));
    await world.apply(text + deployment('good, t'));
    await world.settle();
    const { conflicts, phase } = await world.replica('acme:a');
    expect([conflicts, phase]).toEqual([[conflict], 'Degraded']);
    expect(await world.agents()).toEqual(['acme:a/good']);
    expect(await world.isAtRest()).toBe(true);
  });

  it('two templates cannot render one object', async () => {
    await world.apply(
      namespace('a') +
        template('one', 'systemPrompt: x') +
        template('two', 'systemPrompt: y', { metadata: 'name: one' }),
    );
    await world.apply(deployment('one, two'));
    await world.settle();
    expect((await world.replica('acme:a')).conflicts).toEqual(['Agent/one#/metadata/name: Invalid:metadata.name']);
    expect(await world.spec('Agent', 'acme:a/one')).toEqual({ systemPrompt: 'x' });
  });
});
