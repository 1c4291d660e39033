import { describe, expect, it } from 'vitest';
import { isFault, type Random, seededRandom } from '../base/index.ts';
import { sampledNumbers } from '../store/testing/sampled.ts';
import type { WhenBusy } from './index.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';
import type { GateWatch } from './testing/process-gate.ts';

const SEEDS = 200;
/** How many of them run on PostgreSQL. */
const POSTGRES_SEEDS = 8;
const ACTIONS = 24;

const TEXTS = [
  'plain words to answer',
  '!think a thought\n!say some words that are said',
  '!tool look {"n":1}\n!tool peek {"n":2}\n!say looked',
  '!tool put {"n":1}\n!say one\n!tool put {"n":2}\n!say two',
  '!tool guarded {"n":1}\n!tool look {"n":2}\n!say was allowed',
  '!tool look {"n":5}\n!tool guarded {"n":1}\n!tool guarded {"n":2}\n!say both',
  '!tool slow {"n":1}\n!say slow done',
  '!tool slow_put {"n":1}\n!tool broken {}\n!say slow written',
  '!say before\n!error provider_auth',
  '!say a few words more than that\n!break 3\n!say and the end',
  '!say words\n!delay 700\n!say later words',
  '!say waiting\n!hold gate\n!say after the gate',
  '!tool large {"n":1}\n!say kept',
  '!tool inquire {}\n!tool guarded {"n":7}\n!say asked twice',
  '!tool look {"n":8}\n!tool expect {"name":"rain"}\n!say rained',
];

interface World {
  readonly machine: Machine;
  readonly random: Random;
  /** Share of hints that are lost, and of those delivered twice. */
  lost: number;
  doubled: number;
}

const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random.next() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

const watchOf = (world: World): GateWatch => ({
  deliveries: (subject) => {
    if (subject.startsWith('ev.')) return 1;
    const draw = world.random.next();
    return draw < world.lost ? 0 : draw < world.lost + world.doubled ? 2 : 1;
  },
});

/** A refused request is an answer too; anything else is a defect. */
const attempt = (world: World, work: Promise<unknown>): void => {
  work.catch((error: unknown) => {
    if (!isFault(error)) world.machine.record.note(`request failed: ${String(error)}`);
  });
};

type Act = (world: World, session: string) => Promise<void> | void;

const send: Act = (world, session) => {
  const whenBusy = pick<WhenBusy>(world.random, ['QUEUE', 'QUEUE', 'STEER', 'STEER', 'REJECT', 'INTERRUPT']);
  const process = pick(world.random, world.machine.processes);
  attempt(world, world.machine.send(session, pick(world.random, TEXTS), { whenBusy, process }));
};

const answer: Act = async (world) => {
  for (const question of await world.machine.questions())
    if (world.random.next() < 0.7) {
      const option = pick(world.random, ['', '', 'allow_session']);
      const allow = option !== '' || world.random.next() < 0.6;
      attempt(world, world.machine.answer(question, allow, { optionId: option }));
    }
};

/** Something outside takes place, and its bringer tries until the turns that wait for it are told. */
const rain: Act = async (world) => {
  for (const turn of await world.machine.openTurns()) attempt(world, world.machine.happen('rain', turn.id));
};

const stopOne: Act = async (world, session) => {
  const turns = await world.machine.openTurns();
  const turn = turns.find((one) => one.sessionId === session);
  if (turn !== undefined) attempt(world, world.machine.stop(session, turn.id));
};

const crashOne: Act = async (world) => {
  const { machine } = world;
  if (machine.processes.length === 1) await machine.restart({ watch: watchOf(world) });
  else machine.kill(pick(world.random, machine.processes));
};

const addProcess: Act = async (world) => {
  if (world.machine.processes.length < 2) await world.machine.start({ sharedStore: true, watch: watchOf(world) });
};

/** Between a commit and its events it sends these late, under a lower fence; followers drop them (K20). */
const pause: Act = (world) => {
  world.machine.record.mayBeLate = true;
  pick(world.random, world.machine.processes).gate.pause();
};

