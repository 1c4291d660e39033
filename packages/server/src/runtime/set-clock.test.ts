import { describe, expect, it } from 'vitest';
import { parseBody } from './index.ts';
import { admittedAt } from './record/turn-record.ts';
import { useMachine } from './testing/with-machine.ts';

const HOUR_MS = 3_600_000;

describe('a machine whose clock is set', () => {
  const world = useMachine({ config: { concurrency: 1, permissionTimeoutMs: 2 * HOUR_MS } });

  it('shows what comes by its new time, and keeps the order of what came before', async () => {
    const { machine } = world;
    const session = await machine.session();
    const turns: string[] = [];
    for (const [index, stepMs] of [0, HOUR_MS, -2 * HOUR_MS].entries()) {
      machine.clock.stepWallClock(stepMs);
      const { turnId } = await machine.send(session, `${index}`);
      await machine.quiet();
      const turn = await machine.turn(turnId);
      if (turn === undefined) throw new Error('the turn is gone');
      const body = parseBody(turn);
      const messages = (await machine.messages(session)).slice(-2);
      const shown = [admittedAt(turn, body), body.startedAt, turn.finishedAt, ...messages.map((row) => row.createdAt)];
      expect(shown.map((at) => at - machine.clock.nowMicros())).toEqual([0, 0, 0, 0, 0]);
      turns.push(turnId);
    }
    expect(turns).toEqual([...turns].sort());
    const said = (await machine.messages(session)).map((row) => row.parts[0]?.content);
    expect(said).toEqual(['0', 'You said: 0', '1', 'You said: 1', '2', 'You said: 2']);
  });

  it('leaves claims with their worker', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!hold gate\n!say end');
    await machine.quiet();
    const other = await machine.start({ sharedStore: true });
    for (const stepMs of [HOUR_MS, -2 * HOUR_MS]) {
      machine.clock.stepWallClock(stepMs);
      // A sweep, before the next renewal.
      await machine.advance(1_000);
      expect(await machine.turn(turnId)).toMatchObject({ state: 'RUNNING', worker: 'worker-1', attempt: 1 });
    }
    machine.kill(other);
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
  });

  it('runs turns in the order in which they came', async () => {
    const { machine } = world;
    const [holding, first, second] = [await machine.session(), await machine.session(), await machine.session()];
    await machine.send(holding, '!hold gate\n!say end');
    await machine.quiet();
    const before = await machine.send(first, 'before');
    machine.clock.stepWallClock(-HOUR_MS);
    machine.clock.advance(1);
    const after = await machine.send(second, 'after');
    machine.process.models.releaseHold('gate');
    await machine.runToEnd();
    const asked = machine.record.modelCalls.map(({ turnId }) => turnId);
    expect(asked.slice(1)).toEqual([before.turnId, after.turnId]);
  });

  it('ends a question at the time that the question shows', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, '!tool guarded {"n":1}\n!say end');
    await machine.quiet();
    const [question] = await machine.questions();
    expect(question?.expiresAt).toBe(machine.clock.nowMicros() + 2 * HOUR_MS * 1_000);
    machine.clock.stepWallClock(-HOUR_MS);
    await machine.advance(2 * HOUR_MS + 1_000);
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    machine.clock.stepWallClock(HOUR_MS);
    await machine.advance(1_000);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE' });
    expect(machine.record.runsOf('guarded')).toEqual([]);
  });
});
