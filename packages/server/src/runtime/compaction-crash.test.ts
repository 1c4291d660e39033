import { describe, expect, it } from 'vitest';
import { PART } from './index.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';

const spec = { modelPolicy: { profiles: [{ name: 'small', model: { provider: 'demo', name: 'small' } }] } };
const LONG = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

/** Fills the window of demo/small until a compaction is due, then sends one more message; `crash` may end the process. */
const runCompaction = async (crash: (point: string, machine: Machine) => void) => {
  const machine = new Machine({ spec });
  try {
    await machine.start({ faultPoint: (point) => crash(point, machine) });
    const session = await machine.session();
    for (let turn = 0; turn < 6; turn++) {
      await machine.send(session, `${LONG}\n!say short ${turn}`);
      await machine.quiet();
      if (machine.isDead) break;
    }
    const crashed = machine.isDead;
    if (crashed) await machine.restart();
    await machine.runToEnd();
    const parts = (await machine.messages(session)).flatMap((message) => message.parts);
    const turns = await machine.store.read((tx) => tx.log.turns(session, { limit: 10 }));
    const problems = [
      ...(await findProblems(machine)),
      ...turns.filter((turn) => turn.state !== 'COMPLETED').map((turn) => turn.body),
    ];
    return { crashed, problems, summaries: parts.filter((part) => part.type === PART.COMPACTION).length };
  } finally {
    await machine.dispose();
  }
};

describe('compaction', () => {
  it('stores its summary as a part and loses nothing (R29)', async () => {
    const { problems, summaries } = await runCompaction(() => undefined);
    expect(problems).toEqual([]);
    expect(summaries).toBeGreaterThan(0);
  });

  it.each(['before-compaction-entry', 'after-compaction-entry'])(
    'keeps the current message and the tail when the process dies %s (K16, K17, 12.10)',
    async (point) => {
      const { crashed, problems, summaries } = await runCompaction((name, machine) => {
        if (name === point) machine.process.gate.crashHere();
      });
      expect({ crashed, problems }).toEqual({ crashed: true, problems: [] });
      expect(summaries).toBeGreaterThan(0);
    },
  );
});
