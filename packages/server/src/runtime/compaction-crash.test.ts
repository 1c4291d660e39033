import { describe, expect, it } from 'vitest';
import { ManualClock } from '../base/index.ts';
import type { ModelChunk, ModelRegistry } from '../models/contract.ts';
import type { JournalRow } from '../store/contracts/index.ts';
import { PART, type Part } from './contract.ts';
import type { RuntimeDeps } from './create-runtime.ts';
import { stepFacts } from './inspection/step-facts.ts';
import { testModels } from './testing/engine-harness.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';
import { recordedUsage } from './testing/recorded-usage.ts';

const spec = { modelPolicy: { profiles: [{ name: 'small', model: { provider: 'demo', name: 'small' } }] } };
const LONG = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

const SPENT = {
  inputTokens: 10,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 10,
  reasoningTokens: 0,
  totalTokens: 20,
  usageAvailable: true,
  estimated: false,
  provider: 'demo',
  model: 'echo',
};

/** Models that answer each compaction with these chunks. */
const withSummaries = (chunks: () => readonly ModelChunk[]): ModelRegistry => {
  const real = testModels(new ManualClock());
  const stream: ModelRegistry['stream'] = async (request, sink, signal) => {
    if (request.purpose === 'compaction') {
      request.onSent?.(await real.bodyOf(request));
      for (const chunk of chunks()) sink(chunk);
    } else await real.stream(request, sink, signal);
  };
  return new Proxy(real, {
    get: (target, name) => {
      const value: unknown = name === 'stream' ? stream : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

/** Models that fail each compaction, before or after the first byte of an answer. */
const withoutSummaries = (hasByte: boolean): ModelRegistry =>
  withSummaries(() => [
    {
      type: 'error',
      error: {
        errorClass: 'provider_unavailable',
        sentence: 'away',
        beforeFirstByte: !hasByte,
        beforeFirstToken: true,
      },
    },
  ]);

/** Fills the window of demo/small until a compaction is due, then sends one more message; `crash` may end the process. */
const runCompaction = async (crash: (point: string, machine: Machine) => void, deps: Partial<RuntimeDeps> = {}) => {
  const machine = new Machine({ spec, deps });
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
    const summaries = parts.filter((part) => part.type === PART.COMPACTION).length;
    return { crashed, problems, summaries, compared: machine.seen.comparedSummaries };
  } finally {
    await machine.dispose();
  }
};

/** Parts of a journal as nodes of the release before read them. */
const partsAsBefore = (rows: readonly JournalRow[]): readonly (Part | undefined)[] =>
  rows
    .filter(({ kind }) => kind !== 'STEER_INPUT')
    .flatMap(({ kind, body }): readonly (Part | undefined)[] => {
      const { part, parts } = JSON.parse(body) as { readonly part?: Part; readonly parts: readonly Part[] };
      return ['MODEL_RESPONSE', 'HARNESS'].includes(kind) ? parts : [part];
    });

describe('compaction', () => {
  it('stores its summary as a part and loses nothing (R29)', async () => {
    const { problems, summaries, compared } = await runCompaction(() => undefined);
    expect(problems).toEqual([]);
    expect(summaries).toBeGreaterThan(0);
    // What each summariser was sent is rebuilt as it left; `problems` would name one that is not.
    expect(compared).toBe(summaries);
  });

  it.each([true, false])('counts its model call unless not one byte of an answer came: %s (RT-9)', async (came) => {
    const [held, back]: [string[], string[]] = [[], []];
    const note =
      (into: string[], act: RuntimeDeps['usage']['reserve']): typeof act =>
      async (...args) => {
        if (args[3].includes('/compaction/')) into.push(args[3]);
        await act(...args);
      };
    const metered = recordedUsage();
    const usage = { ...metered, reserve: note(held, metered.reserve), giveBack: note(back, metered.giveBack) };
    const { problems, summaries } = await runCompaction(() => undefined, { usage, models: withoutSummaries(came) });
    expect({ problems, summaries }).toEqual({ problems: [], summaries: 0 });
    expect(held.length).toBeGreaterThan(0);
    expect(back).toEqual(came ? [] : held);
  });

  it.each(['', LONG])('charges a summary that saves nothing, and asks for no other one in its turn', async (text) => {
    let calls = 0;
    const models = withSummaries(() => {
      calls += 1;
      return [
        { type: 'text', text },
        { type: 'finish', finish: 'stop', usage: { ...SPENT, totalTokens: 1_000_000 } },
      ];
    });
    const machine = new Machine({ isMetered: true, deps: { models } });
    try {
      await machine.start();
      const session = await machine.session();
      await machine.send(session, 'hello');
      await machine.quiet();
      await machine.withSession(session, (tx, row, { lifecycle }) => lifecycle.requestCompaction(tx, row));
      const { turnId } = await machine.send(session, '!tool look {"n":1}\n!say half\n!tool put {"n":2}\n!say end');
      await machine.send(session, 'and now');
      await machine.runToEnd();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
      expect(calls).toBe(1);
      const parts = (await machine.messages(session)).flatMap((message) => message.parts);
      expect(parts.some((part) => part.type === PART.COMPACTION)).toBe(false);
      expect(Math.floor((await machine.chargedTokens()) / 1_000_000)).toBe(1);
      expect(await machine.seen.problems({ ...machine, models: machine.process.models })).toEqual([]);
      expect(machine.seen.comparedSummaries).toBe(1);
    } finally {
      await machine.dispose();
    }
  });

  it('that saves nothing is in the journal as a node of the release before can read it, which may take the turn over', async () => {
    const models = withSummaries(() => [
      { type: 'text', text: LONG },
      { type: 'finish', finish: 'stop', usage: SPENT },
    ]);
    const machine = new Machine({ deps: { models } });
    try {
      await machine.start({
        faultPoint: (point) => {
          if (point === 'after-compaction-entry') machine.process.gate.crashHere();
        },
      });
      const session = await machine.session();
      await machine.send(session, 'hello');
      await machine.quiet();
      await machine.withSession(session, (tx, row, { lifecycle }) => lifecycle.requestCompaction(tx, row));
      const { turnId } = await machine.send(session, '!tool look {"n":1}\n!say end');
      await machine.quiet();
      expect(machine.isDead).toBe(true);
      await machine.restart();
      const rows = await machine.store.read((tx) => tx.log.journal(turnId));
      expect(rows.length).toBeGreaterThan(0);
      expect(partsAsBefore(rows).filter((part) => part === undefined)).toEqual([]);
      await machine.runToEnd();
      expect(await findProblems(machine)).toEqual([]);
      const turn = (await machine.turn(turnId))!;
      expect(turn.state).toBe('COMPLETED');
      const steps = await machine.store.read((tx) => stepFacts(tx, turn));
      expect(steps.map(({ kind, step, summary, outcome }) => [kind, step, summary, outcome])).toEqual([
        ['compaction', 1, 1, 'unused'],
        ['model', 1, 0, 'tool_calls'],
        ['model', 2, 0, 'answered'],
      ]);
    } finally {
      await machine.dispose();
    }
  });

  it.each(['before-compaction-entry', 'after-compaction-entry'])(
    'keeps the current message and the tail when the process dies %s (K16, K17, 12.10)',
    async (point) => {
      const { crashed, problems, summaries, compared } = await runCompaction((name, machine) => {
        if (name === point) machine.process.gate.crashHere();
      });
      expect({ crashed, problems }).toEqual({ crashed: true, problems: [] });
      expect(summaries).toBeGreaterThan(0);
      expect(compared).toBe(summaries);
    },
  );
});
