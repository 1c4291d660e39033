import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type TaskResponse, TaskService, type UpdateTaskRequestSchema } from '@svc/api/gateway';
import { TaskPhase, TaskSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { QueueRunner, type QueueWorker } from '../../../controllers/index.ts';
import type { Operation } from '../../../operations/index.ts';
import { formatKey, recordKey } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { taskContract } from './task-kind.ts';
import { TaskMoves } from './task-moves.ts';
import { taskOperations } from './task-operations.ts';
import { TaskTimer } from './task-timer.ts';
import { TASK_TIMER } from './task-timers.ts';
import type { SendFurtherWork } from './task-work.ts';

const HOUR = 3_600_000_000;
const times = { lifetimeMicros: HOUR, retentionMicros: 2 * HOUR };
const key = recordKey('Task', 'default', 'one');

describe('tasks', () => {
  let world: ResourceWorld;
  let stopped: number;

  beforeEach(async () => {
    stopped = 0;
    world = await openResourceWorld({ contracts: () => [taskContract(times)] });
    (world.operations as Operation[]).push(
      ...taskOperations({ ...world, namespaces: world.directory, moves: moves(), stopExecution, furtherWork }),
    );
  });
  afterEach(() => world.close());

  const stopExecution = async (): Promise<void> => void stopped++;
  const furtherWork: SendFurtherWork = async (_tx, _record, { text }) => ({ progressSummary: text });
  const moves = (kept = times) => new TaskMoves({ writer: world.writer, times: kept });
  const put = (spec: MessageInitShape<typeof TaskSpecSchema>): Promise<StoredResource> =>
    world.store.write(
      async (tx) =>
        (await world.writer.put(tx, callContext('test'), { key, spec: create(TaskSpecSchema, spec) })).resource,
    );
  const update = async (request: MessageInitShape<typeof UpdateTaskRequestSchema>): Promise<TaskResponse> =>
    world.call(TaskService.method.updateTask, { ns: 'default', name: 'one', ...request });
  const timer = () => new TaskTimer({ ...world, moves: moves(), stopExecution });
  const due = async () => {
    const [item] = await world.store.write((tx) => tx.queue.take([TASK_TIMER], Number.MAX_SAFE_INTEGER, 0, 10));
    return item ?? { kind: TASK_TIMER, key: '', payload: JSON.stringify(key) };
  };

  it('begin queued, with a time to end by, and keep their phase when their spec changes', async () => {
    const stored = await put({ title: 'a', delegate: { name: 'helper' } });
    expect(JSON.parse(stored.status)).toMatchObject({
      phase: 'TASK_PHASE_QUEUED',
      expiresAt: String(world.store.now() + times.lifetimeMicros),
      conditions: [{ type: 'Ready' }, { type: 'DelegatedExecution', status: 'Unknown' }],
    });
    await update({ phase: TaskPhase.RUNNING });
    expect(JSON.parse((await put({ title: 'b' })).status)).toMatchObject({
      phase: 'TASK_PHASE_RUNNING',
      observedGeneration: '2',
    });
  });

  it('name the agents they concern', async () => {
    const refused = put({ owner: { name: 'a b', namespace: ':' }, delegate: { name: '' } });
    await expect(refused).rejects.toMatchObject({
      violations: [{ field: 'spec.owner.name' }, { field: 'spec.owner.namespace' }, { field: 'spec.delegate.name' }],
    });
  });

  it('are moved by the table, and only by it', async () => {
    await put({});
    await expect(update({ phase: TaskPhase.SUCCEEDED })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'TASK_PHASE',
      metadata: { phase: 'QUEUED' },
    });
    const running = await update({ phase: TaskPhase.RUNNING, progressSummary: 'half' });
    expect(running.task?.status).toMatchObject({ phase: TaskPhase.RUNNING, progressSummary: 'half' });
    const same = await update({ phase: TaskPhase.RUNNING });
    expect(same.task?.metadata?.resourceVersion).toBe(running.task?.metadata?.resourceVersion);
    const done = await update({ phase: TaskPhase.SUCCEEDED });
    expect(done.task?.status).toMatchObject({
      progressSummary: 'half',
      completedAt: BigInt(world.store.now()),
      expiresAt: BigInt(world.store.now() + times.retentionMicros),
    });
    expect((await update({ progressSummary: 'late note' })).task?.status?.progressSummary).toBe('late note');
    await expect(update({ phase: TaskPhase.RUNNING })).rejects.toMatchObject({ reason: 'TASK_PHASE' });
    const rows = await world.store.direct.audit.list({ limit: 100 });
    expect(rows.filter((row) => row.target === formatKey(key)).map((row) => row.outcome)).toEqual([
      'updated',
      'updated',
      'updated',
      'created',
    ]);
  });

  it('stop their execution when they are canceled', async () => {
    await put({});
    await update({ phase: TaskPhase.CANCELED });
    await update({ phase: TaskPhase.CANCELED });
    expect(stopped).toBe(1);
  });

  it('refuse what is malformed, missing or stale', async () => {
    await expect(update({})).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    await expect(update({ ns: 'none' })).rejects.toMatchObject({ reason: 'NAMESPACE_MISSING' });
    await put({});
    await expect(update({ resourceVersion: '1' })).rejects.toMatchObject({ reason: 'CONFLICT' });
    await expect(update({ phase: 99 as TaskPhase })).rejects.toMatchObject({ violations: [{ field: 'phase' }] });
    await expect(update({ progressSummary: 'x'.repeat(20_000) })).rejects.toMatchObject({
      violations: [{ field: 'progressSummary' }],
    });
  });

  it('expire at their time, and are removed when they were kept long enough', async () => {
    await put({});
    expect(await timer().run(await due())).toEqual({ againMs: times.lifetimeMicros / 1000 });
    world.clock.advance(times.lifetimeMicros / 1000);
    expect(await timer().run(await due())).toEqual({ againMs: times.retentionMicros / 1000 });
    const record = await world.store.direct.resources.get(key);
    expect([JSON.parse(record?.status ?? '{}').phase, stopped]).toEqual(['TASK_PHASE_EXPIRED', 1]);
    world.clock.advance(times.retentionMicros / 1000);
    expect(await timer().run(await due())).toEqual({ done: true });
    expect(await world.store.direct.resources.get(key)).toBeUndefined();
    expect(await timer().run(await due())).toEqual({ done: true });
  });

  it('expire once when the clock of the machine is set past their time, whatever it is set to then', async () => {
    const ran: string[] = [];
    const waiting: QueueWorker = {
      kinds: ['wait'],
      run: async ({ kind }) => {
        ran.push(kind);
        return { done: true };
      },
    };
    const runner = new QueueRunner({ ...world, log: silentLog, pollMs: 1_000, workers: [timer(), waiting] });
    const phase = async (): Promise<unknown> =>
      JSON.parse((await world.store.direct.resources.get(key))?.status ?? '{}').phase;
    await put({});
    await world.store.write((tx) =>
      tx.queue.put({ kind: 'wait', key: 'one', dueAt: tx.steadyNow() + HOUR, attempts: 0, payload: '' }),
    );
    await runner.tick();
    expect([await phase(), stopped]).toEqual(['TASK_PHASE_QUEUED', 0]);
    for (const stepMs of [HOUR, -HOUR, HOUR]) {
      world.clock.stepWallClock(stepMs / 1_000);
      await runner.tick();
      expect([await phase(), stopped, ran]).toEqual(['TASK_PHASE_EXPIRED', 1, []]);
    }
    world.clock.advance(HOUR / 1_000);
    await runner.tick();
    expect([await phase(), stopped, ran]).toEqual(['TASK_PHASE_EXPIRED', 1, ['wait']]);
    runner.close();
  });

  it('stay for ever when nothing bounds their retention', async () => {
    const kept = { ...times, retentionMicros: 0 };
    await put({});
    world.clock.advance(times.lifetimeMicros / 1000);
    const worker = new TaskTimer({ ...world, moves: moves(kept), stopExecution });
    expect(await worker.run(await due())).toEqual({ done: true });
    expect(await worker.run(await due())).toEqual({ done: true });
    expect(await world.store.direct.resources.get(key)).toBeDefined();
  });
});