const resume: Act = (world) => {
  for (const { gate } of world.machine.processes) gate.resume();
};

/** Whoever sweeps meanwhile takes it for dead though it lives: its claims are taken over before their leases end (K20). */
const hide: Act = (world) => {
  world.machine.record.mayBeLate = true;
  pick(world.random, world.machine.processes).gate.hide();
};

const show: Act = async (world) => {
  for (const { gate } of world.machine.processes) await gate.show();
};

const handOver: Act = async (world) => {
  const [first] = world.machine.processes;
  if (first === undefined || world.machine.processes.length < 2) return;
  const leave = async (): Promise<void> => {
    await first.runtime.stop();
    if (first.gate.dead) return;
    if (world.machine.processes.length === 1) await world.machine.start({ sharedStore: true, watch: watchOf(world) });
    world.machine.kill(first);
  };
  attempt(world, leave());
  await world.machine.quiet();
};

const changeBus: Act = (world) => {
  // A worker that does not hear of a clear goes on under the old fence until its next renewal (K21).
  world.machine.record.mayBeLate = true;
  world.lost = pick(world.random, [0, 0, 0.5, 1]);
  world.doubled = (1 - world.lost) * pick(world.random, [0, 0.5]);
};

const ACTS: readonly (readonly [number, Act])[] = [
  [30, send],
  [10, answer],
  [2, rain],
  [5, stopOne],
  [3, (world, session) => attempt(world, world.machine.stop(session))],
  [2, (world, session) => attempt(world, world.machine.clear(session, world.random.next() < 0.7))],
  [1, (world, session) => attempt(world, world.machine.remove(session))],
  [8, crashOne],
  [4, addProcess],
  [3, handOver],
  [4, changeBus],
  [3, pause],
  [4, resume],
  [3, hide],
  [4, show],
  [3, (world) => world.machine.tools.release()],
  [3, (world) => world.machine.tools.hold()],
  [3, (world) => world.machine.process.models.releaseHold('gate')],
  [3, (world) => world.machine.clock.stepWallClock(-Math.floor(world.random.next() * 60_000))],
  [14, (world) => world.machine.advance(pick(world.random, [20, 300, 1000, 4000, 13_000]))],
  [10, (world) => world.machine.quiet()],
];

const chooseAct = (random: Random): Act => {
  const total = ACTS.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, act] of ACTS) {
    left -= weight;
    if (left < 0) return act;
  }
  return send;
};

/** After the schedule everything is helped to its end: holds released, questions answered, workers resumed. */
const settle = async (world: World): Promise<void> => {
  const { machine } = world;
  resume(world, '');
  machine.tools.release();
  await machine.runToEnd(async () => {
    for (const { models } of machine.processes) models.releaseHold('gate');
    for (const question of await machine.questions()) attempt(world, machine.answer(question));
    await rain(world, '');
  });
};

const simulate = async (seed: number): Promise<readonly string[]> => {
  const random = seededRandom(seed);
  const world: World = { machine: new Machine(), random, lost: 0, doubled: 0 };
  const { machine } = world;
  try {
    await machine.start({ watch: watchOf(world) });
    const sessions = [await machine.session(), await machine.session()];
    for (let step = 0; step < ACTIONS; step++) {
      await chooseAct(random)(world, pick(random, sessions));
      if (random.next() < 0.5) await machine.quiet();
    }
    await settle(world);
    return await findProblems(machine);
  } finally {
    await machine.dispose();
  }
};

describe('simulation', () => {
  const only = Number(process.env['SVC_SEED'] ?? 0);
  const seeds = only > 0 ? [only] : sampledNumbers(SEEDS, POSTGRES_SEEDS);

  it('keeps every promise under random schedules of sends, stops, crashes, lost hints and lost leases (K4, K19, K20, K22, 12.18, 12.25, 12.33)', async () => {
    for (const seed of seeds) expect({ seed, problems: await simulate(seed) }).toEqual({ seed, problems: [] });
  }, 300_000);
});
