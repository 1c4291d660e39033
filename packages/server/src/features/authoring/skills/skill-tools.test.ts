import { create } from '@bufbuild/protobuf';
import { GatewayService } from '@svc/api/gateway';
import { SkillSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordKey } from '../../../resources/index.ts';
import { createSessionSkills } from '../../../runtime/session/index.ts';
import { type AuthoringWorld, callContext, openAuthoringWorld, ToolCaller } from '../../testing/index.ts';
import { type SkillsModule, skillsModule } from './skills-module.ts';

const { createNamespace, createAgent } = GatewayService.method;
const SESSION = '01900000-0000-7000-8000-000000000001';

let world: AuthoringWorld;
let module: SkillsModule;
let caller: ToolCaller;

beforeEach(async () => {
  world = await openAuthoringWorld();
  for (const name of ['acme', 'acme:west', 'rival']) await world.call(createNamespace, { name });
  await world.store.write((tx) =>
    tx.log.insertSession({
      id: SESSION,
      namespace: 'acme:west',
      agent: 'helper',
      state: 'IDLE',
      fence: 0,
      epoch: 0,
      admission: 0,
      createdAt: 1,
      lastActive: 1,
      openTurns: 0,
      activeTurnId: '',
      lastMessageId: '',
      lastSequence: 0,
      labels: {},
      body: '{}',
    }),
  );
  const visibleNamespaces: Parameters<typeof skillsModule>[0]['visibleNamespaces'] = (reads, name) =>
    world.directory.visible(reads, name);
  module = skillsModule({ ...world, visibleNamespaces, book: createSessionSkills(world.store) });
  caller = new ToolCaller({ toolSources: module.toolSources ?? [] }, { namespace: 'acme:west', sessionId: SESSION });
});
afterEach(() => world.close());

const put = (namespace: string, name: string) =>
  world.store.write((tx) =>
    world.writer.put(tx, callContext('apply'), {
      key: recordKey('Skill', namespace, name),
      spec: create(SkillSpecSchema, { description: 'd', instructions: 'i' }),
    }),
  );

it('skills are activated in order, at most eight, and deactivated; a second run changes nothing', async () => {
  expect(await caller.offered({})).toEqual([]);
  await put('rival', 'theirs');
  expect(await caller.offered({})).toEqual([]);
  const names = Array.from({ length: 9 }, (_, index) => `s${index}`);
  for (const name of names) await put('acme', name);
  expect(await caller.offered({})).toEqual(['activate_skill', 'deactivate_skill']);
  for (const name of names.slice(0, 8)) await caller.call('activate_skill', { name });
  expect(await caller.call('activate_skill', { name: 's0' })).toEqual({ active: names.slice(0, 8) });
  expect(await caller.call('activate_skill', { name: 's8' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('too many'),
  });
  const left = names.slice(0, 8).filter((name) => name !== 's3');
  for (let run = 0; run < 2; run++)
    expect(await caller.call('deactivate_skill', { name: 's3' })).toEqual({ active: left });
  expect(await caller.call('activate_skill', { name: 'theirs' })).toMatchObject({ ok: false });
  expect(await module.forFiles.activeSkill(OF_SESSION, 's1')).toBe('acme');
  expect(await module.forFiles.activeSkill(OF_SESSION, 's3')).toBeUndefined();
});

const OF_SESSION = { namespace: 'acme:west', agent: 'helper', sessionId: SESSION };

it('a skill that the agent has as a feature is active from the start and stays so', async () => {
  await put('acme', 'sum');
  const features = [{ type: 'skill', name: 'sum', required: false }];
  await world.call(createAgent, { ns: 'acme:west', name: 'helper', spec: { features } as never });
  expect(await module.forFiles.activeSkill(OF_SESSION, 'sum')).toBe('acme');
  const fixed = new ToolCaller(
    { toolSources: module.toolSources ?? [] },
    { namespace: 'acme:west', sessionId: SESSION },
    features,
  );
  expect(await fixed.call('activate_skill', { name: 'sum' })).toEqual({ active: ['sum'] });
  expect(await fixed.call('deactivate_skill', { name: 'sum' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('feature'),
  });
});
