import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, ManualClock } from '../base/index.ts';
import type { ModelRegistry } from '../models/contract.ts';
import { sampledNumbers } from '../store/testing/sampled.ts';
import type { RuntimeDeps } from './create-runtime.ts';
import { parseBody } from './record/turn-record.ts';
import { MemoryObjects, testModels } from './testing/engine-harness.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';
import { drive, person } from './testing/scenario.ts';

const away = (): Fault => new Fault('UNAVAILABLE', 'STORAGE', 'the store is away');

/** PostgreSQL's own: the disk of the database is full. */
const full = (): Fault => new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', 'the disk of the database is full');

type Moment = 'before' | 'inside' | 'unsure';

interface FailurePlan {
  readonly first: number;
  readonly length: number;
  readonly moment: Moment | 'halfway';
  readonly error?: () => Fault;
}

/** A source of skills that every prompt asks the store for. */
const skills: NonNullable<RuntimeDeps['skills']> = {
  promptSkills: async (tx, namespace) => {
    await tx.resources.get({ kind: 'Skill', namespace, parent: '', name: 'none' });
    return { catalogue: [], active: [] };
  },
};

/**
 * Runs the scenario while `length` writes (or reads, as the moment says) from the n-th on fail; answers what went wrong,
 * how the turns ended, and how many of both there were.
 */
const runScenario = async (kind: 'write' | 'read', { first, length, moment, error = away }: FailurePlan) => {
  const machine = new Machine({ deps: { skills } });
  let armed = false;
  const counts = { write: 0, read: 0 };
  const isHit = (of: 'write' | 'read'): boolean => {
    if (!armed) return false;
    const count = ++counts[of];
    return of === kind && count >= first && count < first + length;
  };
  const failWrite = () => (isHit('write') && moment !== 'halfway' ? { error: error(), moment } : undefined);
  const failRead = () =>
    isHit('read') ? { error: error(), moment: moment === 'before' ? moment : ('halfway' as const) } : undefined;
  try {
    await machine.start({ watch: { failWrite, failRead } });
    const session = await machine.session();
    armed = true;
    await drive(machine, session);
    await machine.runToEnd(person(machine, session));
    const turns = await machine.store.read((tx) => tx.log.turns(session, { limit: 100 }));
    const failed = turns.filter((turn) => turn.state === 'FAILED').map((turn) => parseBody(turn).reason);
    return { problems: [...(await findProblems(machine)), ...failed], counts };
  } finally {
    await machine.dispose();
  }
};

/** How many of the writes or reads fail on PostgreSQL, one after the other. */
const POSTGRES_FAILURES = 2;
const NOWHERE: FailurePlan = { first: 0, length: 0, moment: 'before' };

describe('a failing store', () => {
  it.each(['before', 'inside', 'unsure'] as const)(
    'costs nothing that was acknowledged, whichever write fails %s its commit (K24, R1, 12.15)',
    async (moment) => {
      const { counts } = await runScenario('write', NOWHERE);
      for (const first of sampledNumbers(counts.write, POSTGRES_FAILURES)) {
        const length = 1 + (first % 4);
        const { problems } = await runScenario('write', { first, length, moment });
        expect({ first, length, problems }).toEqual({ first, length, problems: [] });
      }
    },
  );

  it.each([
    ['before', 1],
    ['halfway', 1],
    ['halfway', 3],
  ] as const)('fails no turn, whichever read fails %s, %d in a row (K24, R1, 12.15)', async (moment, length) => {
    const { counts } = await runScenario('read', NOWHERE);
    expect(counts.read).toBeGreaterThan(10);
    for (const first of sampledNumbers(counts.read, POSTGRES_FAILURES)) {
      const { problems } = await runScenario('read', { first, length, moment });
      expect({ first, problems }).toEqual({ first, problems: [] });
    }
  });

  it('fails no turn when its disk is full for a while, whichever write meets it (K24, R1, 12.15)', async () => {
    const { counts } = await runScenario('write', NOWHERE);
    for (const first of sampledNumbers(counts.write, POSTGRES_FAILURES)) {
      const { problems } = await runScenario('write', { first, length: 2, moment: 'inside', error: full });
      expect({ first, problems }).toEqual({ first, problems: [] });
    }
  });
});

/** A model that answers with a picture, which is stored before it is shown. */
const paint = (real: ModelRegistry): ModelRegistry => {
  const stream: ModelRegistry['stream'] = (request, sink, signal) => {
    sink({
      type: 'file',
      media: { kind: 'bytes', bytes: new Uint8Array(8), mediaType: 'image/png', filename: 'a.png' },
    });
    return real.stream(request, sink, signal);
  };
  return new Proxy(real, {
    get: (target, name) => {
      const value: unknown = name === 'stream' ? stream : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

describe('an object service that is away', () => {
  it('is asked again: the tool and the model are not (K24, R1)', async () => {
    const objects = new MemoryObjects();
    let asked = 0;
    const store: MemoryObjects['store'] = (...args) =>
      ++asked % 3 === 0 ? MemoryObjects.prototype.store.apply(objects, args) : Promise.reject(away());
    const failing = Object.assign(Object.create(objects) as MemoryObjects, { store });
    const machine = new Machine({ deps: { objects: failing, models: paint(testModels(new ManualClock())) } });
    try {
      await machine.start();
      const session = await machine.session();
      const { turnId } = await machine.send(session, '!tool large {}\n!say kept');
      await machine.runToEnd();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
      // The picture of either step, and the output of the tool.
      expect([asked, objects.bytes.size, machine.record.runsOf('large').length]).toEqual([9, 3, 1]);
      expect(await findProblems(machine)).toEqual([]);
    } finally {
      await machine.dispose();
    }
  });
});

describe('a store that is away', () => {
  let machine: Machine;
  let isAway = false;
  let areReadsAway = false;
  beforeEach(async () => {
    isAway = false;
    areReadsAway = false;
    machine = new Machine();
    const failWrite = () => (isAway ? { error: away(), moment: 'before' as const } : undefined);
    const failRead = () => (areReadsAway ? { error: away(), moment: 'before' as const } : undefined);
    await machine.start({ watch: { failWrite, failRead } });
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

  it('for reads alone, while renewals pass, is left to another attempt after a lease (K24)', async () => {
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!tool slow {}\n!say through');
    await machine.quiet();
    areReadsAway = true;
    machine.tools.release();
    for (let second = 0; second < 11; second++) await machine.advance(1000);
    expect(machine.process.runtime.worker.running).toBe(0);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'RUNNING', attempt: 1 });
    areReadsAway = false;
    await machine.runToEnd();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    expect(machine.record.runsOf('slow')).toHaveLength(1);
    expect(machine.record.modelCalls).toHaveLength(2);
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
