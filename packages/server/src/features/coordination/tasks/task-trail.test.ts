import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { TaskService } from '@svc/api/gateway';
import { TaskPhase, TaskSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Operation } from '../../../operations/index.ts';
import { recordKey } from '../../../resources/index.ts';
import type { StoredResource, TurnRow } from '../../../store/contracts/index.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import type { TrailPlace } from '../../trail-source.ts';
import { taskContract } from './task-kind.ts';
import { TaskMoves } from './task-moves.ts';
import { taskOperations } from './task-operations.ts';
import { originKeys, type TaskOrigin, taskCause } from './task-origin.ts';
import { taskTrail } from './task-trail.ts';

const times = { lifetimeMicros: 1_000_000, retentionMicros: 1_000_000 };
const asker = { turnId: 'turn-asker', namespace: 'other', agent: 'boss' };
const ORIGIN: TaskOrigin = { sessionId: 's1', identity: 'user:ann', lineage: [asker], connection: 'clerk' };

describe('the trail of a task', () => {
  let world: ResourceWorld;

  beforeEach(async () => {
    world = await openResourceWorld({ contracts: () => [taskContract(times)] });
    const moves = new TaskMoves({ writer: world.writer, times });
    const stopExecution = async (): Promise<void> => undefined;
    const furtherWork = async () => ({});
    (world.operations as Operation[]).push(
      ...taskOperations({ ...world, namespaces: world.directory, moves, stopExecution, furtherWork }),
    );
  });
  afterEach(() => world.close());

  const put = (
    name: string,
    spec: MessageInitShape<typeof TaskSpecSchema>,
    origin?: TaskOrigin,
  ): Promise<StoredResource> => {
    const key = recordKey('Task', 'default', name);
    const system = origin === undefined ? {} : { system: originKeys(origin) };
    const change = { key, spec: create(TaskSpecSchema, spec), ...system };
    return world.store.write(async (tx) => (await world.writer.put(tx, callContext('test'), change)).resource);
  };
  const read = (place: TrailPlace) => world.store.read((tx) => taskTrail.read(tx, place));
  const task = (id: string): TrailPlace => ({ kind: 'task', id, namespace: 'default' });
  const turn = (id: string): TrailPlace => ({ kind: 'turn', id, namespace: 'default' });
  const insertTurn = (id: string, cause: unknown): Promise<void> => {
    const body = JSON.stringify({ cause, userMessageIds: ['m1'] });
    const row = { ...TURN, id, body };
    return world.store.write((tx) => tx.log.insertTurn(row));
  };

  it('finds tasks by their names in their namespace only', async () => {
    await put('one', {});
    const find = (namespace: string, id: string) =>
      world.store.read(async (tx) => taskTrail.find?.(tx, { namespace, id }));
    expect(await find('default', 'one')).toEqual([{ kind: 'task', id: 'one', namespace: 'default' }]);
    expect([await find('default', 'two'), await find('system', 'one')]).toEqual([[], []]);
  });

  it('shows a declared task under way, by its description where it has no title', async () => {
    const { createdAt } = await put('one', { description: 'count\nthem' });
    expect(await read(task('one'))).toEqual({
      entries: [
        {
          kind: 'task',
          id: 'one',
          namespace: 'default',
          name: 'one',
          agent: '',
          at: createdAt,
          state: 'QUEUED',
          text: 'count them',
          causedBy: '',
        },
      ],
      links: [],
    });
  });

  it('shows a task that ended, with the turn that asked for it and the one that worked on it', async () => {
    await put('one', { title: 'Count', description: 'them', delegate: { name: 'clerk' } }, ORIGIN);
    const update = (phase: TaskPhase, more: object = {}) =>
      world.call(TaskService.method.updateTask, { ns: 'default', name: 'one', phase, ...more });
    await update(TaskPhase.RUNNING);
    await update(TaskPhase.SUCCEEDED);
    const key = recordKey('Task', 'default', 'one');
    const stored = (await world.store.read((tx) => tx.resources.get(key))) as StoredResource;
    const status = JSON.stringify({ ...JSON.parse(stored.status), executionRef: { runId: 'turn-work' } });
    const reading = await taskTrail.read(
      { resources: { get: async () => ({ ...stored, status }) } } as never,
      task('one'),
    );
    expect(reading?.entries).toMatchObject([
      {
        agent: 'clerk',
        state: 'SUCCEEDED',
        text: 'Count',
        causedBy: 'turn-asker',
        at: stored.createdAt,
        endedAt: stored.updatedAt,
      },
    ]);
    expect(reading?.links).toEqual([
      { kind: 'turn', id: 'turn-asker', namespace: 'other' },
      { kind: 'turn', id: 'turn-work', namespace: 'default' },
    ]);
  });

  it('leads from a turn to the task it works on, and says that the task caused its message', async () => {
    await insertTurn('t1', taskCause(recordKey('Task', 'default', 'one'), { identity: 'user:ann', lineage: [] }));
    expect(await read(turn('t1'))).toEqual({
      entries: [],
      links: [{ kind: 'task', id: 'one', namespace: 'default' }],
      causes: { m1: 'one' },
    });
  });

  it('leads from a turn to the tasks that it asked for, not to those of other turns of its session', async () => {
    await insertTurn('turn-asker', { kind: 'user', identity: 'user:ann', labels: {}, lineage: [] });
    await put('mine', {}, ORIGIN);
    await put('of-another-turn', {}, { ...ORIGIN, lineage: [{ ...asker, turnId: 't9' }] });
    await put('of-another-session', {}, { ...ORIGIN, sessionId: 's2' });
    expect(await read(turn('turn-asker'))).toEqual({
      entries: [],
      links: [{ kind: 'task', id: 'mine', namespace: 'default' }],
      causes: {},
    });
  });

  it('knows nothing of records that are gone or that are no tasks', async () => {
    expect(await read(task('none'))).toBeUndefined();
    expect(await read(turn('none'))).toBeUndefined();
    expect(await read({ kind: 'delivery', id: 'one', namespace: 'default' })).toBeUndefined();
  });
});

const TURN: TurnRow = {
  id: '',
  sessionId: 's1',
  namespace: 'default',
  agent: 'helper',
  admission: 1,
  state: 'RUNNING',
  ready: false,
  attempt: 1,
  fence: 1,
  worker: '',
  claimExpiresAt: 0,
  stopRequested: false,
  wakeAt: 0,
  createdAt: 1,
  finishedAt: 0,
  userMessageId: 'm1',
  body: '{}',
};
