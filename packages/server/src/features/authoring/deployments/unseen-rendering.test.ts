import { ResourceService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/contract.ts';
import { openRecord } from '../../../resources/index.ts';
import { ADMIN, type DeploymentWorld, deployment, namespace, openDeploymentWorld } from '../../testing/index.ts';

/** Admin of everything, who may not read values. */
const BLIND: Caller = { ...ADMIN, grants: [{ role: 'admin', readSecrets: false }] };
const RIGHT = '4821';
const WRONG = '1111';

type Spec = Readonly<Record<string, unknown>>;
const manifest = (kind: string, address: string, spec: Spec): string => {
  const [at, name] = address.split('/');
  return JSON.stringify({ apiVersion: 'svc/v1', kind, metadata: { name, namespace: at }, spec });
};

/** Specs that hold a value, by kind. */
const forms: Readonly<Record<string, readonly [string, (value: string) => Spec]>> = {
  'a Secret': ['Secret', (value) => ({ stringData: { pin: value } })],
  'the headers of an McpServer': [
    'McpServer',
    (value) => ({ transport: 'http', target: 'https://mcp.test/', headers: { authorization: value } }),
  ],
  'a Template of a Secret': [
    'Template',
    (value) => ({ kind: 'Secret', specJson: JSON.stringify({ stringData: { pin: value } }) }),
  ],
};

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
  await world.apply(namespace('a'));
});
afterEach(() => world.close());

const apply = (text: string, caller = ADMIN): Promise<unknown> => world.apply(text, {}, caller);
const deploy = async (name: string, caller = ADMIN): Promise<unknown> =>
  apply(deployment(name, undefined, name), caller);
const rendering = (name: string, [kind, spec]: readonly [string, (value: string) => Spec], value: string): string =>
  manifest('Template', `acme/${name}`, { kind, metadata: { name: 'held' }, specJson: JSON.stringify(spec(value)) });

/** What can be told about a deployment by its replica and by the object that it met. */
const told = async (name: string, kind: string) => {
  await world.settle();
  const replica = (await world.replicasFor('acme:a')).find(({ key }) => key.name.startsWith(`${name}--`));
  const { phase, conflicts, ownedJsonPointers } = JSON.parse(replica?.status ?? '{}') as Spec;
  const version = (await world.get(kind, 'acme:a/held'))?.version;
  return { phase, conflicts, ownedJsonPointers, version };
};

