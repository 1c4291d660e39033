import { ResourceService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordKey } from '../../../../resources/index.ts';
import {
  adminOf,
  callOutcome,
  type DeploymentWorld,
  deployment,
  openDeploymentWorld,
  template,
} from '../../../testing/index.ts';
import { NamespaceDirectory } from '../../namespaces/index.ts';
import { PlacementScope } from './placement-scope.ts';

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
  const names = ['acme:team', 'acme:team:sub', 'other', 'other:a', 'other:b'];
  await world.apply(names.map((name) => `kind: Namespace\nmetadata: {name: "${name}"}\n---\n`).join(''));
});
afterEach(() => world.close());

const ACME = adminOf('acme');

const REFUSED = [
  ...['PERMISSION_DENIED', 'PARENT_SCOPE'],
  expect.stringContaining('namespaces where you are not an admin: other:a, other:b.'),
];
const apply = (text: string, caller = ACME): Promise<unknown> => callOutcome(world.apply(text, {}, caller));
const remove = (kind: string, address: string, caller = ACME): Promise<unknown> => {
  const [ns = '', name = ''] = address.split('/');
  return callOutcome(world.call(ResourceService.method.deleteResource, { ns, kind, name } as never, caller));
};
/** A template that renders a template of agents under the name `helper`. */
const maker = (prompt: string, name = 'helper'): string =>
  template('maker', `kind: Agent, spec: {systemPrompt: ${prompt}}`, { kind: 'Template', metadata: `name: ${name}` });
const inner = (templates: string): string => deployment(templates, '{parent: acme}', 'inner');
/** A deployment of a low namespace that another admin placed in `other`. */
const near = (namespace: string): string =>
  `kind: Deployment\nmetadata: {name: near, namespace: "${namespace}"}\nspec: {selector: {parent: other}, templates: [helper]}\n---\n`;
const promptOf = async (namespace: string): Promise<unknown> =>
  (await world.spec('Agent', `${namespace}/helper`))?.['systemPrompt'];

describe('a rendered template of which a foreign deployment renders', () => {
  beforeEach(async () => {
    await world.apply(`${maker('One.')}${template('plain', '')}${inner('maker, plain')}`);
    await world.settle();
    await world.apply(near('acme:team'));
    await world.settle();
    expect(await promptOf('other:a')).toBe('One.');
  });

  it('is not withdrawn by who deletes the deployment that rendered it, its template or its replica', async () => {
    expect(await remove('Deployment', 'acme/inner')).toEqual(REFUSED);
    expect(await remove('Template', 'acme/maker')).toEqual(REFUSED);
    const [replica] = await world.replicasFor('acme:team');
    expect(await remove('DeploymentReplica', `acme/${replica?.key.name}`)).toEqual(REFUSED);
    expect(await remove('Deployment', 'acme/inner', adminOf('acme', 'other'))).toBe('allowed');
  });

  it('is not withdrawn or changed by who changes what it comes from', async () => {
    expect(await apply(inner('plain'))).toEqual(REFUSED);
    expect(await apply(deployment('maker, plain', '{parent: "acme:team"}', 'inner'))).toEqual(REFUSED);
    expect(await apply(maker('One.', 'renamed'))).toEqual(REFUSED);
    expect(await apply(maker('Mine.'))).toEqual(REFUSED);
    await world.settle();
    expect(await promptOf('other:a')).toBe('One.');
    expect(await apply(maker('Theirs.'), adminOf('acme', 'other'))).toBe('allowed');
  });

  it('does not hold the other templates of the deployment that rendered it', async () => {
    expect(await apply(template('plain', 'systemPrompt: Free.'))).toBe('allowed');
    expect(await remove('Template', 'acme/plain')).toBe('allowed');
  });

  it('is held by each deployment that owns a field of it, whichever made it', async () => {
    await world.apply(deployment('maker', '{parent: acme}', 'second'));
    await world.settle();
    expect(await remove('Deployment', 'acme/second')).toEqual(REFUSED);
    expect(await remove('Deployment', 'acme/inner')).toEqual(REFUSED);
  });

  it('is of no concern once nobody else renders it', async () => {
    await world.remove('Deployment', 'acme:team/near');
    await world.settle();
    expect(await remove('Deployment', 'acme/inner')).toBe('allowed');
  });
});

it('a template that a rendered template rendered in turn is followed too', async () => {
  const agents = JSON.stringify({ kind: 'Agent', specJson: JSON.stringify({ systemPrompt: 'Deep.' }) });
  const inside = `kind: Template, metadata: {name: helper}, specJson: '${agents}'`;
  await world.apply(`${template('top', inside, { kind: 'Template', metadata: 'name: middle' })}${inner('top')}`);
  await world.settle();
  await world.apply(
    'kind: Deployment\nmetadata: {name: below, namespace: "acme:team"}\nspec: {selector: {parent: "acme:team"}, templates: [middle]}\n',
  );
  await world.settle();
  await world.apply(near('acme:team:sub'));
  await world.settle();
  expect(await promptOf('other:b')).toBe('Deep.');
  expect(await remove('Deployment', 'acme/inner')).toEqual(REFUSED);
  expect(await remove('Template', 'acme/top')).toEqual(REFUSED);
});

it('two deployments that render templates for each other do not keep a check from its end', async () => {
  const text = (name: string, specJson: string) =>
    JSON.stringify({ kind: 'Template', metadata: { name, labels: { shared: 'yes' } }, specJson });
  const agents = JSON.stringify({ kind: 'Agent', specJson: '{}' });
  const spec = text('there', text('back', agents));
  const first = JSON.stringify({ labels: { shared: 'yes' }, name: 'back' }).slice(1, -1);
  const user = (name: string, uses: string) =>
    `kind: Deployment\nmetadata: {name: ${name}, namespace: "acme:team"}\nspec: {selector: {parent: acme}, templates: [${uses}]}\n---\n`;
  await world.apply(`${template('start', spec.slice(1, -1), { kind: 'Template', metadata: first })}${inner('start')}`);
  await world.settle();
  await world.apply(`${user('uses-back', 'back')}${user('uses-there', 'there')}`);
  await world.settle();
  const there = (await world.replicasFor('acme:team')).find(({ key }) => key.name.startsWith('uses-there'));
  expect(there?.status).toContain('Template/back#/metadata/labels/shared');
  expect(await remove('Template', 'acme/start')).toBe('allowed');
  expect(await remove('Deployment', 'acme:team/uses-there')).toBe('allowed');
});

it('a check that would have to follow too many rendered templates refuses, and names where they are', async () => {
  await world.apply('kind: Namespace\nmetadata: {name: "acme:next"}\n');
  await world.apply(`${maker('One.')}${inner('maker')}${deployment('helper', '{parent: acme}', 'own')}`);
  await world.settle();
  const namespaces = new NamespaceDirectory();
  const origin = { requestId: '', operation: '', caller: { identity: 'ann', grants: ACME.grants } };
  const check = (followedMax: number): Promise<unknown> =>
    callOutcome(
      world.store.read((tx) =>
        new PlacementScope({ namespaces, followedMax }).requireTemplate(
          tx,
          recordKey('Template', 'acme', 'maker'),
          origin,
        ),
      ),
    );
  expect(await check(2)).toBe('allowed');
  const text = 'more than 1 templates that others use, .* not checked: acme:team. ';
  const refused = ['PERMISSION_DENIED', 'PARENT_SCOPE', expect.stringMatching(text)];
  expect(await check(1)).toEqual(refused);
});
