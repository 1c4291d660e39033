import { describe, expect, it } from 'vitest';
import { sampledNumbers } from '../store/testing/sampled.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine, type ProcessOptions } from './testing/machine.ts';
import { drive, person } from './testing/scenario.ts';

interface Plan {
  /** Named point, or the moment of a store write. */
  readonly point: string;
  /** Which time that it is reached, from 1; 0 = never. */
  readonly nth: number;
}

/** How many of the times that a point is reached the process dies on PostgreSQL. */
const POSTGRES_TIMES = 1;
const NO_CRASH: Plan = { point: '', nth: 0 };

/** Runs the scenario and crashes as planned; afterwards a second process runs everything to its end. */
const runScenario = async (plan: Plan, reached = new Map<string, number>()) => {
  const machine = new Machine({ isMetered: true });
  let armed = false;
  const hit = (point: string): void => {
    if (!armed) return;
    const count = (reached.get(point) ?? 0) + 1;
    reached.set(point, count);
    if (point === plan.point && count === plan.nth) machine.process.gate.crashHere();
  };
  const options: ProcessOptions = { faultPoint: hit, watch: { onWrite: (moment) => hit(`${moment} a write`) } };
  try {
    await machine.start(options);
    const session = await machine.session();
    armed = true;
    await drive(machine, session);
    const act = person(machine, session);
    for (let round = 0; round < 4 && !machine.isDead; round++) {
      await act();
      await machine.quiet();
    }
    armed = false;
    const crashed = machine.isDead;
    if (crashed) await machine.restart();
    await machine.runToEnd(person(machine, session));
    return { problems: await findProblems(machine), crashed, machine };
  } finally {
    await machine.dispose();
  }
};

/** K rows of RT-2.7 that a crash at a point proves. */
const ROWS: Readonly<Record<string, string>> = {
  'before-claim': 'K3, 12.3',
  'after-claim': 'K4',
  'before-model-call': 'K4',
  'after-model-call': 'K5, 12.4',
  'before-model-response': 'K5',
  'after-model-response': 'K6, K22, 12.5',
  'before-ask': 'K8',
  'before-tool': 'K6',
  'after-tool': 'K7, 12.6',
  'before-tool-result': 'K7, K9',
  'after-tool-result': 'K8, K10, 12.7',
  'before-park': 'K8',
  'after-park': 'K18, 12.11',
  'before-steer-input': 'K14, 12.9',
  'after-steer-input': 'K15, 12.9',
  'before-final': 'K11, 12.8',
  'after-final': 'K12, 12.8',
  'after-terminal-event': 'K13',
  'before a write': 'K1, K22, 12.2, 12.33',
  'after a write': 'K2, K12, K22, 12.2, 12.33',
};

describe('crash sweep', () => {
  const reached = new Map<string, number>();

  it('reaches every named point when nothing crashes', async () => {
    const { problems, machine } = await runScenario(NO_CRASH, reached);
    expect(problems).toEqual([]);
    expect(machine.record.runsOf('put')).toHaveLength(2);
    expect(machine.record.runsOf('guarded')).toHaveLength(1);
    expect([...reached.keys()].sort()).toEqual(Object.keys(ROWS).sort());
  });

  it.each(Object.entries(ROWS))('loses and repeats nothing when the process dies %s (%s)', async (point) => {
    expect(reached.get(point)).toBeGreaterThan(0);
    for (const nth of sampledNumbers(reached.get(point) ?? 0, POSTGRES_TIMES)) {
      const { problems, crashed } = await runScenario({ point, nth });
      expect({ point, nth, crashed, problems }).toEqual({ point, nth, crashed: true, problems: [] });
    }
  });
});
