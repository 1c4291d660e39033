import { describe, expect, it } from 'vitest';
import { PART } from './index.ts';
import type { Machine } from './testing/machine.ts';
import { useMachine } from './testing/with-machine.ts';

const resultOf = async (machine: Machine, session: string, tool: string): Promise<string[]> => {
  const parts = (await machine.messages(session)).flatMap((message) => message.parts);
  return parts.filter((part) => part.type === PART.TOOL_RESULT && part.name === tool).map((part) => part.content ?? '');
};

describe('a call that asks a person for data', () => {
  const world = useMachine({ config: { requestTimeoutMs: 604_800_000 } });

  const ask = async (text = '!tool inquire {}\n!say end') => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, text);
    await machine.quiet();
    const [question] = await machine.questions();
    if (question === undefined) throw new Error('nothing was asked');
    return { machine, session, turnId, question };
  };

  it('waits without a worker, and runs again with the answer and the same key', async () => {
    const { machine, session, turnId, question } = await ask();
    expect(question).toMatchObject({ kind: 'input', key: 'city', prompt: 'Which city?', action: 'inquire' });
    expect(machine.process.runtime.worker.running).toBe(0);
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.answer(question, true, { value: { city: 'Paris' } });
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
    expect(await resultOf(machine, session, 'inquire')).toEqual(['accepted {"city":"Paris"}']);
    const runs = machine.record.runsOf('inquire');
    expect(runs).toHaveLength(2);
    expect(new Set(runs.map((run) => run.key)).size).toBe(1);
  });

  it('is never seen while its session does something else', async () => {
    const { machine } = world;
    const states: (string | undefined)[] = [];
    await machine.restart({
      watch: {
        onCommit: async (tx) => {
          for (const { sessionId } of await tx.log.openPermissions(['default'], '', 10))
            states.push((await tx.log.session(sessionId))?.state);
        },
      },
    });
    const { question } = await ask('!tool look {"n":1}\n!tool inquire {}\n!say end');
    expect(question).toMatchObject({ kind: 'input' });
    expect(new Set(states)).toEqual(new Set(['WAITING']));
    await machine.answer(question);
    await machine.quiet();
  });

  it('waits for days, through restarts, and is declined when nobody answers', async () => {
    const { machine, session } = await ask();
    await machine.advance(6 * 86_400_000);
    await machine.restart();
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.advance(86_400_000);
    // The sweeper looks once a second.
    for (let second = 0; second < 3; second++) await machine.advance(1000);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(await resultOf(machine, session, 'inquire')).toEqual(['declined null']);
  });

  it('takes only data that fits its schema, names the field, and keeps the question open', async () => {
    const { machine, session, question } = await ask();
    for (const value of [{ city: 7 }, {}, null, 'Rome'])
      await expect(machine.answer(question, true, { value: value })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        violations: [{ field: 'answerJson' }],
      });
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.answer(question);
    await machine.quiet();
    expect(await resultOf(machine, session, 'inquire')).toEqual(['accepted {"city":"Rome"}']);
  });

  it('takes the same data again and refuses other data', async () => {
    const { machine, question } = await ask();
    await machine.answer(question, true, { value: { city: 'Oslo' } });
    await machine.quiet();
    await expect(machine.answer(question, true, { value: { city: 'Oslo' } })).resolves.toMatchObject({
      decision: 'ALLOW',
    });
    await expect(machine.answer(question, true, { value: { city: 'Bern' } })).rejects.toMatchObject({
      reason: 'PERMISSION_CLOSED',
    });
  });

  it('tells the call that a person declined', async () => {
    const { machine, session, question } = await ask();
    await machine.answer(question, false);
    await machine.quiet();
    expect(await resultOf(machine, session, 'inquire')).toEqual(['declined null']);
  });

  it('is closed by a stop, after which the next message runs', async () => {
    const { machine, session } = await ask();
    await machine.stop(session);
    expect(await machine.questions()).toEqual([]);
    await machine.send(session, 'hello');
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE', openTurns: 0 });
  });

  it('does not keep calls behind it from being asked about, each on its own', async () => {
    const { machine, session } = await ask('!tool inquire {}\n!tool guarded {"n":1}\n!say end');
    const questions = await machine.questions();
    expect(questions.map((one) => one.kind ?? 'permission').sort()).toEqual(['input', 'permission']);
    for (const question of questions) await machine.answer(question);
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
    expect(await resultOf(machine, session, 'inquire')).toEqual(['accepted {"city":"Rome"}']);
  });
});

