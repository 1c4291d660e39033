import { createHash } from 'node:crypto';
import { GatewayService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DeploymentWorld, openDeploymentWorld } from '../../testing/index.ts';

const PROFILE = 'modelPolicy: {profiles: [{name: main, model: {provider: demo, name: echo}}]}';

const template = (spec: string, name = 'helper', more = ''): string =>
  `kind: Template\nmetadata: {name: ${name}, namespace: acme}\nspec: {kind: Agent, ${more}spec: {${spec}}}\n---\n`;
const deployment = (name = 'rollout', templates = 'helper'): string =>
  `kind: Deployment\nmetadata: {name: ${name}, namespace: acme}\n` +
  `spec: {placement: {namespaceSelector: {parent: "acme:customers", matchLabels: {tier: gold}}}, templates: [${templates}]}\n---\n`;
const customer = (name: string, labels = 'tier: gold'): string =>
  `kind: Namespace\nmetadata: {name: "acme:customers:${name}", labels: {${labels}}}\n---\n`;

const A = 'acme:customers:a';
const HELPER = `${A}/helper`;

describe('the examples of the contract (PL-5)', () => {
  let world: DeploymentWorld;

  beforeEach(async () => {
    world = await openDeploymentWorld();
  });
  afterEach(() => world.close());

  const begin = async (spec = `systemPrompt: "You serve {{ namespace.leaf }}.", ${PROFILE}`): Promise<void> => {
    await world.apply(customer('a') + template(spec) + deployment());
    await world.settle();
  };
  const modify = async (spec: object, paths: readonly string[]): Promise<void> => {
    await world.call(GatewayService.method.modifyAgent, {
      ns: A,
      agent: 'helper',
      spec,
      updateMask: { paths: [...paths] },
    } as never);
  };
  const helper = async (): Promise<Record<string, unknown>> => (await world.spec('Agent', HELPER)) ?? {};
  const outcomes = async (): Promise<readonly string[]> => {
    const page = await world.store.read((tx) => tx.audit.list({ limit: 500 } as never));
    return (page as readonly { outcome: string; target: string }[]).map(
      ({ outcome, target }) => `${outcome} ${target}`,
    );
  };

  it('renders, marks and records what it made', async () => {
    await begin();
    const record = await world.get('Agent', HELPER);
    expect(await helper()).toMatchObject({ systemPrompt: 'You serve a.' });
    expect(record?.labels['svc/deployment']).toBe('rollout');
    expect(record?.owners).toEqual([]);
    const status = await world.replica(A);
    const [replica] = await world.replicasFor(A);
    expect(record?.annotations['svc/replica']).toBe(`acme/${replica?.key.name}`);
    expect(replica?.key.name).toBe(`rollout--a-${createHash('sha256').update(A).digest('hex').slice(0, 8)}`);
    expect(replica?.owners).toMatchObject([{ kind: 'Deployment', name: 'rollout', controller: true }]);
    expect(replica?.finalizers).toEqual(['svc/replica']);
    expect((await world.get('Deployment', 'acme/rollout'))?.finalizers).toEqual(['svc/deployment']);
    const base = status.lastRenderedJson['Agent/helper'] ?? '';
    expect(JSON.parse(base)).toMatchObject({ metadata: { labels: {} }, spec: { systemPrompt: 'You serve a.' } });
    expect(status).toMatchObject({
      phase: 'Ready',
      renderedResources: [`${A}/Agent/helper`],
      renderedHashes: { 'Agent/helper': `sha256:${createHash('sha256').update(base).digest('hex')}` },
      ownedJsonPointers: ['Agent/helper#/spec/modelPolicy/profiles', 'Agent/helper#/spec/systemPrompt'],
      conflicts: [],
    });
    expect(await world.deployment('acme/rollout')).toMatchObject({
      phase: 'Ready',
      replicas: [{ namespace: 'acme', name: replica?.key.name }],
      replicaCounts: { desired: 1n, updated: 1n, ready: 1n, pending: 0n, degraded: 0n },
    });
  });

  it('sets back what an operator changed, and says so', async () => {
    await begin();
    await modify({ systemPrompt: 'Mine.' }, ['spec.systemPrompt']);
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'You serve a.' });
    expect(await outcomes()).toContain(`repaired Agent/${A}/helper`);
  });

  it('meets what took the place of what it had made, as it meets what was there before', async () => {
    await begin();
    await world.remove('Agent', HELPER);
    await world.call(GatewayService.method.createAgent, {
      ns: A,
      name: 'helper',
      spec: { systemPrompt: 'Mine.' },
    } as never);
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'Mine.', modelPolicy: expect.anything() });
    expect((await world.replica(A)).conflicts).toEqual(['Agent/helper#/spec/systemPrompt: ExistingValue']);
    await world.remove('Deployment', 'acme/rollout');
    await world.settle();
    expect(await helper()).toEqual({ systemPrompt: 'Mine.' });
  });

  it('keeps what an operator added, and owns it not', async () => {
    await begin();
    await modify({ postHistoryPrompt: 'Be short.' }, ['spec.postHistoryPrompt']);
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'You serve a.', postHistoryPrompt: 'Be short.' });
    expect((await world.replica(A)).ownedJsonPointers.join()).not.toContain('postHistoryPrompt');
  });

  it('writes nothing when all live values are as rendered', async () => {
    await begin();
    const before = await world.newest();
    await world.resync();
    await world.resync();
    expect(await world.newest()).toBe(before);
  });

  it('clears and disowns what the template drops', async () => {
    await begin();
    await world.apply(template(PROFILE));
    await world.settle();
    expect(await helper()).not.toHaveProperty('systemPrompt');
    expect((await world.replica(A)).ownedJsonPointers).toEqual(['Agent/helper#/spec/modelPolicy/profiles']);
  });

  it('keeps and disowns what the template drops but somebody edited meanwhile', async () => {
    await begin();
    await modify({ systemPrompt: 'Mine.' }, ['spec.systemPrompt']);
    await world.apply(template(PROFILE));
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'Mine.' });
    expect((await world.replica(A)).ownedJsonPointers).toEqual(['Agent/helper#/spec/modelPolicy/profiles']);
  });

  it('sets a whole array when the template changes it', async () => {
    await begin();
    const profile = (name: string, model: string) => ({ name, model: { provider: 'demo', name: model } });
    await modify({ modelPolicy: { profiles: [profile('main', 'echo'), profile('mine', 'echo')] } }, [
      'spec.modelPolicy',
    ]);
    await world.apply(
      template('modelPolicy: {profiles: [{name: other, model: {provider: demo, name: echo}}]}, systemPrompt: x'),
    );
    await world.settle();
    const { modelPolicy } = (await helper()) as { readonly modelPolicy: { readonly profiles: readonly object[] } };
    expect(modelPolicy.profiles).toMatchObject([{ name: 'other' }]);
    expect((await world.replica(A)).conflicts).toEqual([]);
  });

  it('is Degraded by what another manager took by force, and keeps its value', async () => {
    await begin();
    const taken = `kind: Agent\nmetadata: {name: helper, namespace: "${A}"}\nspec: {systemPrompt: Ours.}\n`;
    await expect(world.apply(taken, { manager: 'team' })).rejects.toMatchObject({ reason: 'CONFLICT' });
    await world.apply(taken, { manager: 'team', force: true });
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'Ours.' });
    expect(await world.replica(A)).toMatchObject({
      phase: 'Degraded',
      conflicts: ['Agent/helper#/spec/systemPrompt: OwnedBy:team'],
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'Rendered', status: 'True' },
        { type: 'NoConflicts', status: 'False' },
      ],
    });
    expect(await world.deployment('acme/rollout')).toMatchObject({
      phase: 'Degraded',
      replicaCounts: { desired: 1n, updated: 1n, ready: 0n, pending: 0n, degraded: 1n },
    });
    const before = await world.newest();
    await world.resync();
    expect(await world.newest()).toBe(before);
    await world.apply(`kind: Agent\nmetadata: {name: helper, namespace: "${A}"}\nspec: {}\n`, { manager: 'team' });
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'You serve a.' });
    expect((await world.replica(A)).phase).toBe('Ready');
  });

  it('fills what is missing in an agent that was there before, and overwrites nothing', async () => {
    await world.apply(customer('a'));
    await world.apply(`kind: Agent\nmetadata: {name: helper, namespace: "${A}"}\nspec: {systemPrompt: Before.}\n`);
    await world.call(GatewayService.method.modifyAgent, { ns: A, agent: 'helper', labels: { own: 'x' } } as never);
    await world.apply(`kind: Agent\nmetadata: {name: helper, namespace: "${A}"}\nspec: {}\n`);
    await modify({ systemPrompt: 'Before.' }, ['spec.systemPrompt']);
    await begin();
    expect(await helper()).toMatchObject({ systemPrompt: 'Before.', modelPolicy: { profiles: [{ name: 'main' }] } });
    expect(await world.replica(A)).toMatchObject({
      phase: 'Degraded',
      conflicts: ['Agent/helper#/spec/systemPrompt: ExistingValue'],
      ownedJsonPointers: ['Agent/helper#/spec/modelPolicy/profiles'],
    });
  });

  it('shares a pointer with another deployment, and reports another value on the later one', async () => {
    await begin('systemPrompt: same, postHistoryPrompt: first');
    await world.apply(
      template('systemPrompt: same, postHistoryPrompt: second', 'second', 'metadata: {name: helper}, ') +
        deployment('later', 'second'),
    );
    await world.settle();
    const statuses = (await world.replicasFor(A)).map(({ key, status }) => [
      key.name.split('--')[0],
      JSON.parse(status),
    ]);
    expect(statuses).toMatchObject([
      [
        'later',
        {
          conflicts: ['Agent/helper#/spec/postHistoryPrompt: OwnedBy:deployment:acme/rollout'],
          ownedJsonPointers: ['Agent/helper#/spec/systemPrompt'],
        },
      ],
      ['rollout', { phase: 'Ready' }],
    ]);
    expect(await helper()).toMatchObject({ postHistoryPrompt: 'first' });
    const before = await world.newest();
    await world.resync();
    expect(await world.newest()).toBe(before);
    await world.remove('Deployment', 'acme/rollout');
    await world.settle();
    expect(await helper()).toMatchObject({ systemPrompt: 'same', postHistoryPrompt: 'second' });
    expect((await world.get('Agent', HELPER))?.labels['svc/deployment']).toBe('later');
    expect((await world.replica(A)).phase).toBe('Ready');
    await world.remove('Deployment', 'acme/later');
    await world.settle();
    expect(await world.get('Agent', HELPER)).toBeUndefined();
  });
});
