import { describe, expect, it } from 'vitest';
import { isFault, type Random, seededRandom } from '../base/index.ts';
import { sampledNumbers } from '../store/testing/sampled.ts';
import { PART, type Part, type PermissionData } from './index.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';

/** Worlds, and conversations in each: a thousand orders of events. */
const WORLDS = 10;
const SESSIONS = 100;
const POSTGRES_WORLDS = 1;
const ROUNDS = 5;

/** Of a turn's model calls; a person is asked for each one behind them. */
const CALLS_PER_TURN = 2;
const MINUTE_MS = 60_000;
const CONFIG = { permissionTimeoutMs: 10 * MINUTE_MS, requestTimeoutMs: 30 * MINUTE_MS };

const TEXTS = [
  '!tool inquire {}\n!say end',
  '!tool guarded {"n":1}\n!say end',
  '!tool enter {}\n!say end',
  '!tool inquire {}\n!tool guarded {"n":2}\n!tool enter {}\n!say end',
  '!tool look {"n":1}\n!tool inquire {}\n!say half\n!tool guarded {"n":3}\n!say end',
];

interface World {
  readonly machine: Machine;
  readonly random: Random;
  readonly sessions: readonly string[];
  /** Acknowledged answers by request: what they said. */
  readonly answers: Map<string, { readonly question: PermissionData; readonly allow: boolean; readonly mark: string }>;
}

const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random.next() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

/** A refusal is an answer too; anything else is a defect. True when the call succeeded. */
const tried = async (world: World, work: Promise<unknown>): Promise<boolean> => {
  try {
    await work;
    return true;
  } catch (error) {
    if (!isFault(error)) world.machine.record.note(`request failed: ${String(error)}`);
    return false;
  }
};

/** Answers with a mark of its own, often twice, or differently a second time, which must be refused. */
const answerOne = async (world: World, question: PermissionData): Promise<void> => {
  const { machine, random, answers } = world;
  const mark = `mark-${answers.size}`;
  const allow = random.next() < 0.7;
  const facts = { value: { city: mark }, comment: mark };
  if (!(await tried(world, machine.answer(question, allow, facts)))) return;
  if (!answers.has(question.id)) answers.set(question.id, { question, allow, mark });
  if (random.next() < 0.3 && (await tried(world, machine.answer(question, !allow, facts))))
    machine.record.note(`request ${question.id} took a second, different answer`);
};

const actOn = async (world: World, session: string, open: readonly PermissionData[]): Promise<void> => {
  const { machine, random } = world;
  const mine = open.filter((question) => question.sessionId === session);
  const draw = random.next();
  if (draw < 0.45 && mine.length > 0) await answerOne(world, pick(random, mine));
  else if (draw < 0.55) await tried(world, machine.stop(session));
  else if (draw < 0.75) await tried(world, machine.send(session, pick(random, TEXTS)));
  else if (draw < 0.8) await tried(world, machine.send(session, 'steering', { whenBusy: 'STEER' }));
};

/** What happens to all of them: time, a crash with or without what is under way, clocks that are set. */
const happenToAll = async (world: World): Promise<void> => {
  const { machine, random } = world;
  const draw = random.next();
  if (draw < 0.3) await machine.restart();
  else if (draw < 0.6) await machine.advance(pick(random, [1000, 11 * MINUTE_MS, 31 * MINUTE_MS]));
  else if (draw < 0.75) machine.clock.stepWallClock(pick(random, [-40, -5, 5, 40]) * MINUTE_MS);
  if (random.next() < 0.7) await machine.quiet();
};

/** Turns whose budget a person declined to raise: these fail. */
const declinedBudgets = ({ answers }: World): ReadonlySet<string> =>
  new Set(
    [...answers.values()]
      .filter(({ question, allow }) => question.kind === 'budget' && !allow)
      .map(({ question }) => question.turnId),
  );

