import { describe, expect, it } from 'vitest';
import { EVENT, PART } from './index.ts';
import { useMachine } from './testing/with-machine.ts';

const types = (parts: readonly { readonly type: number }[]): number[] => parts.map((part) => part.type);

describe('stop', () => {
  const world = useMachine();

  it('ends a queued turn at once and keeps its message; its DONE follows the running turn (12.17)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const running = await machine.send(session, '!hold gate\n!say done');
    const queued = await machine.send(session, 'never runs');
    await machine.quiet();
    expect(await machine.stop(session, queued.turnId)).toEqual([queued.turnId]);
    expect(await machine.turn(queued.turnId)).toMatchObject({ state: 'STOPPED' });
    await machine.quiet();
    expect(machine.clients.get(session)?.terminalEvents(queued.turnId)).toEqual([]);
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    const ends = machine.clients.get(session)?.events.filter((event) => event.kind === EVENT.DONE) ?? [];
    expect(ends.map((event) => [event.turnId, event.reason])).toEqual([
      [running.turnId, 'completed'],
      [queued.turnId, 'stopped'],
    ]);
    expect((await machine.messages(session)).map((message) => message.role)).toEqual([1, 2, 1]);
  });

  it.each([
    ['while headers are pending', '!connect 60000\n!say late'],
    ['inside a stream', '!say shown words\n!hold gate\n!say never'],
    ['between chunks', '!say shown words\n!delay 60000\n!say never'],
    ['inside a tool', '!say first\n!tool slow {"n":1}\n!say never'],
    ['inside parallel tools', '!tool slow {"n":1}\n!tool look {"n":2}\n!tool slow {"n":3}\n!say never'],
  ])('cancels a turn %s, stores what was shown and calls nothing more (12.17, R13, R35)', async (_where, text) => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, text);
    await machine.quiet();
    const calls = machine.record.modelCalls.length;
    expect(await machine.stop(session)).toEqual([turnId]);
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'STOPPED' });
    expect(machine.record.modelCalls.length).toBe(calls);
    expect(machine.record.terminalEvents(turnId)).toMatchObject([{ kind: EVENT.DONE, reason: 'stopped' }]);
    machine.process.models.releaseHold('gate');
    machine.tools.release();
  });

  it('ends a parked turn at once with answers and results for what was open, and wakes the next one (12.17, R46)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const parked = await machine.send(session, '!tool guarded {"n":1}\n!say never');
    const next = await machine.send(session, 'next');
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    expect(await machine.stop(session, parked.turnId)).toEqual([parked.turnId]);
    await machine.quiet();
    expect(await machine.questions()).toEqual([]);
    expect(await machine.turn(next.turnId)).toMatchObject({ state: 'COMPLETED' });
    const [, reply] = await machine.messages(session);
    expect(types(reply?.parts ?? [])).toEqual([
      PART.USAGE,
      PART.TOOL_CALL,
      PART.REQUEST_PERMISSION,
      PART.PERMISSION_RESULT,
      PART.TOOL_RESULT,
    ]);
    expect(machine.record.runsOf('guarded')).toEqual([]);
  });

  it('stops all open turns of a session, the parked one first (2.8)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const parked = await machine.send(session, '!tool guarded {"n":1}');
    const queued = await machine.send(session, 'never');
    await machine.quiet();
    expect(await machine.stop(session)).toEqual([parked.turnId, queued.turnId].sort());
    await machine.quiet();
    const ends = machine.clients.get(session)?.events.filter((event) => event.kind === EVENT.DONE) ?? [];
    expect(ends.map((event) => event.turnId)).toEqual([parked.turnId, queued.turnId]);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE', openTurns: 0 });
  });

  it('of a namespace ends what runs and what is parked there, and no queued turn', async () => {
    const { machine } = world;
    const running = await machine.session();
    const held = await machine.send(running, '!hold gate\n!say never');
    const queued = await machine.send(running, 'waits');
    const waiting = await machine.session();
    const parked = await machine.send(waiting, '!tool guarded {"n":1}\n!say never');
    await machine.quiet();
    const stop = (namespace: string) =>
      machine.withSession(running, (tx, _session, runtime) =>
        runtime.lifecycle.stopNamespaces(tx, new Set([namespace])),
      );
    await stop('other');
    await machine.quiet();
    expect(await machine.turn(held.turnId)).toMatchObject({ state: 'RUNNING' });
    expect(await machine.turn(parked.turnId)).toMatchObject({ state: 'WAITING' });
    await stop('default');
    expect(await machine.turn(queued.turnId)).toMatchObject({ state: 'QUEUED' });
    await machine.quiet();
    expect(await machine.turn(held.turnId)).toMatchObject({ state: 'STOPPED' });
    expect(await machine.turn(parked.turnId)).toMatchObject({ state: 'STOPPED' });
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    expect(await machine.turn(queued.turnId)).toMatchObject({ state: 'COMPLETED' });
  });

  it('spares the turn after the one it came too late for, and does nothing on an idle session (12.18, R13)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const first = await machine.send(session, 'one');
    await machine.quiet();
    expect(await machine.stop(session, first.turnId)).toEqual([]);
    const second = await machine.send(session, 'two');
    await machine.quiet();
    expect(await machine.turn(second.turnId)).toMatchObject({ state: 'COMPLETED' });
    expect(await machine.stop(session)).toEqual([]);
  });

  it('reaches a turn of another process, by its hint or by the next renewal (12.19, R70, R72)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const owner = machine.process;
    const { turnId } = await machine.send(session, '!say shown\n!hold gate');
    await machine.quiet();
    await machine.start({
      sharedStore: true,
      watch: { deliveries: (subject) => (subject.startsWith('cmd.') ? 0 : 1) },
    });
    await machine.stop(session);
    await machine.quiet();
    expect(owner.runtime.worker.running).toBe(1);
    for (let second = 0; second < 4; second++) await machine.advance(1000);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'STOPPED', attempt: 1 });
  });

  it.each([
    { when: 'asks', text: '!tool guarded {"n":1}\n!say never' },
    { when: 'has run what it could', text: '!tool look {"n":1}\n!tool guarded {"n":2}\n!say never' },
  ])('that comes just before a turn $when and parks leaves no question open (2.8, R46)', async ({ text }) => {
    const { machine } = world;
    let isParking = false;
    let stopping: Promise<unknown> | undefined;
    const onWrite = (moment: string): void => {
      if (!isParking || moment !== 'before') return;
      isParking = false;
      stopping = machine.stop(session);
    };
    const faultPoint = (point: string): void => {
      if (point === 'before-park') isParking = true;
    };
    await machine.restart({ watch: { onWrite }, faultPoint });
    const session = await machine.session();
    const { turnId } = await machine.send(session, text);
    await machine.quiet();
    expect(await stopping).toEqual([turnId]);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'STOPPED' });
    expect(await machine.questions()).toEqual([]);
    expect(machine.record.modelCalls).toHaveLength(1);
  });

  it('that lost its worker is honoured by whoever finds the turn, without a model or tool call (K19, 12.12)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!say partly\n!tool slow {}\n!say never');
    await machine.quiet();
    const [owner] = machine.processes;
    owner?.gate.pause();
    await machine.start({ sharedStore: true });
    if (owner !== undefined) machine.kill(owner);
    await machine.stop(session);
    const calls = machine.record.modelCalls.length;
    for (let second = 0; second < 12; second++) await machine.advance(1000);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'STOPPED' });
    expect(machine.record.modelCalls.length).toBe(calls);
    expect(machine.record.runsOf('slow')).toHaveLength(1);
  });
});

