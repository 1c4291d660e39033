import { AdminService, type ListWorkerClaimsResponse } from '@svc/api/gateway';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Operation } from '../../../operations/index.ts';
import { scheduleClaims } from '../../coordination/schedules/schedule-claims.ts';
import { runClaims } from '../../coordination/workflows/record/index.ts';
import { openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { workerOperations } from './worker-operations.ts';
import { emptyWorkerSpec, WORKER_ORIGIN, workerContract, workerKey } from './worker-records.ts';

const LEASE = 10_000_000;
const RUN = '01900000-0000-7000-8000-000000000001';
let world: ResourceWorld;

beforeEach(async () => {
  world = await openResourceWorld({ contracts: () => [workerContract()] });
  const sources = () => [scheduleClaims, runClaims];
  (world.operations as Operation[]).push(...workerOperations({ ...world, sources }));
  await world.store.write(async (tx) => {
    for (const name of ['w1', 'w2'])
      await world.writer.create(tx, WORKER_ORIGIN, { key: workerKey(name), spec: emptyWorkerSpec() });
  });
});
afterEach(() => world.close());

const list = (request: object): Promise<ListWorkerClaimsResponse> =>
  world.call(AdminService.method.listWorkerClaims, request);

/** Puts an item of the queue, its kind and key, and takes it as a worker. */
const take = (owner: string, item: string, payload = '{}'): Promise<number> =>
  world.store.write(async (tx) => {
    const [kind = '', key = ''] = item.split(' ');
    const now = ['schedule.timer', 'workflow.expiry'].includes(kind) ? tx.now() : tx.steadyNow();
    await tx.queue.put({ kind, key, dueAt: now, attempts: 0, payload });
    await tx.queue.take([kind], now, LEASE, 1, owner);
    return tx.now();
  });

it('are the schedules and runs that the worker took, in pages', async () => {
  await world.store.write((tx) =>
    tx.workflowRuns.put({
      id: RUN,
      namespace: 'acme',
      workflow: 'refund',
      workflowUid: 'u',
      status: 'RUNNING',
      body: '{}',
    }),
  );
  const at = await take('w1', 'schedule.timer acme/daily');
  await take('w1', `workflow.tool ${RUN}/letter/1`);
  await take('w1', 'workflow.turn some-turn', JSON.stringify({ runId: RUN }));
  await take('w1', 'workflow.advance a-run-that-is-gone');
  await take('w2', 'schedule.timer acme/weekly');
  const { claims, nextPageToken } = await list({ name: 'w1' });
  expect(claims.map(({ kind, ns, name, id, state, tries }) => [kind, ns, name, id, state, tries])).toEqual([
    ['run', 'acme', 'refund', RUN, 'tool', 1],
    ['run', 'acme', 'refund', RUN, 'turn', 1],
    ['schedule', 'acme', 'daily', 'daily', 'firing', 1],
  ]);
  expect(nextPageToken).toBe('');
  expect([claims[2]?.since, claims[2]?.until]).toEqual([BigInt(at), BigInt(at + LEASE)]);
  const first = await list({ name: 'w1', pageSize: 2 });
  const second = await list({ name: 'w1', pageSize: 2, pageToken: first.nextPageToken });
  expect([...first.claims, ...second.claims].map(({ state }) => state)).toEqual(['tool', 'turn', 'firing']);
  expect((await list({ name: 'w2' })).claims.map(({ name }) => name)).toEqual(['weekly']);
});

it('of one run and state are all listed, also where a page ends between them', async () => {
  await world.store.write((tx) =>
    tx.workflowRuns.put({
      id: RUN,
      namespace: 'acme',
      workflow: 'flow',
      workflowUid: 'u',
      status: 'RUNNING',
      body: '{}',
    }),
  );
  for (const step of ['a', 'b', 'c']) await take('w1', `workflow.tool ${RUN}/${step}/1`);
  await take('w1', `workflow.expiry ${RUN}`);
  const first = await list({ name: 'w1', pageSize: 2 });
  const second = await list({ name: 'w1', pageSize: 2, pageToken: first.nextPageToken });
  expect([first, second].map(({ claims }) => claims.map(({ state }) => state))).toEqual([
    ['expiry', 'tool'],
    ['tool', 'tool'],
  ]);
});

it('are no longer those whose time is over', async () => {
  await take('w1', 'schedule.timer acme/daily');
  world.clock.advance(LEASE / 1_000);
  expect((await list({ name: 'w1' })).claims).toEqual([]);
});

it('are refused for a worker that is not known, and for the token of another list', async () => {
  await expect(list({ name: 'nobody' })).rejects.toMatchObject({ reason: 'WORKER_NOT_FOUND' });
  await expect(list({ name: 'w1', pageToken: 'x' })).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' });
});
