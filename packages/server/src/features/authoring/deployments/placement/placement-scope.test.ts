import { DeletePropagation, GatewayService, ResourceService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../auth/contract.ts';
import {
  ADMIN,
  adminOf,
  callOutcome,
  type DeploymentWorld,
  deployment,
  openDeploymentWorld,
  template,
} from '../../../testing/index.ts';

const { applyResource, deleteResource } = ResourceService.method;
const { createAgentTemplate, deleteAgentTemplate, deleteNamespace } = GatewayService.method;

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
  const names = ['acme:team', 'other', 'other:a', 'other:b', 'other:c'];
  await world.apply(names.map((name) => `kind: Namespace\nmetadata: {name: "${name}"}\n---\n`).join(''));
});
afterEach(() => world.close());

const ACME = adminOf('acme');
const FOREIGN = '{parent: other}';

const refused = (names = 'other:a, other:b, other:c') => [
  ...['PERMISSION_DENIED', 'PARENT_SCOPE'],
  expect.stringContaining(`namespaces where you are not an admin: ${names}.`),
];
const apply = (text: string, caller = ACME, more: object = {}): Promise<unknown> =>
  callOutcome(world.apply(text, more, caller));
const remove = (
  kind: string,
  address: string,
  more: Readonly<Record<string, unknown>> & { readonly caller?: Caller } = {},
): Promise<unknown> => {
  const { caller = ACME, ...rest } = more;
  const [ns = '', name = ''] = address.split('/');
  return callOutcome(world.call(deleteResource, { ns, kind, name, ...rest } as never, caller));
};
const promptOf = async (namespace: string): Promise<unknown> =>
  (await world.spec('Agent', `${namespace}/helper`))?.['systemPrompt'];

describe('a template that a foreign deployment renders', () => {
  const one = template('helper', 'systemPrompt: One.');
  beforeEach(() => world.apply(`${one}${deployment('helper', FOREIGN)}`));

  it('is not changed by ApplyManifests, before and after the deployment was rendered', async () => {
    const changed = template('helper', 'systemPrompt: Mine.');
    expect(await apply(changed)).toEqual(refused());
    await world.settle();
    expect(await apply(changed)).toEqual(refused());
    await world.settle();
    expect(await promptOf('other:a')).toBe('One.');
    expect(await apply(changed, adminOf('acme', 'other'))).toBe('allowed');
    await world.settle();
    expect(await promptOf('other:a')).toBe('Mine.');
  });

  it('is not changed by labels alone, which are rendered too', async () => {
    expect(await apply(template('helper', 'systemPrompt: One.', { own: ', labels: {a: b}' }))).toEqual(refused());
    expect(await apply(one)).toBe('allowed');
  });

  it('is not changed by ApplyResource, nor deleted by DeleteResource, and a refusal leaves nothing', async () => {
    const spec = { kind: { case: 'template', value: { kind: 'Agent', specJson: '{}' } } };
    const manifest = { apiVersion: 'svc/v1', kind: 'Template', metadata: { name: 'helper', namespace: 'acme' }, spec };
    const request = { ns: 'acme', kind: 'Template', name: 'helper', manifest };
    const before = await world.newest();
    expect(await callOutcome(world.call(applyResource, request as never, ACME))).toEqual(refused());
    expect(await remove('Template', 'acme/helper')).toEqual(refused());
    expect(await world.newest()).toBe(before);
  });

  it('is not pruned', async () => {
    await world.apply(one, { applySet: 'mine' });
    const prune = { applySet: 'mine', prune: true, allowEmpty: true };
    expect(await apply(template('rest', ''), ACME, prune)).toEqual(refused());
    expect(await apply(template('rest', ''), ADMIN, prune)).toBe('allowed');
  });

  it('is not hidden by a nearer one, nor by one that a deployment renders', async () => {
    await world.apply(
      `kind: Deployment\nmetadata: {name: near, namespace: "acme:team"}\nspec: {selector: ${FOREIGN}, templates: [helper]}\n`,
    );
    const nearer = template('helper', 'systemPrompt: Nearer.', { namespace: '"acme:team"' });
    expect(await apply(nearer, adminOf('acme:team'), { ns: 'acme:team' })).toEqual(refused());
    const rendering = template('maker', 'kind: Agent, spec: {systemPrompt: Nearer.}', {
      kind: 'Template',
      metadata: 'name: helper',
    });
    expect(await apply(`${rendering}${deployment('maker', '{parent: acme}', 'inner')}`)).toBe('allowed');
    await world.settle();
    expect(await world.spec('Template', 'acme:team/helper')).toBeUndefined();
    expect(await promptOf('other:a')).toBe('One.');
  });

  it('is of no concern where a nearer one is used, or where the deployment stays in the own subtree', async () => {
    await world.apply(template('other', ''));
    expect(await apply(template('other', 'systemPrompt: Free.'))).toBe('allowed');
    expect(await apply(`${template('own', '')}${deployment('own', '{parent: acme}', 'own')}`)).toBe('allowed');
    expect(await apply(template('own', 'systemPrompt: Changed.'))).toBe('allowed');
    expect(await remove('Template', 'acme/own')).toBe('allowed');
  });
});

