import { describe, expect, it } from 'vitest';
import { PART, type WhenBusy } from '../index.ts';
import { useMachine } from '../testing/with-machine.ts';

const textsOf = (
  messages: readonly { readonly parts: readonly { readonly type: number; readonly content?: string }[] }[],
) =>
  messages.map((message) =>
    message.parts
      .filter((part) => part.type === PART.TEXT)
      .map((part) => part.content)
      .join(''),
  );

describe('admission', () => {
  const world = useMachine({ config: { sessionQueue: 3 } });

  it.each(['QUEUE', 'STEER', 'REJECT', 'INTERRUPT'] as const)(
    'with %s starts on an idle session (12.23)',
    async (whenBusy) => {
      const { machine } = world;
      const session = await machine.session();
      const { turnId, steered } = await machine.send(session, 'hello', { whenBusy });
      await machine.quiet();
      expect(steered).toBe(false);
      expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    },
  );

  it.each<[string, string]>([
    ['a running turn', '!hold gate\n!say first'],
    ['a parked turn', '!tool guarded {"n":1}\n!say first'],
  ])('places each when_busy mode behind, into or before the queue of %s (12.23)', async (_state, text) => {
    const { machine } = world;
    const session = await machine.session();
    const first = await machine.send(session, text);
    const queued = await machine.send(session, 'queued', { whenBusy: 'QUEUE' });
    await machine.quiet();
    await expect(machine.send(session, 'no', { whenBusy: 'REJECT' })).rejects.toMatchObject({ reason: 'SESSION_BUSY' });
    expect(await machine.send(session, 'joins', { whenBusy: 'STEER' })).toMatchObject({
      turnId: first.turnId,
      steered: true,
    });
    const urgent = await machine.send(session, 'urgent', { whenBusy: 'INTERRUPT' });
    machine.process.models.releaseHold('gate');
    await machine.runToEnd();
    const turns = await machine.store.read((tx) => tx.log.turnsFromFence(session, 1, 10));
    expect(turns[0]).toMatchObject({ id: first.turnId, state: 'STOPPED' });
    // The message that wanted to join becomes the next turn, behind the one that interrupted.
    expect(turns.map((turn) => turn.id).indexOf(urgent.turnId)).toBe(1);
    expect(turns.map((turn) => turn.id).indexOf(queued.turnId)).toBe(3);
    expect(textsOf(await machine.messages(session))).toContain('You said: joins');
  });

  it('queues what wants to join a turn that has not started (12.23)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const sent = await Promise.all(['a', 'b'].map((text) => machine.send(session, text, { whenBusy: 'STEER' })));
    expect(sent.map((one) => one.steered)).toEqual([false, false]);
    await machine.quiet();
    expect(textsOf(await machine.messages(session))).toEqual(['a', 'You said: a', 'b', 'You said: b']);
  });

  it.each<WhenBusy>(['QUEUE', 'INTERRUPT'])(
    'refuses %s beyond the queue limit and changes nothing (R1)',
    async (whenBusy) => {
      const { machine } = world;
      const session = await machine.session();
      await machine.send(session, '!hold gate');
      await machine.quiet();
      for (const text of ['1', '2', '3']) await machine.send(session, text);
      const before = await machine.row(session);
      await expect(machine.send(session, '4', { whenBusy })).rejects.toMatchObject({ reason: 'QUEUE_FULL' });
      expect(await machine.row(session)).toEqual(before);
      machine.process.models.releaseHold('gate');
    },
  );

  it('lets a burst during a tool enter one model call in order, ids rising (12.24, R11, R12)', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, '!tool slow {}\n!say tool done');
    await machine.quiet();
    const calls = machine.record.modelCalls.length;
    for (const text of ['one', 'two', 'three']) await machine.send(session, text, { whenBusy: 'STEER' });
    machine.tools.release();
    await machine.quiet();
    expect(machine.record.modelCalls.length).toBe(calls + 1);
    const messages = await machine.messages(session);
    expect(messages.map((message) => message.role)).toEqual([1, 2, 1, 1, 1, 2]);
    expect(messages[5]?.parts[0]?.content).toContain('one\ntwo\nthree');
  });

  it('leaves no empty assistant message when steering comes before any output (R12)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!tool guarded {"n":1}\n!say end');
    await machine.quiet();
    await machine.send(session, 'more', { whenBusy: 'STEER' });
    const [question] = await machine.questions();
    if (question !== undefined) await machine.answer(question);
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    for (const message of await machine.messages(session)) expect(message.parts).not.toEqual([]);
  });

  it('joins steering whose hint was lost at the latest when the turn would end (R10, R18)', async () => {
    const { machine } = world;
    await machine.restart({ watch: { deliveries: (subject) => (subject === 'cmd.steer' ? 0 : 1) } });
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!hold gate\n!say answer');
    await machine.quiet();
    await machine.send(session, 'joined after all', { whenBusy: 'STEER' });
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    const turns = await machine.store.read((tx) => tx.log.turns(session, { limit: 10 }));
    expect(turns).toMatchObject([{ id: turnId, state: 'COMPLETED' }]);
    expect(textsOf(await machine.messages(session))).toEqual([
      '!hold gate\n!say answer',
      'answer',
      'joined after all',
      'You said: joined after all',
    ]);
  });

  it('never refuses a message sent when DONE is seen (12.26, R9)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const sends: Promise<unknown>[] = [];
    machine.bus.subscribe(`ev.${session}`, (message) => {
      const { kind } = message as { readonly kind: number };
      if (kind === 2 && sends.length < 5)
        sends.push(machine.send(session, `again ${sends.length}`, { whenBusy: 'REJECT' }));
    });
    await machine.send(session, 'first');
    await machine.runToEnd();
    await expect(Promise.all(sends)).resolves.toHaveLength(5);
  });

  it('refuses an unknown profile, also for steering, and an agent that is not ready (2.3)', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, '!hold gate');
    await machine.quiet();
    const labels = { 'model-profile': 'nope' };
    await expect(machine.send(session, 'x', { labels, whenBusy: 'STEER' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    machine.setAgent({ notReady: 'no sandbox' });
    await expect(machine.send(session, 'x')).rejects.toMatchObject({ reason: 'AGENT_NOT_READY' });
    machine.setAgent({});
    machine.process.models.releaseHold('gate');
  });

  it('orders ids when the wall clock steps back between processes (12.25, R7, R20)', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, 'first');
    await machine.quiet();
    machine.clock.stepWallClock(-3_600_000);
    await machine.restart();
    await machine.send(session, 'second');
    await machine.quiet();
    expect(textsOf(await machine.messages(session))).toEqual([
      'first',
      'You said: first',
      'second',
      'You said: second',
    ]);
  });
});
