import { toJson } from '@bufbuild/protobuf';
import { WorkflowRunEventSchema } from '@svc/api/data';
import type { ListRunsResponse, RunResponse } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../../base/index.ts';
import { type RunState, rowOfRun } from '../record/index.ts';
import { RunWorld } from '../testing/index.ts';

let world: RunWorld;
beforeEach(async () => {
  world = new RunWorld({ settings: { 'limits.runsActiveMax': 6 } });
  await world.start();
  await world.put('flow', {
    steps: [{ id: 'one', type: 'pause', prompt: 'go?' }],
    inputSchemaJson: '{"type":"object","properties":{"n":{"type":"number"}}}',
  });
  await world.put('short', { steps: [{ id: 'one', type: 'transform' }] });
});
afterEach(() => world.close());

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ code, reason, violations: [first] }: Fault) => `${code} ${first?.field ?? ''} ${first?.reason ?? reason}`,
  );
const start = (request: object, key = '') => world.call('createRun', { workflow: 'flow', ...request }, key);

describe('CreateRun', () => {
  it.each([
    ['a workflow that is missing', { workflow: 'none' }, 'NOT_FOUND  WORKFLOW_NOT_FOUND'],
    ['an input that is not JSON', { inputJson: '{' }, 'INVALID_ARGUMENT inputJson INPUT_JSON'],
    ['an input that does not fit', { inputJson: '{"n":"x"}' }, 'INVALID_ARGUMENT inputJson INPUT_SCHEMA'],
    [
      'a large input',
      { inputJson: JSON.stringify({ t: 'x'.repeat(5_000) }) },
      'RESOURCE_EXHAUSTED inputJson TOO_LARGE',
    ],
    ['a label of the system', { labels: { 'svc/x': 'y' } }, 'INVALID_ARGUMENT labels[svc/x] SYSTEM_LABEL'],
  ])('is refused with %s', async (_, request, expected) => {
    expect(await outcome(start(request))).toBe(expected);
    expect(await world.runs()).toEqual([]);
  });

  it('is refused while what the workflow refers to is missing, and not for the order of its references', async () => {
    await world.put('lost', { steps: [{ id: 'a', type: 'agent', agent: 'nobody', prompt: 'x' }] });
    expect(await outcome(start({ workflow: 'lost' }))).toBe('FAILED_PRECONDITION  REFERENCE_MISSING');
    await world.put('loose', {
      steps: [
        { id: 'a', type: 'transform' },
        { id: 'b', type: 'transform', inputJson: '"${$.steps.a.output}"' },
      ],
    });
    expect(await outcome(start({ workflow: 'loose' }))).toBe('done');
  });

  it('begins one run for one key', async () => {
    const first = (await start({ inputJson: '{"n":1}' }, 'k')) as RunResponse;
    const again = (await start({ inputJson: '{"n":1}' }, 'k')) as RunResponse;
    expect([again.run?.id, (await world.runs()).length]).toEqual([first.run?.id, 1]);
    expect(await outcome(start({ inputJson: '{"n":2}' }, 'k'))).toContain('IDEMPOTENCY_MISMATCH');
    expect(first.run).toMatchObject({ status: 'QUEUED', inputJson: '{"n":1}', workflow: 'flow', ns: 'default' });
    expect(JSON.parse(first.run?.specJson ?? '')).toMatchObject({ steps: [{ id: 'one' }] });
  });

  it('is refused above the limit of unfinished runs, which finished ones do not count against', async () => {
    for (let count = 0; count < 8; count++) await world.run('short');
    for (let count = 0; count < 6; count++) await world.begin('flow');
    expect(await outcome(start({}))).toBe('RESOURCE_EXHAUSTED  RUNS_ACTIVE');
    await world.cancel((await world.runs()).at(-1)?.id ?? '');
    expect(await outcome(start({}))).toBe('done');
  });

  it('waits until the run rests, or the time is over', async () => {
    const suspended = start({ waitSeconds: 5 });
    await world.settle();
    await world.settle();
    expect(await suspended).toMatchObject({ run: { status: 'SUSPENDED' }, steps: [{ stepId: 'one' }] });
    const done = world.call('createRun', { workflow: 'short', waitSeconds: 5 });
    await expect.poll(async () => (await world.runs()).length).toBe(2);
    await world.settle();
    world.clock.advance(1_000);
    expect(await done).toMatchObject({ run: { status: 'COMPLETED' } });
    const queued = start({ waitSeconds: 2 });
    await expect.poll(async () => (await world.runs()).length).toBe(3);
    await expect
      .poll(async () => {
        world.clock.advance(1_000);
        return Promise.race([queued, Promise.resolve('waits')]);
      })
      .toMatchObject({ run: { status: 'QUEUED' } });
  });
});