describe('a call that waits for an event', () => {
  const world = useMachine();

  const wait = async (text = '!tool expect {"name":"rain"}\n!say end') => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, text);
    await machine.quiet();
    return { machine, session, turnId };
  };

  it('waits without a worker until it is woken by its key', async () => {
    const { machine, session, turnId } = await wait();
    expect(machine.process.runtime.worker.running).toBe(0);
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    expect(await machine.happen('snow', turnId)).toBe(false);
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    expect(await machine.happen('rain', turnId)).toBe(true);
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    expect(await resultOf(machine, session, 'expect')).toEqual(['rain happened']);
  });

  it('does not miss an event that comes between its look and its note', async () => {
    const { machine } = world;
    const session = await machine.session();
    let looks = 0;
    machine.tools.onRun = (name) => {
      looks += name === 'expect' ? 1 : 0;
      // The first run has looked already when this event comes, and nothing is noted yet that it could wake.
      if (looks === 1) queueMicrotask(() => machine.tools.happened.add('rain'));
    };
    const { turnId } = await machine.send(session, '!tool expect {"name":"rain"}\n!say end');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    expect(await resultOf(machine, session, 'expect')).toEqual(['rain happened']);
    machine.tools.onRun = () => undefined;
  });

  it('does not park when the event comes between its second look and the park', async () => {
    const { machine } = world;
    const session = await machine.session();
    let looks = 0;
    let woken: Promise<boolean> | undefined;
    const { turnId } = await machine.send(session, '!tool slow {}\n!tool expect {"name":"rain"}\n!say end');
    machine.tools.onRun = (name) => {
      looks += name === 'expect' ? 1 : 0;
      if (looks === 2 && woken === undefined) woken = Promise.resolve().then(() => machine.happen('rain', turnId));
    };
    machine.tools.release();
    await machine.quiet();
    expect(await woken).toBe(true);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    expect(await resultOf(machine, session, 'expect')).toEqual(['rain happened']);
    machine.tools.onRun = () => undefined;
  });

  it('ends by its own deadline, also after a restart', async () => {
    const { machine, session } = await wait();
    await machine.restart();
    await machine.advance(50_000);
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.advance(12_000);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(await resultOf(machine, session, 'expect')).toEqual(['rain did not happen']);
  });

  it('ends early for a message that steers the turn, which one that queues does not', async () => {
    const { machine, session } = await wait();
    await machine.send(session, 'later');
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.send(session, 'never mind', { whenBusy: 'STEER' });
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(await resultOf(machine, session, 'expect')).toEqual(['rain was not waited for']);
  });

  it('is woken no more once its turn is over', async () => {
    const { machine, session, turnId } = await wait();
    await machine.stop(session);
    expect(await machine.happen('rain', turnId)).toBe(false);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
  });

  it('may ask a person once its event came', async () => {
    const { machine, session, turnId } = await wait('!tool confirm {}\n!say end');
    await machine.happen('rain', turnId);
    await machine.quiet();
    expect(machine.process.runtime.worker.running).toBe(0);
    const [question] = await machine.questions();
    if (question === undefined) throw new Error('nothing was asked');
    await machine.answer(question);
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(await resultOf(machine, session, 'confirm')).toEqual(['accepted {"city":"Rome"}']);
  });

  describe('and comes after a call with an open question', () => {
    const asked = async () => {
      const { machine, session, turnId } = await wait('!tool survey {}\n!tool watch {"name":"rain"}\n!say end');
      const [question] = await machine.questions();
      if (question === undefined) throw new Error('nothing was asked');
      return { machine, session, turnId, question };
    };

    it('leaves the turn waiting without a worker when its event comes', async () => {
      const { machine, session, turnId, question } = await asked();
      expect(await machine.happen('rain', turnId)).toBe(true);
      await machine.quiet();
      expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
      expect(machine.process.runtime.worker.running).toBe(0);
      await machine.answer(question);
      await machine.quiet();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
      expect(await resultOf(machine, session, 'survey')).toEqual(['accepted {"city":"Rome"}']);
      expect(await resultOf(machine, session, 'watch')).toEqual(['rain happened']);
    });

    it('does not wake the turn again and again once its own deadline is over', async () => {
      const { machine, session, turnId, question } = await asked();
      const before = await machine.row(session);
      for (let second = 0; second < 65; second++) await machine.advance(1000);
      expect(await machine.row(session)).toMatchObject({ state: 'WAITING', fence: before?.fence });
      await machine.answer(question);
      await machine.quiet();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
      expect(await resultOf(machine, session, 'watch')).toEqual(['rain did not happen']);
    });
  });
});
