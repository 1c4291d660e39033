import { create } from '@bufbuild/protobuf';
import { RunScheduleRequestSchema } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../base/index.ts';
import { dyingStore } from '../../../testing/index.ts';
import { callContext } from '../../../testing/test-call.ts';
import { FiringWorld } from '../testing/firing-world.ts';
import { runSchedule } from './run-schedule.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

describe('a schedule', () => {
  let world: FiringWorld;
  beforeEach(async () => {
    world = new FiringWorld();
    await world.start();
    await world.agent('helper');
  });
  afterEach(() => world.close());

  const nowMs = (): number => world.engine.store.now() / 1_000;
  const events = async (name: string) => (await world.state(name)).events;
  /** The newest events but for ends of runs, which come when they come. */
  const tail = async (name: string, count: number) =>
    (await events(name)).filter((event) => !event.startsWith('run/')).slice(-count);
  const ended = (name: string, outcome: string) =>
    expect
      .poll(async () => {
        await world.runner.tick();
        return (await events(name)).slice(-1);
      })
      .toEqual([`run/${outcome}`]);

  it('starts its agent at its instant with a message of its own, once, and is armed for the next', async () => {
    await world.put('tick', { intervalSeconds: 60, inputMessage: '!say hello' });
    const due = nowMs() + 60_000;
    await world.pass(59);
    expect(await world.sent()).toEqual([]);
    await world.pass(1);
    await ended('tick', 'completed');
    expect(await world.sent()).toEqual([expect.stringMatching(`^Scheduled run of "tick", due at ${iso(due)}`)]);
    const state = await world.state('tick');
    expect(state).toMatchObject({
      phase: 'Ready',
      revision: 1n,
      backendArmed: true,
      nextRunAt: BigInt((due + 60_000) * 1_000),
      lastRunAt: BigInt(due * 1_000),
    });
    expect(state.events).toEqual([
      ...['initialize/ready', 'arm/armed', 'claim/acquired', 'dispatch/success', 'run/completed'],
    ]);
    expect(state.conditions.find(({ type }) => type === 'LastRunSucceeded')).toMatchObject({ status: 'True' });
    expect([state.claimedRunAt, state.claimExpiresAt, state.lastError]).toEqual([undefined, undefined, undefined]);
    const [message] = await world.engine.messages(state.lastSessionId ?? '');
    expect(message?.labels).toEqual({
      'svc/message-source': 'schedule',
      'svc/schedule-name': 'tick',
      'svc/schedule-run-at': String(due * 1_000),
    });
    await world.runner.tick();
    expect((await world.sent()).length).toBe(1);
  });

  it('says how its run ended when that failed or was stopped', async () => {
    await world.put('bad', { intervalSeconds: 60, inputMessage: '!error invalid_request' });
    await world.pass(60);
    await ended('bad', 'failed');
    const { conditions } = await world.state('bad');
    expect(conditions.find(({ type }) => type === 'LastRunSucceeded')).toMatchObject({
      status: 'False',
      reason: 'Failed',
    });
    await world.put('long', { intervalSeconds: 600, inputMessage: '!hold desk' });
    await world.pass(600);
    const { lastSessionId = '' } = await world.state('long');
    const { store, runtime } = world.engine;
    await store.write(async (tx) => {
      const session = await tx.log.lockSession(lastSessionId);
      if (session === undefined) throw new Error('no session');
      await runtime.lifecycle.stop(tx, session, '');
    });
    await ended('long', 'stopped');
  });

  it('runs once for all instants that it missed, and continues on its grid', async () => {
    await world.put('tick', { intervalSeconds: 60 });
    const first = nowMs() + 60_000;
    await world.pass(60 * 10 + 5);
    expect(await tail('tick', 3)).toEqual(['claim/acquired', 'dispatch/missed 9', 'dispatch/success']);
    expect((await world.state('tick')).nextRunAt).toBe(BigInt((first + 600_000) * 1_000));
    expect((await world.sent()).length).toBe(1);
  });

  it('runs what is overdue or what overlaps only when its options let it', async () => {
    const late = { 'option.svc/catch-up': 'skip' };
    await world.put('late', { cron: '0 0 * * *' }, late);
    await world.put('once', { runAt: iso(nowMs() + 3_600_000) }, late);
    await world.put('slow', { intervalSeconds: 7_200, inputMessage: '!hold desk' }, { 'option.svc/overlap': 'skip' });
    await world.pass(86_400 * 3 + 7_201);
    expect(await tail('late', 2)).toEqual(['dispatch/missed 2', 'dispatch/skipped catch-up']);
    const once = await world.state('once');
    expect([once.events.at(-1), once.phase, once.nextRunAt]).toEqual([
      'dispatch/skipped catch-up',
      'Degraded',
      undefined,
    ]);
    expect(once.conditions.find(({ type }) => type === 'Armed')).toMatchObject({ reason: 'Missed' });
    expect(await tail('slow', 1)).toEqual(['dispatch/success']);
    await world.pass(7_200);
    expect(await tail('slow', 1)).toEqual(['dispatch/skipped overlap']);
    expect((await world.sent()).length).toBe(1);
  });

  it('of kind at runs once, is off then, and stays so when its manifest is applied again', async () => {
    const spec = { kind: 'at', runAt: iso(nowMs() + 60_000), inputMessage: 'now' };
    await world.put('once', spec);
    await world.pass(60);
    const done = await world.state('once');
    expect(done).toMatchObject({ phase: 'Completed', backendArmed: false, revision: 1n, spec: { enabled: false } });
    expect(done.nextRunAt).toBeUndefined();
    expect(done.conditions.find(({ type }) => type === 'Armed')).toMatchObject({ reason: 'Completed' });
    expect(done.events).toContain('dispatch/disabled');
    expect((await world.put('once', spec)).outcome).toBe('unchanged');
    expect((await world.put('once', { ...spec, enabled: true })).outcome).toBe('unchanged');
    await world.pass(600);
    expect((await world.sent()).length).toBe(1);
    await world.put('once', { ...spec, runAt: iso(nowMs() + 60_000) });
    await world.pass(60);
    expect((await world.sent()).length).toBe(2);
  });

  it('of kind at is tried five times while its agent is missing, gives up, and begins again when it is written', async () => {
    const spec = { runAt: iso(nowMs() + 60_000), target: { agent: 'later' } };
    await world.put('once', spec as never);
    await world.pass(60);
    for (const wait of [5, 30, 120]) {
      expect(await tail('once', 1)).toEqual([expect.stringContaining('dispatch/retry AGENT_NOT_FOUND')]);
      await world.pass(wait - 1);
      const { events } = await world.state('once');
      await world.pass(1);
      expect((await world.state('once')).events.length).toBe(events.length + 2);
    }
    await world.pass(600);
    const given = await world.state('once');
    expect(given.events.at(-1)).toContain('dispatch/error AGENT_NOT_FOUND');
    expect(given).toMatchObject({ phase: 'Degraded', backendArmed: false, spec: { enabled: true } });
    expect(given.lastError).toContain('AGENT_NOT_FOUND: ');
    await world.observe('once');
    const armed = (await world.state('once')).conditions.find(({ type }) => type === 'Armed');
    expect(armed).toMatchObject({ status: 'False', reason: 'GaveUp' });
    await world.agent('later');
    await world.observe('once');
    await world.pass(3_600);
    expect(await world.sent('later')).toEqual([]);
    await world.put('once', { ...spec, runAt: iso(nowMs() + 1_000) } as never);
    await world.pass(1);
    expect((await world.sent('later')).length).toBe(1);
    expect((await world.state('once')).lastError).toBeUndefined();
  });

  it('does not run what it cannot note, and runs it once when it can', async () => {
    await world.put('once', { runAt: iso(nowMs() + 60_000) });
    const modify = world.writer.modify.bind(world.writer);
    // A one-shot turns itself off in the transaction of its run.
    world.writer.modify = () => Promise.reject(new Fault('FAILED_PRECONDITION', 'NOT_NOW', 'not now'));
    await world.pass(60);
    expect(await tail('once', 1)).toEqual(['dispatch/retry NOT_NOW: not now']);
    expect(await world.sent()).toEqual([]);
    world.writer.modify = modify;
    await world.pass(5);
    expect((await world.sent()).length).toBe(1);
    expect(await world.state('once')).toMatchObject({ phase: 'Completed', spec: { enabled: false } });
  });

  it('is tried again as often when it does not catch up', async () => {
    const spec = { runAt: iso(nowMs() + 60_000), target: { agent: 'later' } };
    await world.put('once', spec as never, { 'option.svc/catch-up': 'skip' });
    for (const wait of [60, 5, 30]) await world.pass(wait);
    await world.agent('later');
    await world.pass(120);
    expect(await tail('once', 2)).toEqual(['dispatch/success', 'dispatch/disabled']);
    expect((await world.sent('later')).length).toBe(1);
  });

  it('counts the failures of each instant by itself', async () => {
    await world.put('tick', { intervalSeconds: 3_600, target: { agent: 'never' } } as never);
    for (const wait of [3_600, 5, 30]) await world.pass(wait);
    await world.pass(7_200);
    expect(await tail('tick', 2)).toEqual(['dispatch/missed 2', expect.stringContaining('dispatch/retry')]);
    await world.pass(5);
    expect(await tail('tick', 2)).toEqual(['claim/acquired', expect.stringContaining('dispatch/retry')]);
    await world.agent('never');
    await world.pass(30);
    expect((await world.sent('never')).length).toBe(1);
  });

  it('runs again after the session of its last run was deleted, and shows how that run ended', async () => {
    const target = { agent: 'helper', sessionMode: 'reuse' };
    const spec = { intervalSeconds: 60, inputMessage: '!hold desk', target };
    await world.put('slow', spec as never, { 'option.svc/overlap': 'skip' });
    await world.pass(60);
    const { lastSessionId = '' } = await world.state('slow');
    const { store, runtime } = world.engine;
    await store.write(async (tx) => {
      const session = await tx.log.lockSession(lastSessionId);
      if (session === undefined) throw new Error('no session');
      await runtime.lifecycle.remove(tx, session);
    });
    await world.pass(0);
    const ended = (await world.state('slow')).conditions.find(({ type }) => type === 'LastRunSucceeded');
    expect(ended).toMatchObject({ status: 'False', reason: 'Stopped' });
    await world.pass(60);
    expect(await tail('slow', 1)).toEqual(['dispatch/success']);
    expect((await world.state('slow')).lastSessionId).not.toBe(lastSessionId);
  });

  it('runs the instant that failed when its agent comes in time, and else gives it up for the next', async () => {
    await world.put('tick', { intervalSeconds: 100, target: { agent: 'later' } } as never);
    const first = nowMs() + 100_000;
    await world.pass(100);
    await world.agent('later');
    await world.observe('tick');
    await world.pass(5);
    expect((await world.sent('later'))[0]).toContain(iso(first));
    await world.put('quick', { intervalSeconds: 6, target: { agent: 'never' } } as never);
    const start = nowMs();
    await world.pass(6);
    expect(await tail('quick', 1)).toEqual([expect.stringContaining('dispatch/retry')]);
    await world.pass(5);
    expect(await tail('quick', 1)).toEqual([expect.stringContaining('dispatch/error')]);
    const { nextRunAt, phase } = await world.state('quick');
    expect([nextRunAt, phase]).toEqual([BigInt((start + 12_000) * 1_000), 'Degraded']);
  });

  it('uses one session again where it shall, and fails where that session is gone', async () => {
    await world.put('same', { intervalSeconds: 60, target: { agent: 'helper', sessionMode: 'reuse' } } as never);
    await world.pass(60);
    const { lastSessionId = '' } = await world.state('same');
    await world.pass(60);
    expect((await world.state('same')).lastSessionId).toBe(lastSessionId);
    expect((await world.sent()).length).toBe(2);
    const target = { agent: 'helper', sessionMode: 'pinned', sessionId: 'gone' };
    await world.put('pinned', { intervalSeconds: 3_600, target } as never);
    await world.pass(3_600);
    expect(await tail('pinned', 1)).toEqual([expect.stringContaining('dispatch/retry SESSION_NOT_FOUND')]);
  });

  it('starts a run of its workflow with its input, shows it, and notes how it ended', async () => {
    const input = { target: { workflow: 'w' }, inputJson: '{"a":1}' };
    await world.put('flow', { intervalSeconds: 60, ...input } as never, { 'option.svc/overlap': 'skip' });
    const due = nowMs() + 60_000;
    await world.pass(60);
    const { started } = world.flows;
    expect(started).toMatchObject([
      { namespace: 'default', workflow: 'w', input: { a: 1 }, identity: 'schedule:default/flow' },
    ]);
    expect(started[0]?.labels).toMatchObject({
      'svc/message-source': 'schedule',
      'svc/schedule-name': 'flow',
      'svc/schedule-run-at': String(due * 1_000),
    });
    expect(await world.state('flow')).toMatchObject({ lastSessionId: 'run-1', backendArmed: true });
    await world.pass(60);
    expect([started.length, (await tail('flow', 1))[0]]).toEqual([1, 'dispatch/skipped overlap']);
    await world.engine.store.write((tx) => world.flows.end(tx, 'FAILED', 'no luck'));
    await ended('flow', 'failed run run-1');
    await world.pass(60);
    expect((await tail('flow', 1))[0]).toBe('dispatch/success run run-2');
    await world.engine.store.write((tx) => world.flows.end(tx, 'CANCELLED'));
    await ended('flow', 'stopped run run-2');
    await world.put('gone', { intervalSeconds: 3_600, target: { workflow: 'missing' } } as never);
    await world.pass(3_600);
    expect(await tail('gone', 1)).toEqual([expect.stringContaining('dispatch/retry WORKFLOW_NOT_FOUND')]);
    const request = create(RunScheduleRequestSchema, { ns: 'default', name: 'flow' });
    const { sessionId, runId } = await runSchedule(world.runDeps, request, callContext('RunSchedule'));
    expect([sessionId, runId]).toEqual(['', `run-${started.length}`]);
  });

  it.each(['modified', 'deleted'])('%s between claim and run does not run as it was', async (change) => {
    await world.put('tick', { intervalSeconds: 60, inputMessage: 'old' });
    const { store } = world.engine;
    const write = store.write.bind(store);
    let writes = 0;
    // The first write of the worker takes the item, the second claims the run.
    store.write = async (work) => {
      const result = await write(work);
      writes += 1;
      if (writes === 2) {
        store.write = write;
        if (change === 'deleted') await world.remove('tick');
        else await world.put('tick', { intervalSeconds: 60, inputMessage: 'new' });
      }
      return result;
    };
    await world.pass(60);
    expect(await world.sent()).toEqual([]);
    await world.pass(60);
    const sent = await world.sent();
    expect(sent.map((text) => text.split('\n').at(-1))).toEqual(change === 'deleted' ? [] : ['new']);
  });

  it('never runs an instant twice when the clock is set back', async () => {
    await world.put('tick', { cron: '0 * * * *' });
    await world.pass(3_600);
    expect((await world.sent()).length).toBe(1);
    world.clock.stepWallClock(-3_000_000);
    await world.put('tick', { cron: '0 * * * *', inputMessage: 'again' });
    await world.pass(3_000);
    expect((await world.sent()).length).toBe(1);
    await world.pass(3_600);
    expect((await world.sent()).length).toBe(2);
  });

  it('rests while its namespace is deleted and catches up when it comes back', async () => {
    await world.put('tick', { intervalSeconds: 60 });
    world.deleted.add('default');
    await world.observe('tick');
    await world.pass(600);
    expect(await world.sent()).toEqual([]);
    world.deleted.clear();
    await world.observe('tick');
    await world.pass(0);
    expect(await tail('tick', 2)).toEqual(['dispatch/missed 9', 'dispatch/success']);
  });

  it('runs at once when it is asked to, and stays armed as it was', async () => {
    const run = (name: string) =>
      runSchedule(world.runDeps, create(RunScheduleRequestSchema, { ns: 'default', name }), callContext('RunSchedule'));
    await world.put('off', { intervalSeconds: 60, enabled: false });
    await world.put('tick', { intervalSeconds: 60 });
    const before = (await world.state('tick')).nextRunAt;
    const answer = await run('tick');
    const state = await world.state('tick');
    expect([state.nextRunAt, state.lastSessionId]).toEqual([before, answer.sessionId]);
    expect(state.events.at(-1)).toBe('manual/success');
    await run('off');
    expect((await world.sent()).length).toBe(2);
    await expect(run('none')).rejects.toMatchObject({ reason: 'SCHEDULE_NOT_FOUND' });
    await world.pass(60);
    expect((await world.sent()).length).toBe(3);
  });
});