describe('runs', () => {
  it('are listed newest first, by workflow, status and labels, in pages', async () => {
    for (const [workflow, team] of [
      ['flow', 'a'],
      ['short', 'b'],
      ['flow', 'b'],
      ['short', 'a'],
    ] as const)
      await world.call('createRun', { workflow, labels: { team } });
    await world.settle();
    const list = async (request: object) => {
      const { runs, nextPageToken } = (await world.call('listRuns', request)) as ListRunsResponse;
      return { found: runs.map((run) => `${run.workflow} ${run.labels['team']} ${run.status}`), nextPageToken };
    };
    const all = ['short a COMPLETED', 'flow b SUSPENDED', 'short b COMPLETED', 'flow a SUSPENDED'];
    expect((await list({ workflow: '-' })).found).toEqual(all);
    expect((await list({ workflow: 'flow' })).found).toEqual([all[1], all[3]]);
    expect((await list({ workflow: '-', status: 'SUSPENDED', labelSelector: 'team=a' })).found).toEqual([all[3]]);
    expect((await list({ workflow: 'short', labelSelector: 'team=b' })).found).toEqual([all[2]]);
    const first = await list({ workflow: '-', pageSize: 3 });
    expect(first.found).toEqual(all.slice(0, 3));
    expect(await list({ workflow: '-', pageSize: 3, pageToken: first.nextPageToken })).toEqual({
      found: all.slice(3),
      nextPageToken: '',
    });
    expect(await outcome(list({ workflow: 'none' }))).toBe('NOT_FOUND  WORKFLOW_NOT_FOUND');
    expect(await outcome(list({ workflow: '-', status: 'failed' }))).toBe('INVALID_ARGUMENT status FIELD_INVALID');
  });

  it('are searched so many at a time: a page may be empty and have a next one', async () => {
    await world.call('createRun', { workflow: 'short', labels: { team: 'a' } });
    const [wanted] = await world.runs();
    await world.store.write(async (tx) => {
      for (let count = 0; count < 2_000; count++)
        await tx.workflowRuns.put(rowOfRun({ ...(wanted as RunState), id: world.ids.next(), labels: {} }));
    });
    const list = async (pageToken: string) => {
      const request = { workflow: 'short', labelSelector: 'team=a', pageToken };
      const { runs, nextPageToken } = (await world.call('listRuns', request)) as ListRunsResponse;
      return { ids: runs.map(({ id }) => id), nextPageToken };
    };
    const first = await list('');
    expect(first).toEqual({ ids: [], nextPageToken: expect.stringMatching(/./) });
    expect(await list(first.nextPageToken)).toEqual({ ids: [wanted?.id], nextPageToken: '' });
  });

  it('belong to their workflow: of another one, or of one that was made again, they are not found', async () => {
    const id = (await world.run('short')).run?.id ?? '';
    expect(await outcome(world.call('getRun', { workflow: 'short', runId: id }))).toBe('done');
    expect(await outcome(world.call('getRun', { workflow: 'flow', runId: id }))).toContain('RUN_NOT_FOUND');
    expect(await outcome(world.call('getRun', { workflow: 'short', runId: 'x' }))).toContain('RUN_NOT_FOUND');
    await world.remove('short');
    await world.put('short', { steps: [{ id: 'one', type: 'transform' }] });
    expect(await outcome(world.call('getRun', { workflow: 'short', runId: id }))).toContain('RUN_NOT_FOUND');
  });
});