const textsOf = async (machine: Machine, session: string): Promise<readonly string[]> => {
  const parts: Part[] = (await machine.messages(session)).flatMap((message) => message.parts);
  return parts.filter((part) => part.type === PART.TOOL_RESULT).map((part) => part.content ?? '');
};

/** Every acknowledged raise of a budget, and no other answer, raised the budget of its turn by one. */
const raiseProblems = async ({ machine, answers }: World): Promise<readonly string[]> => {
  const expected = new Map<string, number>();
  for (const { question, allow } of answers.values()) {
    const before = expected.get(question.turnId) ?? 0;
    expected.set(question.turnId, before + (question.kind === 'budget' && allow ? 1 : 0));
  }
  const problems: string[] = [];
  for (const [turnId, count] of expected) {
    const raises = await machine.raises(turnId);
    if (raises !== count) problems.push(`the budget of ${turnId} was raised ${raises} times for ${count} answers`);
  }
  return problems;
};

/** Every acknowledged answer reached its call, unless its turn was stopped: at most one result bears its mark. */
const answerProblems = async ({ machine, answers, sessions }: World): Promise<readonly string[]> => {
  const results = (await Promise.all(sessions.map((session) => textsOf(machine, session)))).flat();
  const problems: string[] = [];
  for (const { question, allow, mark } of answers.values()) {
    const { kind = 'permission' } = question;
    if (kind === 'permission' || kind === 'budget' || (kind === 'input' && !allow)) continue;
    const uses = results.filter((text) => text.includes(`"${mark}"`) || text.endsWith(` ${mark}`)).length;
    const turn = await machine.turn(question.turnId);
    if (uses > 1) problems.push(`the answer ${mark} was used ${uses} times`);
    if (uses === 0 && turn?.state === 'COMPLETED') problems.push(`the answer ${mark} to ${kind} was lost`);
  }
  return problems;
};

const live = async (seed: number): Promise<readonly string[]> => {
  const machine = new Machine({ config: CONFIG, isMetered: true, callsPerTurn: CALLS_PER_TURN });
  const random = seededRandom(seed);
  try {
    await machine.start();
    const sessions: string[] = [];
    for (let index = 0; index < SESSIONS; index++) sessions.push(await machine.session());
    const world: World = { machine, random, sessions, answers: new Map() };
    for (const session of sessions) await machine.send(session, pick(random, TEXTS));
    for (let round = 0; round < ROUNDS; round++) {
      const open = await machine.questions();
      for (const session of sessions) await actOn(world, session, open);
      await happenToAll(world);
    }
    // The next message is accepted whatever came before, and runs to its end.
    const last = await Promise.all(sessions.map((session) => machine.send(session, 'and now')));
    await machine.runToEnd(async () => {
      for (const question of await machine.questions()) await answerOne(world, question);
    });
    const declined = declinedBudgets(world);
    const ended = await Promise.all(last.map(async ({ turnId }) => ({ turnId, turn: await machine.turn(turnId) })));
    const problems = ended
      .filter(({ turnId, turn }) => turn?.state !== (declined.has(turnId) ? 'FAILED' : 'COMPLETED'))
      .map(({ turnId, turn }) => `the last turn ${turnId} is ${turn?.state}`);
    if (![...world.answers.values()].some(({ question }) => question.kind === 'budget'))
      problems.push('no budget was asked for');
    return [
      ...problems,
      ...(await raiseProblems(world)),
      ...(await answerProblems(world)),
      ...(await findProblems(machine)),
    ];
  } finally {
    await machine.dispose();
  }
};

describe('a thousand conversations that ask people', () => {
  it.each(sampledNumbers(WORLDS, POSTGRES_WORLDS).map((seed) => [seed]))(
    'use each answer once and accept the next message, whatever is answered, stopped, crashed or set in between (world %i)',
    async (seed) => {
      expect(await live(seed)).toEqual([]);
    },
    120_000,
  );
});