describe('a run', () => {
  it.each(['before', 'after'] as const)('begins once, whatever write its process dies %s', async (side) => {
    for (let at = 1; at <= 2; at++) {
      const world = new FiringWorld({ concurrency: 0 });
      await world.start();
      await world.agent('helper');
      await world.put('tick', { intervalSeconds: 60 });
      const healthy = world.runner;
      const [firing] = new FiringParts(world, at, side).workers;
      world.clock.advance(60_000);
      const [item] = await world.engine.store.write((tx) => tx.queue.take(['schedule.timer'], tx.now(), 60_000_000, 1));
      if (item === undefined) throw new Error('nothing is due');
      await expect(firing?.run(item)).rejects.toThrow('killed');
      world.clock.advance(61_000);
      await healthy.tick();
      const { events } = await world.state('tick');
      expect((await world.sent()).length).toBe(at === 2 && side === 'after' ? 2 : 1);
      expect(events.filter((event) => event === 'dispatch/success').length).toBe(at === 2 && side === 'after' ? 2 : 1);
      await world.close();
    }
  });

  it('begins once for each of 1,000 schedules that are due at once, with two processes at work', async () => {
    const world = new FiringWorld({ concurrency: 0 });
    await world.start();
    await world.agent('helper');
    for (let index = 0; index < 1_000; index++) await world.put(`s${index}`, { intervalSeconds: 3_600 });
    const first = world.runner;
    const second = world.anotherRunner();
    world.clock.advance(3_600_000);
    await Promise.all([first.tick(), second.tick()]);
    expect((await world.sent()).length).toBe(1_000);
    second.close();
    await world.close();
  });
});

/** The workers of a process that dies around its `at`-th write. */
class FiringParts {
  readonly workers;
  constructor(world: FiringWorld, at: number, side: 'before' | 'after') {
    this.workers = world.workersOn(dyingStore(world.engine.store, at, side));
  }
}