describe('clear and delete', () => {
  const world = useMachine();

  it('clear is refused while busy; with stop everything old is gone at once and stays gone (12.20, R25)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const running = await machine.send(session, '!say shown\n!hold gate\n!say never');
    const queued = await machine.send(session, 'never');
    await machine.quiet();
    await expect(machine.clear(session, false)).rejects.toMatchObject({ reason: 'SESSION_BUSY' });
    await machine.clear(session, true);
    await machine.quiet();
    expect(machine.process.runtime.worker.running).toBe(0);
    expect(await machine.messages(session)).toEqual([]);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE', openTurns: 0, epoch: 1 });
    for (const { turnId } of [running, queued]) {
      expect(machine.clients.get(session)?.terminalEvents(turnId)).toMatchObject([{ reason: 'stopped' }]);
      expect(await machine.hookEnds(turnId)).toBe(1);
    }
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    await machine.send(session, '!prompt');
    await machine.quiet();
    const [, reply] = await machine.messages(session);
    expect(reply?.parts[0]?.content).not.toContain('shown');
  });

  it('delete under a live worker leaves no row and stops the work (K21, 12.21)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!tool large {}\n!tool slow_put {}\n!say never');
    await machine.quiet();
    await machine.remove(session);
    await machine.quiet();
    expect(machine.process.runtime.worker.running).toBe(0);
    machine.tools.release();
    await machine.advance(20_000);
    expect(await machine.row(session)).toBeUndefined();
    expect(await machine.turn(turnId)).toBeUndefined();
    expect(await machine.messages(session)).toEqual([]);
    expect(await machine.store.read((tx) => tx.log.journal(turnId))).toEqual([]);
    expect(machine.clients.get(session)?.isGone).toBe(true);
  });
});
