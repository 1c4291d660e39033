import { create } from '@bufbuild/protobuf';
import { ScheduleSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemOrigin } from '../../../controllers/contract.ts';
import { recordKey } from '../../../resources/index.ts';
import type { ToolContext, ToolGrants } from '../../../tools/contract.ts';
import { NamespaceDirectory } from '../../authoring/namespaces/index.ts';
import { openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { ToolCaller } from '../../testing/tool-caller.ts';
import { createInputCheck } from './input-check.ts';
import { scheduleContract } from './schedule-kind.ts';
import { scheduleTools } from './schedule-tools.ts';

const ALL = { schedules: ['*'] };
const hourly = { name: 'hourly', kind: 'every', interval_seconds: 3_600, input_message: 'look around' };

describe('tools over schedules', () => {
  let world: ResourceWorld;
  let tools: ToolCaller;

  beforeEach(async () => {
    world = await openResourceWorld({
      contracts: () => [
        scheduleContract({
          ...{ namespaces: new NamespaceDirectory(), now: () => world.store.now(), minSpacingSeconds: 1 },
          schedulesMax: 3,
          inputCheck: createInputCheck(),
        }),
      ],
    });
    const { store, writer, directory } = world;
    const visibleNamespaces = directory.visible.bind(directory);
    tools = new ToolCaller({ tools: scheduleTools({ store, writer, visibleNamespaces }) });
  });
  afterEach(() => world.close());

  type Change = Partial<ToolContext> & { readonly capabilities?: ToolGrants['capabilities'] };
  const call = (name: string, input: object, change: Change = {}) =>
    tools.call(name, input, { capabilities: ALL, ...change });
  const names = async (input: object) =>
    (await call('list_schedules', input)).map((schedule: { name: string }) => schedule.name);
  const audited = async () =>
    (await world.store.direct.audit.list({ limit: 10 }))
      .filter(({ target }) => target.startsWith('Schedule/'))
      .map(({ operation, requestId, identity, outcome }) => [operation, requestId, identity, outcome].join(' '));

  it('create, read, change and delete schedules of the agent itself, each write audited', async () => {
    const made = await call('create_schedule', hourly);
    expect(made).toMatchObject({
      ...{ name: 'hourly', kind: 'every', agent: 'helper', session_mode: 'new', enabled: true },
      ...{ interval_seconds: 3_600, note: 'agent helper does not exist' },
    });
    const changed = await call('update_schedule', {
      ...{ name: 'hourly', kind: 'cron', cron: '0 9 * * *', timezone: 'Europe/Berlin', input_message: 'morning' },
    });
    expect(changed).toMatchObject({ kind: 'cron', cron: '0 9 * * *', timezone: 'Europe/Berlin', agent: 'helper' });
    expect(changed.interval_seconds).toBeUndefined();
    const off = await call('update_schedule', { ...hourly, enabled: false });
    expect(off).toMatchObject({ enabled: false, timezone: 'Europe/Berlin' });
    expect((await call('update_schedule', hourly)).enabled).toBe(false);
    expect(await call('get_schedule', { name: 'hourly' })).toMatchObject({ input_message: 'look around' });
    expect(await call('delete_schedule', { name: 'hourly' })).toEqual({ name: 'hourly', deleted: true });
    expect(await call('get_schedule', { name: 'hourly' })).toMatchObject({ ok: false, code: 'failed' });
    const [deleted, , , created] = [...(await audited()).slice(0, 3), (await audited()).at(-1)];
    expect(deleted).toBe('tools/delete_schedule default/helper/s1/t1 anna deleted');
    expect(created).toBe('tools/create_schedule default/helper/s1/t1 anna created');
  });

  it('list by agent and by whether they are on', async () => {
    await call('create_schedule', { ...hourly, name: 'a' });
    await call('create_schedule', { ...hourly, name: 'b', enabled: false });
    await world.store.write((tx) =>
      world.writer.create(tx, systemOrigin('test'), {
        key: recordKey('Schedule', 'default', 'c'),
        spec: create(ScheduleSpecSchema, { intervalSeconds: 60, target: { agent: 'other' } }),
      }),
    );
    expect(await names({})).toEqual(['a', 'b', 'c']);
    expect(await names({ agent: 'helper' })).toEqual(['a', 'b']);
    expect(await names({ enabled: false, limit: 1 })).toEqual(['b']);
    expect(await call('create_schedule', { ...hourly, name: 'd' })).toMatchObject({ ok: false, code: 'unavailable' });
  });

  it('do their work once when a call runs again after a crash', async () => {
    const again = { idempotencyKey: 'same' };
    const made = await call('create_schedule', hourly, again);
    expect(await call('create_schedule', hourly, again)).toEqual(made);
    expect(await call('create_schedule', hourly)).toMatchObject({ ok: false, code: 'failed' });
    const gone = { idempotencyKey: 'gone' };
    await call('delete_schedule', { name: 'hourly' }, gone);
    await call('create_schedule', hourly);
    expect(await call('delete_schedule', { name: 'hourly' }, gone)).toEqual({ name: 'hourly', deleted: true });
    expect(await names({})).toEqual(['hourly']);
  });

  it('are limited to the modes of sessions that are granted', async () => {
    const onlyNew = { capabilities: { schedules: ['create:new', 'update'] } };
    expect(await tools.offered(onlyNew.capabilities)).toEqual(['create_schedule', 'update_schedule']);
    expect(await tools.offered({ schedules: ['update'] })).toEqual(['update_schedule']);
    expect((await call('create_schedule', hourly, onlyNew)).session_mode).toBe('new');
    const denied = { ok: false, code: 'denied' };
    const reuse = { ...hourly, name: 'two', session_mode: 'reuse' };
    expect(await call('create_schedule', reuse, onlyNew)).toMatchObject(denied);
    expect(await call('create_schedule', { ...hourly, name: 'two', session_id: 'x' }, onlyNew)).toMatchObject(denied);
    expect(await call('update_schedule', { ...hourly, session_mode: 'reuse' }, onlyNew)).toMatchObject(denied);
    expect(
      await call('update_schedule', { ...hourly, input_message: 'x' }, { capabilities: { schedules: ['update'] } }),
    ).toMatchObject({
      input_message: 'x',
      session_mode: 'new',
    });
    expect((await call('create_schedule', reuse, { capabilities: { schedules: ['create'] } })).session_mode).toBe(
      'reuse',
    );
    const notNamed = { capabilities: { schedules: ['create', { action: 'create:named', approval: 'deny' }] } };
    expect(await call('create_schedule', { ...reuse, name: 'x', session_mode: 'named' }, notNamed)).toMatchObject(
      denied,
    );
  });

  it('refuse fields by their names, and other namespaces without saying whether these exist', async () => {
    const bad = await call('create_schedule', { ...hourly, interval_seconds: 5, cron: '* * * * *' });
    expect([bad.code, bad.error]).toEqual(['invalid_arguments', expect.stringContaining('spec.cron')]);
    expect(await call('create_schedule', { name: 'a', kind: 'every', input_message: '' })).toMatchObject({
      code: 'invalid_arguments',
    });
    for (const namespace of ['system', 'no-such']) {
      const denied = { ok: false, code: 'denied', error: 'this agent may not use that namespace' };
      expect(await call('list_schedules', { namespace })).toMatchObject(denied);
      expect(await call('get_schedule', { name: 'a', namespace })).toMatchObject(denied);
    }
  });
});
