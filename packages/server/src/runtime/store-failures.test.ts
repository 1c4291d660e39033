import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../base/index.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';
import { drive, person } from './testing/scenario.ts';

const away = (): Fault => new Fault('UNAVAILABLE', 'STORAGE', 'the store is away');

type Moment = 'before' | 'inside' | 'unsure';

/** Runs the scenario while `length` writes from the n-th on fail; answers what went wrong and how many writes there were. */
const runScenario = async (fail: { readonly first: number; readonly length: number; readonly moment: Moment }) => {
  const machine = new Machine();
  let writes = 0;
  let armed = false;
  const failWrite = () => {
    if (!armed) return undefined;
    writes += 1;
    const isHit = writes >= fail.first && writes < fail.first + fail.length;
    return isHit ? { error: away(), moment: fail.moment } : undefined;
  };
  try {
    await machine.start({ watch: { failWrite } });
    const session = await machine.session();
    armed = true;
    await drive(machine, session);
    await machine.runToEnd(person(machine, session));
    return { problems: await findProblems(machine), writes };
  } finally {
    await machine.dispose();
  }
};

describe('a failing store', () => {
  it.each(['before', 'inside', 'unsure'] as const)(
    'costs nothing that was acknowledged, whichever write fails %s its commit (K24, R1, 12.15)',
    async (moment) => {
      const { writes } = await runScenario({ first: 0, length: 0, moment });
      for (let first = 1; first <= writes; first++) {
        const length = 1 + (first % 4);
        const { problems } = await runScenario({ first, length, moment });
        expect({ first, length, problems }).toEqual({ first, length, problems: [] });
      }
    },
  );
});

describe('a store that is away', () => {
  let machine: Machine;
  let isAway = false;
  beforeEach(async () => {
    isAway = false;
    machine = new Machine();
    const failWrite = () => (isAway ? { error: away(), moment: 'before' as const } : undefined);
    await machine.start({ watch: { failWrite } });
  });
  afterEach(() => machine.dispose());

  it('for 3 s leaves the turn with its worker and attempt (K24, 12.15)', async () => {
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!tool slow {}\n!say through');
    await machine.quiet();
    isAway = true;
    machine.tools.release();
    for (let second = 0; second < 3; second++) await machine.advance(1000);
    isAway = false;
    await machine.runToEnd();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
    expect(machine.record.runsOf('slow')).toHaveLength(1);
    expect(await findProblems(machine)).toEqual([]);
  });

  it('for 15 s costs the claim: the worker cancels, a new attempt goes on (K24, K20, 12.15)', async () => {
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!tool slow {}\n!say through');
    await machine.quiet();
    isAway = true;
    for (let second = 0; second < 15; second++) await machine.advance(1000);
    expect(machine.process.runtime.worker.running).toBe(0);
    const shown = machine.record.events.length;
    machine.tools.release();
    isAway = false;
    expect(machine.record.events.length).toBe(shown);
    await machine.runToEnd();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    expect(await findProblems(machine)).toEqual([]);
  });

  it('refuses a send without a trace (R1)', async () => {
    const session = await machine.session();
    isAway = true;
    await expect(machine.send(session, 'hello')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isAway = false;
    expect(await machine.messages(session)).toEqual([]);
    expect(await machine.row(session)).toMatchObject({ state: 'IDLE', openTurns: 0 });
  });
});