it('an agent template of system is not changed or deleted by an admin of system alone', async () => {
  const system = adminOf('system');
  const make = (caller: Caller, specJson: string) => {
    const request = { template: { metadata: { name: 'base' }, spec: { specJson } } };
    return callOutcome(world.call(createAgentTemplate, request as never, caller));
  };
  expect(await make(system, '{}')).toBe('allowed');
  await world.apply(deployment('base', FOREIGN));
  expect(await make(system, '{"systemPrompt":"Everywhere."}')).toEqual(refused());
  expect(await callOutcome(world.call(deleteAgentTemplate, { name: 'base' } as never, system))).toEqual(refused());
  expect(await make(ADMIN, '{"systemPrompt":"Everywhere."}')).toBe('allowed');
});

describe('a deployment that another placed', () => {
  beforeEach(async () => {
    await world.apply(`${template('helper', 'systemPrompt: One.')}${deployment('helper', FOREIGN)}`);
    await world.settle();
  });

  it('is not deleted, by any propagation or force, nor is a replica of it', async () => {
    expect(await remove('Deployment', 'acme/rollout')).toEqual(refused());
    const propagation = DeletePropagation.ORPHAN;
    expect(await remove('Deployment', 'acme/rollout', { propagation, force: true })).toEqual(refused());
    const [replica] = await world.list('DeploymentReplica');
    expect(await remove('DeploymentReplica', `acme/${replica?.key.name}`)).toEqual(refused('other:a'));
    expect(await remove('Deployment', 'acme/rollout', { caller: adminOf('acme', 'other') })).toBe('allowed');
  });

  it('is not changed, drawn back or given an owner', async () => {
    const labelled = deployment('helper', FOREIGN).replace('namespace: acme', 'namespace: acme, labels: {a: b}');
    expect(await apply(labelled)).toEqual(refused());
    expect(await apply(deployment('helper', '{parent: acme}'))).toEqual(refused());
    await world.apply(template('owner', ''));
    const [owner] = (await world.list('Template')).filter(({ key }) => key.name === 'owner');
    const reference = `{apiVersion: svc/v1, kind: Template, name: owner, namespace: acme, uid: ${owner?.uid}}`;
    const owned = deployment('helper', FOREIGN).replace(
      'namespace: acme',
      `namespace: acme, ownerReferences: [${reference}]`,
    );
    expect(await apply(owned)).toEqual(refused());
    expect(await apply(deployment('helper', FOREIGN))).toBe('allowed');
  });

  it('does not go with its namespace', async () => {
    const gone = (caller: Caller) => callOutcome(world.call(deleteNamespace, { name: 'acme:team' } as never, caller));
    await world.apply(
      `kind: Deployment\nmetadata: {name: near, namespace: "acme:team"}\nspec: {selector: ${FOREIGN}, templates: [helper]}\n`,
    );
    expect(await gone(ACME)).toEqual(refused());
    expect(await remove('Namespace', 'acme:team/acme:team')).toEqual(refused());
    expect(await gone(adminOf('acme', 'other'))).toBe('allowed');
  });

  it('names ten namespaces and how many more there are, and the parent where none is selected', async () => {
    const more = Array.from({ length: 9 }, (_, index) => `kind: Namespace\nmetadata: {name: "other:n${index}"}\n---\n`);
    await world.apply(more.join(''));
    const names = ['a', 'b', 'c', 'n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6'].map((name) => `other:${name}`).join(', ');
    expect(await remove('Deployment', 'acme/rollout')).toEqual(refused(`${names} and 2 more`));
    await world.apply(deployment('helper', '{parent: "other:a"}', 'empty'));
    expect(await remove('Deployment', 'acme/empty')).toEqual(refused('those below other:a'));
  });
});
