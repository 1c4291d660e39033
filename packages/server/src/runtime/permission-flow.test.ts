import { describe, expect, it } from 'vitest';
import { PART } from './index.ts';
import type { Machine } from './testing/machine.ts';
import { useMachine } from './testing/with-machine.ts';

const resultOf = async (machine: Machine, session: string, tool: string): Promise<string[]> => {
  const parts = (await machine.messages(session)).flatMap((message) => message.parts);
  return parts.filter((part) => part.type === PART.TOOL_RESULT && part.name === tool).map((part) => part.content ?? '');
};

describe('permission requests', () => {
  const world = useMachine({ config: { permissionTimeoutMs: 60_000 } });

  const ask = async (text = '!tool guarded {"n":1}\n!say end') => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, text);
    await machine.quiet();
    return { machine, session, turnId, questions: await machine.questions() };
  };

  it('park the turn without a worker and run the call once after ALLOW (12.57, R17, R46)', async () => {
    const { machine, session, turnId, questions } = await ask();
    expect(questions).toHaveLength(1);
    expect(machine.process.runtime.worker.running).toBe(0);
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    if (questions[0] !== undefined) await machine.answer(questions[0]);
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
    expect(machine.record.modelCalls).toHaveLength(2);
  });

  it('give a denied result after DENY and run nothing (12.57, R46)', async () => {
    const { machine, session, questions } = await ask();
    if (questions[0] !== undefined) await machine.answer(questions[0], false);
    await machine.quiet();
    expect(machine.record.runsOf('guarded')).toEqual([]);
    expect((await resultOf(machine, session, 'guarded'))[0]).toContain('"code":"denied"');
  });

  it('expire to a denied result, also when every hint is lost and the process restarts (K18, 12.11, 12.57)', async () => {
    const { machine, session } = await ask();
    await machine.restart({ watch: { deliveries: (subject) => (subject.startsWith('ev.') ? 1 : 0) } });
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.advance(50_000);
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    await machine.advance(12_000);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect((await resultOf(machine, session, 'guarded'))[0]).toContain('"code":"denied"');
  });

  it('accept the same answer again and refuse another one (12.57, API-9.2)', async () => {
    const { machine, questions } = await ask();
    const [question] = questions;
    if (question === undefined) throw new Error('nothing was asked');
    await machine.answer(question);
    await machine.quiet();
    await expect(machine.answer(question)).resolves.toMatchObject({ decision: 'ALLOW' });
    await expect(machine.answer(question, false)).rejects.toMatchObject({ reason: 'PERMISSION_CLOSED' });
  });

  it('are all asked before the first call, and an answer given meanwhile is used without parking (12.57, R46)', async () => {
    const { machine, session, questions } = await ask('!tool slow {"n":1}\n!tool guarded {"n":2}\n!say end');
    expect(questions).toHaveLength(1);
    expect(machine.record.runsOf('slow')).toHaveLength(1);
    if (questions[0] !== undefined) await machine.answer(questions[0]);
    await machine.quiet();
    const shown = machine.record.events.map((event) => event.part?.type);
    expect(shown).toContain(PART.PERMISSION_RESULT);
    expect(shown).not.toContain(PART.TOOL_RESULT);
    machine.tools.release();
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE', fence: 1 });
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
  });

  it('use an answer whose hint was lost while other calls ran (R18)', async () => {
    const { machine } = world;
    await machine.restart({ watch: { deliveries: (subject) => (subject === 'cmd.permission' ? 0 : 1) } });
    const { session, questions } = await ask('!tool slow {"n":1}\n!tool guarded {"n":2}\n!say end');
    if (questions[0] !== undefined) await machine.answer(questions[0]);
    machine.tools.release();
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE', fence: 1 });
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
  });

  it('hold for the session with an option that remembers, open ones included (R46)', async () => {
    const { machine, session, questions } = await ask('!tool guarded {"n":1}\n!tool guarded {"n":2}\n!say end');
    expect(questions).toHaveLength(2);
    if (questions[0] !== undefined) await machine.answer(questions[0], true, { optionId: 'allow_session' });
    await machine.quiet();
    await machine.send(session, '!tool guarded {"n":3}\n!say again');
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(machine.record.runsOf('guarded')).toHaveLength(3);
  });

  it('answer no other kind of question about the same tool (AD-3)', async () => {
    const { machine, session, questions } = await ask('!tool permitted {"n":1}\n!tool permitted {"n":2}\n!say end');
    if (questions[0] !== undefined) await machine.answer(questions[0]);
    await machine.quiet();
    const open = await machine.questions();
    const [data, permission] = ['input', 'permission'].map((kind) =>
      open.find((one) => (one.kind ?? 'permission') === kind),
    );
    if (data === undefined || permission === undefined) throw new Error('both kinds of questions are open');
    await machine.answer(permission, true, { optionId: 'allow_session' });
    await machine.quiet();
    expect((await machine.questions()).map(({ id }) => id)).toEqual([data.id]);
    await machine.answer(data, true, { value: { city: 'Oslo' } });
    await machine.quiet();
    for (const question of await machine.questions()) await machine.answer(question);
    await machine.quiet();
    const results = await resultOf(machine, session, 'permitted');
    expect(results).toEqual(['accepted {"city":"Oslo"}', 'accepted {"city":"Rome"}']);
  });

  it('answered both ways in one batch run only what was allowed (R41, R46)', async () => {
    const { machine, session, questions } = await ask('!tool guarded {"n":1}\n!tool guarded {"n":2}\n!say end');
    if (questions[1] !== undefined) await machine.answer(questions[1], false);
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    if (questions[0] !== undefined) await machine.answer(questions[0]);
    await machine.quiet();
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
    const results = await resultOf(machine, session, 'guarded');
    expect(results[0]).toBe('allowed');
    expect(results[1]).toContain('"code":"denied"');
  });

  it('survive a handed-over turn that is answered before anyone claims it (2.9)', async () => {
    const { machine, session, questions } = await ask('!tool slow {"n":1}\n!tool guarded {"n":2}\n!say end');
    const stopping = machine.process.runtime.stop();
    machine.tools.release();
    await stopping;
    if (questions[0] !== undefined) await machine.answer(questions[0]);
    await machine.restart();
    await machine.runToEnd();
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
    expect(machine.record.runsOf('slow')).toHaveLength(1);
  });
});
