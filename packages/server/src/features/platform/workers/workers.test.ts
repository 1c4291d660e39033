import { AdminService, type DrainWorkerResponse } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Operation } from '../../../operations/index.ts';
import { parseJsonMap } from '../../../resources/index.ts';
import type { ResourceChange, StoredResource } from '../../../store/contracts/index.ts';
import { openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { workerOperations } from './worker-operations.ts';
import { emptyWorkerSpec, WORKER_ORIGIN, workerContract, workerKey } from './worker-records.ts';
import { WorkerRegistration } from './worker-registration.ts';
import { HEARTBEAT_MS } from './worker-rules.ts';
import { WorkerWatch } from './worker-watch.ts';

describe('workers', () => {
  let world: ResourceWorld;
  let drained: number;

  beforeEach(async () => {
    drained = 0;
    world = await openResourceWorld({ contracts: () => [workerContract()] });
    (world.operations as Operation[]).push(...workerOperations({ ...world, sources: () => [] }));
  });
  afterEach(() => world.close());

  const registration = (workerId = 'w1') =>
    new WorkerRegistration({
      store: world.store,
      clock: world.clock,
      writer: () => world.writer,
      workerId,
      version: '1.0',
      endpoints: [{ url: 'http://a', protocol: 'http', audience: 'svc' }],
      isBusReachable: () => true,
      drain: async () => void drained++,
    });
  const watch = () => new WorkerWatch({ store: world.store, writer: () => world.writer });
  const record = (name = 'w1'): Promise<StoredResource | undefined> =>
    world.store.direct.resources.get(workerKey(name));
  const phase = async (name = 'w1') => parseJsonMap((await record(name))?.status ?? '{}')?.['phase'];
  const follow = async (worker: WorkerRegistration): Promise<void> => {
    const change = { change: 'updated', resource: await record() } as ResourceChange;
    const reconciler = worker.reconciler();
    if (!reconciler.concerns(change)) return;
    for (const key of await reconciler.keysFor(change, world.store.direct.resources)) await reconciler.reconcile(key);
  };

  it('have a record from their start, whose times move without a new version', async () => {
    const worker = registration();
    await worker.heartbeat();
    const first = await record();
    expect(parseJsonMap(first?.status ?? '')).toMatchObject({
      phase: 'ready',
      version: '1.0',
      endpoints: [{ url: 'http://a' }],
    });
    world.clock.advance(HEARTBEAT_MS);
    await worker.heartbeat();
    expect((await record())?.version).toBe(first?.version);
    const times = (await world.store.direct.resources.activity([first?.uid ?? ''])).get(first?.uid ?? '');
    expect(parseJsonMap(times ?? '')).toEqual({
      heartbeatAt: String(world.store.now()),
      expiresAt: String(world.store.now() + 30_000_000),
      heardUntil: String(world.store.steadyNow() + 30_000_000),
    });
  });

  it('are lost also when there are more than one page of them', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `w${String(index).padStart(4, '0')}`);
    await world.store.write(async (tx) => {
      for (const name of names)
        await world.writer.create(tx, WORKER_ORIGIN, { key: workerKey(name), spec: emptyWorkerSpec() });
    });
    await watch().tick();
    expect([await phase('w0000'), await phase('w1000')]).toEqual(['lost', 'lost']);
  });

  it('are lost when they fall silent, come back when they speak, and are collected a day later', async () => {
    const [silent, lively] = [registration('w1'), registration('w2')];
    await silent.heartbeat();
    for (let passed = 0; passed <= 30_000; passed += HEARTBEAT_MS) {
      await lively.heartbeat();
      await watch().tick();
      expect(await phase('w1')).toBe('ready');
      world.clock.advance(HEARTBEAT_MS);
    }
    await watch().tick();
    expect([await phase('w1'), await phase('w2')]).toEqual(['lost', 'ready']);
    await silent.heartbeat();
    expect(await phase('w1')).toBe('ready');
    world.clock.advance(40_000);
    await watch().tick();
    await watch().tick();
    expect(await phase('w1')).toBe('lost');
    world.clock.advance(86_400_000);
    await watch().tick();
    expect(await record('w1')).toBeUndefined();
  });

  it('live on when the clock of the machine is set, and show its time from then on', async () => {
    const worker = registration();
    await worker.heartbeat();
    const uid = (await record())?.uid ?? '';
    for (const stepMs of [3_600_000, -7_200_000]) {
      world.clock.stepWallClock(stepMs);
      await watch().tick();
      expect(await phase()).toBe('ready');
      await worker.heartbeat();
      const times = (await world.store.direct.resources.activity([uid])).get(uid) ?? '';
      expect(parseJsonMap(times)?.['heartbeatAt']).toBe(String(world.clock.nowMicros()));
    }
    world.clock.advance(31_000);
    await watch().tick();
    expect(await phase()).toBe('lost');
  });

  it('drain when they are told to: no endpoints, and nothing new', async () => {
    const worker = registration();
    await worker.heartbeat();
    await follow(worker);
    expect(drained).toBe(0);
    const answer: DrainWorkerResponse = await world.call(AdminService.method.drainWorker, { name: 'w1' });
    expect(answer.worker?.status).toMatchObject({
      phase: 'draining',
      endpoints: [],
      heartbeatAt: BigInt(world.store.now()),
    });
    await follow(worker);
    await follow(worker);
    expect(drained).toBe(1);
    await worker.heartbeat();
    expect(await phase()).toBe('draining');
    const again: DrainWorkerResponse = await world.call(AdminService.method.drainWorker, { name: 'w1' });
    expect(again.worker?.metadata?.resourceVersion).toBe(answer.worker?.metadata?.resourceVersion);
    await expect(world.call(AdminService.method.drainWorker, { name: 'none' })).rejects.toMatchObject({
      reason: 'WORKER_NOT_FOUND',
    });
  });

  it('leave no record after an orderly end', async () => {
    const worker = registration();
    await worker.heartbeat();
    await worker.close();
    await worker.close();
    expect(await record()).toBeUndefined();
  });
});