it('a run that the tool of a step begins is one deeper than its own, up to the limit', async () => {
  const tool = (world.process.module.tools ?? []).find(({ name }) => name === 'run_workflow');
  const callIn = (runId: string) => {
    const named = { namespace: 'default', agent: '', sessionId: '', turnId: runId, identity: 'workflow:default/flow' };
    const call = { callId: `${runId}/a/1`, idempotencyKey: `${runId}/a/1`, lineage: [], reach: 'own', answers: [] };
    return (
      tool?.run({ ...named, ...call, nowMicros: 0 } as never, { name: 'flow' }) ?? Promise.reject(new Error('none'))
    );
  };
  let last = await world.begin('flow');
  for (let depth = 2; depth <= 4; depth++) {
    await callIn(last);
    last = (await world.runs()).at(-1)?.id ?? '';
  }
  expect((await world.runs()).map(({ depth }) => depth)).toEqual([1, 2, 3, 4]);
  expect(await outcome(callIn(last))).toBe('FAILED_PRECONDITION  RUN_DEPTH');
});

describe('StreamRunEvents', () => {
  const types = (stream: { received: { type: string }[] }) => stream.received.map(({ type }) => type);

  it('shows history, then what happens, and ends with the last event; an id resumes behind it', async () => {
    const id = await world.begin('flow');
    await world.settle();
    const live = world.follow(id);
    await expect.poll(() => types(live)).toEqual(['run_started', 'step_started', 'run_suspended']);
    await world.resume(id, 'one', '{"ok":true}');
    await world.settle();
    expect(await live.ended).toBe('ok');
    const rest = ['run_resumed', 'step_completed', 'run_completed'];
    expect(types(live).slice(3)).toEqual(rest);
    expect(live.ids).toEqual(live.received.map((event) => event.id));
    for (const [index, cursor] of live.ids.entries()) {
      const again = world.follow(id, cursor);
      expect([await again.ended, again.ids]).toEqual(['ok', live.ids.slice(index + 1)]);
    }
    expect(live.received[0]).toMatchObject({
      ns: 'default',
      workflow: 'flow',
      runId: id,
      stepId: '',
      payloadJson: '{}',
    });
    const other = await world.begin('flow');
    const foreign = (await world.follow(other, live.ids[0]).ended) as Fault;
    expect(foreign.violations[0]?.field).toBe('after');
    expect(await world.follow(other, 'live').stop()).toBe('ok');
  });

  it('of all runs are told to consoles, each as the stream of its run shows it', async () => {
    const told: { readonly namespace: string; readonly data: unknown }[] = [];
    const stop = world.process.module.activities.subscribe(({ namespace, data }) =>
      told.push({ namespace, data: JSON.parse(data) }),
    );
    const [flow, short] = [await world.begin('flow'), await world.begin('short')];
    await world.settle();
    const streams = [world.follow(flow), world.follow(short)] as const;
    await expect.poll(() => types(streams[0])).toHaveLength(3);
    expect(await streams[1].ended).toBe('ok');
    const shown = streams
      .flatMap(({ received }) => received)
      .map((event) => ({
        namespace: 'default',
        data: toJson(WorkflowRunEventSchema, event, { alwaysEmitImplicit: true }),
      }));
    expect(told).toHaveLength(7);
    expect(told).toEqual(expect.arrayContaining(shown));
    stop();
    await world.cancel(flow);
    expect([await streams[0].ended, told.length]).toEqual(['ok', 7]);
  });
});
