import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { GatewayService, type ListSchedulesResponse, type ScheduleResponse } from '@svc/api/gateway';
import { ScheduleSpecSchema, WorkflowSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { kindContract, ReconcileLoop, StoredKindFacade, statusReconcilers } from '../../../controllers/index.ts';
import type { Operation } from '../../../operations/index.ts';
import { defaultLabelLimits, recordKey } from '../../../resources/index.ts';
import { isGivenDatabase } from '../../../store/postgres/testing/given-database.ts';
import { waitsInGivenStore } from '../../../store/testing/given-store.ts';
import { quietStore } from '../../../store/testing/quiet-store.ts';
import { NamespaceDirectory } from '../../authoring/namespaces/index.ts';
import { openResourceWorld } from '../../testing/index.ts';
import { createInputCheck } from './input-check.ts';
import { scheduleContract } from './schedule-kind.ts';
import { scheduleOperations } from './schedule-operations.ts';
import { SCHEDULE_TIMER } from './schedule-timer.ts';

const { method } = GatewayService;
const ORIGIN = { requestId: '', operation: 'test', caller: { identity: 'test' } };
type Spec = MessageInitShape<typeof ScheduleSpecSchema>;

/** Nothing is due in these tests. */
const noRuns = {
  admit: () => Promise.reject(new Error('nothing runs here')),
  create: () => Promise.reject(new Error('nothing runs here')),
};

const openWorld = async (dataDir?: string) => {
  const world = await openResourceWorld({
    ...(dataDir === undefined ? {} : { dataDir }),
    contracts: () => [
      kindContract({ kind: 'Workflow', validate: () => [] }),
      scheduleContract({
        ...{
          namespaces: new NamespaceDirectory(),
          now: () => world.store.now(),
          minSpacingSeconds: 1,
          schedulesMax: 4,
          inputCheck: createInputCheck(),
        },
      }),
    ],
  });
  const { store, writer, views, feed, clock, random } = world;
  (world.operations as Operation[]).push(
    ...scheduleOperations({
      store,
      writer,
      views,
      limits: { ...defaultLabelLimits, minSpacingSeconds: 1 },
      audit: async () => undefined,
      namespaces: new NamespaceDirectory(),
      admission: noRuns,
      lifecycle: noRuns,
      runs: { startRun: noRuns.create, isOver: async () => true },
      schedules: new StoredKindFacade('Schedule', { store, writer, responseBytes: 1 << 20 }),
    }),
  );
  const [controller] = statusReconcilers({ store, writer, seal: world.seal }, world.contracts).filter(({ kinds }) =>
    kinds.includes('Schedule'),
  );
  if (controller === undefined) throw new Error('nothing reconciles schedules');
  const loop = new ReconcileLoop(controller, { ...{ store, feed, clock, random, log: silentLog } });
  loop.start();
  return { ...world, loop, controller };
};

describe('schedules', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;

  beforeEach(async () => {
    world = await openWorld();
    await world.call(method.createAgent, { ns: 'default', name: 'helper' });
  });
  afterEach(async () => {
    world.loop.close();
    await world.close();
  });

  const target = { agent: 'helper' };
  const make = (name: string, spec: Spec, metadata: object = {}): Promise<ScheduleResponse> => {
    const schedule = { metadata: { name, ...metadata }, spec: { target, ...spec } };
    return world.call(method.createSchedule, { ns: 'default', schedule } as never);
  };
  const modify = (name: string, spec: Spec, metadata: object = {}): Promise<ScheduleResponse> => {
    const schedule = { metadata, spec: { target, ...spec } };
    return world.call(method.modifySchedule, { ns: 'default', name, schedule } as never);
  };
  const read = (name: string, preview = 0): Promise<ScheduleResponse> =>
    world.call(method.getSchedule, { ns: 'default', name, preview });
  const timers = () =>
    world.store.write(async (tx) => {
      const items = await tx.queue.take([SCHEDULE_TIMER], Number.MAX_SAFE_INTEGER, 1, 100);
      for (const item of items) await tx.queue.retry(item.kind, item.key, item.token, item.dueAt, item.payload);
      return items.map(({ key, dueAt, payload }) => ({
        key,
        dueAt,
        fence: JSON.parse(payload) as Record<string, string>,
      }));
    });
  const reconcile = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await quietStore(world.store);
      await world.loop.tick();
    }
  };
  const now = (): number => world.store.now();
  const conditions = ({ schedule }: ScheduleResponse) =>
    schedule?.status?.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

  it('are created armed for their next run, with a timer in the same transaction', async () => {
    const made = await make('tick', { intervalSeconds: 60 });
    const status = made.schedule?.status;
    expect(made.schedule?.spec).toMatchObject({ enabled: true, kind: '' });
    expect(made.schedule?.metadata?.annotations).toEqual({});
    expect(status).toMatchObject({
      phase: 'Ready',
      revision: 1n,
      backendArmed: true,
      nextRunAt: BigInt(now() + 60_000_000),
    });
    expect(status?.backendHandle).toBe('schedule.timer/default/tick');
    expect(conditions(made)).toEqual(['Ready True Ready', 'Armed True Armed', 'TargetResolved True Resolved']);
    expect(status?.recentEvents.map(({ phase, outcome }) => `${phase}/${outcome}`)).toEqual([
      'initialize/ready',
      'arm/armed',
    ]);
    expect([status?.claimedRunAt, status?.claimExpiresAt, status?.lastRunAt]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const fence = { uid: made.schedule?.metadata?.uid, revision: '1', runAt: String(status?.nextRunAt) };
    expect(await timers()).toEqual([{ key: 'default/tick', dueAt: Number(status?.nextRunAt), fence }]);
    expect((await read('tick')).schedule).toEqual(made.schedule);
  });

  it('are refused with all faults, and nothing is stored', async () => {
    const failure = (await make('a/b', { cron: 'x', timezone: 'y z', target: {} }, { labels: { 'svc/a': 'b' } }).catch(
      (error: unknown) => error,
    )) as { violations: { field: string }[] };
    const fields = ['metadata.name', 'spec.cron', 'spec.timezone', 'spec.target'];
    expect(failure.violations.map(({ field }) => field)).toEqual(fields);
    const bare = world.call(method.createSchedule, { ns: 'default' });
    await expect(bare).rejects.toMatchObject({ violations: [{ field: 'metadata.name' }, { field: 'spec' }] });
    await expect(
      make('a', { intervalSeconds: 5 }, { annotations: { 'option.svc/overlap': 'x' } }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(((await world.call(method.listSchedules, { ns: 'default' })) as ListSchedulesResponse).schedules).toEqual(
      [],
    );
    expect(await timers()).toEqual([]);
  });

  it('whose one time has come may be written as they are, and given no other time that has passed', async () => {
    const at = (micros: number): string => new Date(Math.floor(micros / 1_000)).toISOString();
    const spec = { kind: 'at', runAt: at(now() + 60_000_000) };
    await make('once', spec);
    world.clock.advance(120_000);
    const armed = await modify('once', spec, { labels: { team: 'a' } });
    expect(armed.schedule?.status).toMatchObject({ phase: 'Ready', revision: 2n, backendArmed: true });
    expect((await modify('once', spec, { labels: { team: 'a' } })).schedule?.status?.revision).toBe(3n);
    for (const later of [
      { ...spec, runAt: at(now() - 1_000_000) },
      { ...spec, inputMessage: 'other' },
    ])
      await expect(modify('once', later)).rejects.toMatchObject({ violations: [{ reason: 'RUN_AT_PAST' }] });
  });

  it('ignore a status that a client sends', async () => {
    const schedule = {
      metadata: { name: 'a' },
      spec: { intervalSeconds: 5, target },
      status: { revision: 9n, lastError: 'x' },
    };
    const made = (await world.call(method.createSchedule, { ns: 'default', schedule })) as ScheduleResponse;
    expect(made.schedule?.status).toMatchObject({ revision: 1n, phase: 'Ready' });
    expect(made.schedule?.status?.lastError).toBeUndefined();
  });

  it('keep their grid unless kind, interval or enabled change, and count a revision per modify', async () => {
    const made = await make('tick', { intervalSeconds: 60 });
    world.clock.advance(90_000);
    const again = await modify('tick', { intervalSeconds: 60, inputMessage: 'hi' });
    expect(again.schedule?.status?.revision).toBe(2n);
    expect(again.schedule?.status?.nextRunAt).toBe((made.schedule?.status?.nextRunAt ?? 0n) + 60_000_000n);
    const same = await modify('tick', { intervalSeconds: 60, inputMessage: 'hi' });
    expect([same.schedule?.status?.revision, same.schedule?.metadata?.generation]).toEqual([3n, 2n]);
    expect((await timers())[0]?.fence['revision']).toBe('3');
    const other = await modify('tick', { intervalSeconds: 30, inputMessage: 'hi' });
    expect(other.schedule?.status?.nextRunAt).toBe(BigInt(now() + 30_000_000));
    const stale = modify(
      'tick',
      { intervalSeconds: 30 },
      { resourceVersion: made.schedule?.metadata?.resourceVersion },
    );
    await expect(stale).rejects.toMatchObject({ reason: 'CONFLICT' });
    await expect(modify('none', { intervalSeconds: 30 })).rejects.toMatchObject({ reason: 'SCHEDULE_NOT_FOUND' });
    const bare = world.call(method.modifySchedule, { ns: 'default', name: 'tick' });
    await expect(bare).rejects.toMatchObject({ violations: [{ field: 'spec' }] });
  });

  it('have no next run while disabled', async () => {
    const off = await make('tick', { cron: '@daily', enabled: false });
    expect(off.schedule?.status).toMatchObject({ phase: 'Disabled', backendArmed: false });
    expect([off.schedule?.status?.nextRunAt, (await read('tick', 3)).nextRuns, await timers()]).toEqual([
      undefined,
      [],
      [],
    ]);
    const on = await modify('tick', { cron: '@daily' });
    expect(on.schedule?.status).toMatchObject({ phase: 'Ready', backendArmed: true });
    const events = (await modify('tick', { cron: '@daily', enabled: false })).schedule?.status?.recentEvents;
    expect(events?.map(({ phase, outcome }) => `${phase}/${outcome}`)).toEqual([
      'initialize/disabled',
      'arm/armed',
      'arm/disarmed',
    ]);
    expect(await timers()).toEqual([]);
  });

  it('show a preview of at most 20 runs', async () => {
    const { schedule } = await make('tick', { intervalSeconds: 60 });
    const first = Number(schedule?.status?.nextRunAt);
    expect((await read('tick', 3)).nextRuns.map(Number)).toEqual([first, first + 60e6, first + 120e6]);
    expect((await read('tick')).nextRuns).toEqual([]);
    await expect(read('tick', 21)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await make('once', { runAt: new Date(now() / 1_000 + 5_000).toISOString() });
    expect((await read('once', 20)).nextRuns.length).toBe(1);
  });

  it('are listed, deleted with their timer, and not found', async () => {
    for (const name of ['b', 'a', 'c']) await make(name, { intervalSeconds: 60 });
    const first = (await world.call(method.listSchedules, { ns: 'default', pageSize: 2 })) as ListSchedulesResponse;
    expect(first.schedules.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
    const pageToken = first.nextPageToken;
    const rest = (await world.call(method.listSchedules, {
      ns: 'default',
      pageSize: 2,
      pageToken,
    })) as ListSchedulesResponse;
    expect(rest.schedules.map(({ metadata }) => metadata?.name)).toEqual(['c']);
    await world.call(method.deleteSchedule, { ns: 'default', name: 'a' });
    expect((await timers()).map(({ key }) => key).toSorted()).toEqual(['default/b', 'default/c']);
    await expect(read('a')).rejects.toMatchObject({ reason: 'SCHEDULE_NOT_FOUND' });
    await expect(world.call(method.deleteSchedule, { ns: 'default', name: 'a' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('run no more once they wait for their deletion, whoever modifies them then', async () => {
    await make('held', { intervalSeconds: 60 }, { finalizers: ['team.example/hold'] });
    await reconcile();
    await world.call(method.deleteSchedule, { ns: 'default', name: 'held' });
    await reconcile();
    expect(await timers()).toEqual([]);
    const held = await read('held');
    expect(held.schedule?.status).toMatchObject({ backendArmed: false });
    expect(held.schedule?.status?.nextRunAt).toBeUndefined();
    expect(conditions(held)).toContain('Armed False Deleting');
    for (const intervalSeconds of [60, 120])
      await expect(modify('held', { intervalSeconds })).rejects.toMatchObject({ reason: 'RESOURCE_DELETING' });
    expect(await timers()).toEqual([]);
  });

  it('are limited per namespace', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await make(name, { intervalSeconds: 60 });
    await expect(make('e', { intervalSeconds: 60 })).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' });
    await expect(make('a', { intervalSeconds: 60 })).rejects.toMatchObject({ reason: 'SCHEDULE_EXISTS' });
  });

  it.runIf(isGivenDatabase())('are not more than their limit when two nodes make the last one together', async () => {
    for (const name of ['a', 'b', 'c']) await make(name, { intervalSeconds: 60 });
    const node = await openWorld(world.dataDir);
    // Ids of both worlds come from the same seed.
    node.clock.advance(1_000);
    const [isPlaced, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const place = ({ store, writer }: typeof world, name: string, placed: () => Promise<void>) =>
      store.write(async (tx) => {
        const spec = create(ScheduleSpecSchema, { target, intervalSeconds: 60 });
        await writer.create(tx, ORIGIN, { key: recordKey('Schedule', 'default', name), spec });
        await placed();
      });
    try {
      const first = place(world, 'd', () => {
        isPlaced.resolve();
        return mayEnd.promise;
      });
      await isPlaced.promise;
      let isOver = false;
      const both = Promise.allSettled([first, place(node, 'e', async () => undefined).finally(() => (isOver = true))]);
      await expect.poll(async () => isOver || (await waitsInGivenStore(world.dataDir))).toBe(true);
      mayEnd.resolve();
      expect(await both).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { reason: 'QUOTA_EXCEEDED' } },
      ]);
    } finally {
      node.loop.close();
      await node.close(true);
    }
  });

  it('become resolved when their target comes and degraded when it goes', async () => {
    const made = await make('tick', { intervalSeconds: 600, target: { agent: 'later' } });
    expect([made.schedule?.status?.phase, conditions(made)?.[2]]).toEqual([
      'Degraded',
      'TargetResolved False AgentNotFound',
    ]);
    await world.call(method.createAgent, { ns: 'default', name: 'later' });
    await reconcile();
    const resolved = await read('tick');
    expect([resolved.schedule?.status?.phase, resolved.schedule?.status?.revision]).toEqual(['Ready', 1n]);
    await world.store.write((tx) => world.writer.remove(tx, ORIGIN, { key: recordKey('Agent', 'default', 'later') }));
    await reconcile();
    expect((await read('tick')).schedule?.status?.phase).toBe('Degraded');
  });

  it('check their input against the schema of a workflow that exists', async () => {
    const schema = JSON.stringify({ type: 'object', required: ['city'] });
    const spec = create(WorkflowSpecSchema, { inputSchemaJson: schema });
    await world.store.write((tx) =>
      world.writer.create(tx, ORIGIN, { key: recordKey('Workflow', 'default', 'flow'), spec }),
    );
    const flow = (inputJson: string): Spec => ({ intervalSeconds: 60, target: { workflow: 'flow' }, inputJson });
    await expect(make('a', flow(''))).rejects.toMatchObject({
      violations: [{ field: 'spec.inputJson', reason: 'INPUT_JSON' }],
    });
    expect((await make('a', flow('{"city":"Rome"}'))).schedule?.status?.phase).toBe('Ready');
    const other = await make('b', { intervalSeconds: 60, target: { workflow: 'none' } });
    expect(conditions(other)).toContain('TargetResolved False WorkflowNotFound');
  });

  it('stay due at their instant until it has run, however late', async () => {
    const made = await make('tick', { intervalSeconds: 120 });
    const once = await make('once', { runAt: new Date(now() / 1_000 + 60_000).toISOString() });
    await reconcile();
    world.clock.advance(300_000);
    await reconcile();
    for (const [name, before] of [
      ['tick', made],
      ['once', once],
    ] as const) {
      const status = (await read(name)).schedule?.status;
      expect([status?.nextRunAt, status?.revision]).toEqual([before.schedule?.status?.nextRunAt, 1n]);
    }
    expect((await timers()).find(({ key }) => key === 'default/tick')?.dueAt).toBe(
      Number(made.schedule?.status?.nextRunAt),
    );
  });

  it('are disarmed with their namespace and armed again when it comes back', async () => {
    await world.call(method.createNamespace, { name: 'team' });
    const schedule = { metadata: { name: 'tick' }, spec: { intervalSeconds: 600, target } };
    await world.call(method.createSchedule, { ns: 'team', schedule });
    await reconcile();
    await world.call(method.deleteNamespace, { name: 'team' });
    await reconcile();
    const gone = (await world.call(method.getSchedule, { ns: 'team', name: 'tick' })) as ScheduleResponse;
    expect(gone.schedule?.status).toMatchObject({ backendArmed: false, phase: 'Disabled' });
    expect(conditions(gone)).toContain('Armed False NamespaceDeleted');
    expect(await timers()).toEqual([]);
    await world.call(method.createNamespace, { name: 'team' });
    await reconcile();
    const back = (await world.call(method.getSchedule, { ns: 'team', name: 'tick' })) as ScheduleResponse;
    expect(back.schedule?.status?.backendArmed).toBe(true);
    expect((await timers()).length).toBe(1);
  });
});
