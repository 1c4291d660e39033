import { create } from '@bufbuild/protobuf';
import { GatewayService } from '@svc/api/gateway';
import { SkillSchema, SkillSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordKey } from '../../../resources/index.ts';
import { type AuthoringWorld, callContext, openAuthoringWorld } from '../../testing/index.ts';
import { CATALOGUE_MAX, checkSkill, INSTRUCTIONS_MAX, isComplete, judgeSkill } from './skill-rules.ts';

const { createNamespace, deleteNamespace, createAgent } = GatewayService.method;
const spec = (description: string, instructions: string) => create(SkillSpecSchema, { description, instructions });

describe('the rules of skills', () => {
  it('bound the instructions by their bytes', () => {
    expect(checkSkill(spec('', 'x'.repeat(INSTRUCTIONS_MAX)))).toEqual([]);
    expect(checkSkill(spec('', 'é'.repeat(INSTRUCTIONS_MAX / 2 + 1))).map(({ field }) => field)).toEqual([
      'spec.instructions',
    ]);
  });

  it.each([
    ['d', 'i', true, ''],
    ['', 'i', false, 'description is blank'],
    [' \n', 'i', false, 'description is blank'],
    ['d', '\t', false, 'instructions is blank'],
  ])('call %j with %j complete: %s', (...[description, instructions, complete, message]) => {
    const given = spec(description, instructions);
    expect(isComplete(given)).toBe(complete);
    const { phase, findings } = judgeSkill(given);
    expect([phase, findings[0]?.status, findings[0]?.message ?? '']).toEqual(
      complete ? ['Ready', 'True', ''] : ['Degraded', 'False', message],
    );
  });
});

describe('skills', () => {
  let world: AuthoringWorld;

  beforeEach(async () => {
    world = await openAuthoringWorld();
    for (const name of ['acme', 'acme:west', 'acme:east']) await world.call(createNamespace, { name });
  });
  afterEach(() => world.close());

  const put = (namespace: string, name: string, text = `${namespace} ${name}`) =>
    world.store.write((tx) =>
      world.writer.put(tx, callContext('apply'), {
        key: recordKey('Skill', namespace, name),
        spec: spec(`of ${namespace}`, text),
      }),
    );
  const remove = (namespace: string, name: string) =>
    world.store.write((tx) =>
      world.writer.remove(tx, callContext('delete'), { key: recordKey('Skill', namespace, name) }),
    );
  const catalogue = (namespace: string) =>
    world.store.read(async (tx) =>
      (await world.skills.list(tx, namespace)).map((skill) => `${skill.name}@${skill.namespace}`),
    );
  const prompt = (active: readonly string[]) =>
    world.store.read((tx) => world.skills.promptSkills(tx, 'acme:west', active));

  it.each(['A', 'a_b', 'a-', '-a', '1a', 'a.b', '', 'a'.repeat(65)])('refuse the name %j', async (name) => {
    await expect(put('acme', name)).rejects.toMatchObject({ violations: [{ field: 'metadata.name' }] });
  });

  it('are stored incomplete with condition Complete False, and heal', async () => {
    const shown = async () => {
      const record = await world.store.direct.resources.get(recordKey('Skill', 'acme', 'sum'));
      const { status } = world.views.full(SkillSchema, record as never, { secrets: true });
      return [status?.phase, ...(status?.conditions ?? []).map((item) => `${item.type} ${item.status}`)];
    };
    await put('acme', 'sum', '');
    expect(await shown()).toEqual(['Degraded', 'Ready False', 'Complete False']);
    await put('acme', 'sum', 'text');
    expect(await shown()).toEqual(['Ready', 'Ready True', 'Complete True']);
  });

  // PL-18 22 (skills) and RT-12 65
  it('are seen from own namespace and ancestors, the nearest complete one of each name', async () => {
    await put('acme', 'far');
    await put('acme', 'sum');
    await put('acme:west', 'sum');
    await put('acme:east', 'sibling');
    await put('system', 'global');
    await put('acme:west', 'far', '');
    expect(await catalogue('acme:west')).toEqual(['far@acme', 'sum@acme:west']);
    expect(await catalogue('acme')).toEqual(['far@acme', 'sum@acme']);
    await remove('acme:west', 'sum');
    expect(await catalogue('acme:west')).toEqual(['far@acme', 'sum@acme']);
    await world.call(deleteNamespace, { name: 'acme' });
    expect(await catalogue('acme:west')).toEqual([]);
    expect(await catalogue('nowhere')).toEqual([]);
  });

  it('show prompts the text of this moment, and what has vanished', async () => {
    await put('acme', 'sum', 'first');
    await put('acme:west', 'draw', 'lines');
    expect(await prompt(['sum', 'gone', 'draw'])).toEqual({
      catalogue: [
        { name: 'draw', description: 'of acme:west' },
        { name: 'sum', description: 'of acme' },
      ],
      active: [
        { name: 'sum', text: 'first' },
        { name: 'gone', text: undefined },
        { name: 'draw', text: 'lines' },
      ],
    });
    await put('acme', 'sum', 'second');
    expect((await prompt(['sum'])).active).toEqual([{ name: 'sum', text: 'second' }]);
    await remove('acme', 'sum');
    expect((await prompt(['sum'])).active).toEqual([{ name: 'sum', text: undefined }]);
  });

  it('are listed up to the limit of the catalogue', async () => {
    await world.store.write(async (tx) => {
      for (let index = 0; index < CATALOGUE_MAX + 5; index++)
        await world.writer.put(tx, callContext('apply'), {
          key: recordKey('Skill', 'acme', `s${String(index).padStart(3, '0')}`),
          spec: spec('d', 'i'),
        });
    });
    const names = await catalogue('acme:west');
    expect([names.length, names.at(-1)]).toEqual([CATALOGUE_MAX, 's099@acme']);
  });

  it('decide whether an agent that needs one is ready', async () => {
    const features = [{ type: 'skill', name: 'sum', required: true }];
    await world.call(createAgent, { ns: 'acme:west', name: 'helper', spec: { features } as never });
    const notReady = async () => (await world.agents.current(world.store.direct, 'acme:west', 'helper'))?.notReady;
    expect(await notReady()).toBe('feature sum is not available');
    await put('acme', 'sum');
    await world.settle();
    expect(await notReady()).toBe('');
  });
});