describe.each(Object.entries(forms))('a guess at a value in %s', (_name, form) => {
  const [kind, spec] = form;
  /** What a deployment tells of both guesses, the one after the other. */
  const guesses = async (caller: Caller) => {
    const answers: Awaited<ReturnType<typeof told>>[] = [];
    for (const value of [WRONG, RIGHT, WRONG]) {
      await apply(rendering('guess', form, value), caller);
      if (answers.length === 0) await deploy('guess', caller);
      answers.push(await told('guess', kind));
    }
    return answers;
  };

  it('that is there already is a conflict, whether it is right or not', async () => {
    await apply(manifest(kind, 'acme:a/held', spec(RIGHT)));
    const [wrong, right, again] = await guesses(BLIND);
    expect(wrong?.conflicts).toEqual([expect.stringContaining('OwnedBy:svc-cli')]);
    expect(right).toEqual(wrong);
    expect(again).toEqual(wrong);
    expect(await world.isAtRest()).toBe(true);
  });

  it('that another deployment wrote is a conflict too, and neither tells it by its hashes', async () => {
    await apply(rendering('real', form, RIGHT));
    await deploy('real');
    await world.settle();
    const [wrong, right] = await guesses(BLIND);
    expect(wrong?.conflicts).toEqual([expect.stringContaining('OwnedBy:deployment:acme/real')]);
    expect(right).toEqual(wrong);
    await apply(rendering('guess', form, RIGHT), BLIND);
    await world.settle();
    const hashes = (await world.replicasFor('acme:a')).map(({ status }) => status.match(/hashed:v1:[^"\\]+/)?.[0]);
    expect(new Set(hashes).size).toBe(2);
  });

  it('by a reader of values is shared when it is right', async () => {
    await apply(rendering('real', form, RIGHT));
    await deploy('real');
    await world.settle();
    const [wrong, right] = await guesses(ADMIN);
    expect([wrong?.phase, right?.phase]).toEqual(['Degraded', 'Ready']);
  });
});

describe('a value of a Secret', () => {
  const form = forms['a Secret'] as NonNullable<(typeof forms)['']>;
  const held = (value: string) => manifest('Secret', 'acme:a/held', form[1](value));

  /** Writes the object by a plain write, which makes nobody an owner. */
  const outside = (value: string): Promise<unknown> => {
    const spec = { kind: { case: 'secret', value: form[1](value) } };
    const body = { apiVersion: 'svc/v1', kind: 'Secret', metadata: { name: 'held', namespace: 'acme:a' }, spec };
    const request = { ns: 'acme:a', kind: 'Secret', name: 'held', manifest: body };
    return world.call(ResourceService.method.applyResource, request as never);
  };
  const pin = async (): Promise<string> => {
    const record = await world.get('Secret', 'acme:a/held');
    const { data } = JSON.parse(record === undefined ? '{}' : openRecord(record, world.seal).spec) as Spec;
    return Buffer.from(String((data as Spec)['pin']), 'base64').toString();
  };

  it('that somebody put in the place of a rendered one is a conflict, whether it is the same or not', async () => {
    await apply(rendering('real', form, RIGHT));
    await deploy('real');
    const answers: unknown[] = [];
    for (const value of [WRONG, RIGHT]) {
      await world.settle();
      await world.remove('Secret', 'acme:a/held');
      await apply(held(value), BLIND);
      answers.push((await told('real', 'Secret')).conflicts);
      await world.remove('Secret', 'acme:a/held');
    }
    expect(answers[0]).toEqual(['Secret/held#/spec/data/pin: OwnedBy:svc-cli']);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('that comes from a label is a guess of whoever labels', async () => {
    await apply(held(RIGHT));
    await apply(rendering('labelled', form, '{{ namespace.labels.pin }}'));
    await deploy('labelled');
    const answers: unknown[] = [];
    for (const pin of [WRONG, RIGHT]) {
      await apply(namespace('a', `tier: gold, pin: "${pin}"`), BLIND);
      answers.push(await told('labelled', 'Secret'));
    }
    expect(answers[0]).toMatchObject({ conflicts: ['Secret/held#/spec/data/pin: OwnedBy:svc-cli'] });
    expect(answers[1]).toEqual(answers[0]);
  });

  it('is no guess any more once a reader of values wrote it', async () => {
    await outside(RIGHT);
    await apply(rendering('guess', form, RIGHT), BLIND);
    await deploy('guess', BLIND);
    expect(await told('guess', 'Secret')).toMatchObject({ conflicts: ['Secret/held#/spec/data/pin: ExistingValue'] });
    await apply(rendering('guess', form, RIGHT));
    expect(await told('guess', 'Secret')).toMatchObject({ phase: 'Ready' });
  });

  it('that only one deployment wrote changes and is set back as ever', async () => {
    await apply(rendering('guess', form, WRONG), BLIND);
    await deploy('guess', BLIND);
    expect(await told('guess', 'Secret')).toMatchObject({ phase: 'Ready' });
    await apply(rendering('guess', form, RIGHT), BLIND);
    expect(await told('guess', 'Secret')).toMatchObject({ phase: 'Ready' });
    expect(await pin()).toBe(RIGHT);
    await outside(WRONG);
    expect(await pin()).toBe(WRONG);
    expect(await told('guess', 'Secret')).toMatchObject({ phase: 'Ready' });
    expect(await pin()).toBe(RIGHT);
    expect(await world.isAtRest()).toBe(true);
  });

  it('that a deployment wrote as a guess is one for the next deployment', async () => {
    await apply(rendering('guess', form, RIGHT), BLIND);
    await deploy('guess', BLIND);
    await world.settle();
    await apply(rendering('real', form, RIGHT));
    await deploy('real');
    expect((await told('real', 'Secret')).conflicts).toEqual([
      'Secret/held#/spec/data/pin: OwnedBy:deployment:acme/guess',
    ]);
  });
});
