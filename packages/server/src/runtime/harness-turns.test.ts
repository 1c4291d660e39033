import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Harnesses,
  noMeter,
  noTracer,
  PART,
  QuotaFault,
  type TurnMeter,
  type TurnTracer,
  type UsageMeter,
} from './index.ts';
import { parseSide } from './record/index.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine, type ProcessOptions } from './testing/machine.ts';
import { recordedUsage } from './testing/recorded-usage.ts';
import { ScriptedHarness } from './testing/scripted-harness.ts';
import { useMachine } from './testing/with-machine.ts';

const SPEC = { runtime: { kind: 'acp', acp: { harnessRef: 'demo', persistSession: true } }, systemPrompt: 'Be kind.' };
const WORK = 'think why\ntext one\nbegin look\nend look seen\nask cut\ntext two';

const harness = new ScriptedHarness();
beforeEach(() => {
  harness.deaths = 0;
  harness.prompts.length = 0;
  harness.saved.length = 0;
});

/** Time in steps in which renewals come in time. */
const pass = async (machine: Machine, ms: number): Promise<void> => {
  for (let step = 0; step < ms / 3_000; step++) await machine.advance(3_000);
};

describe('a turn in a harness', () => {
  const world = useMachine({
    spec: SPEC,
    deps: { harnesses: harness },
    isMetered: true,
    config: { permissionTimeoutMs: 120_000 },
  });

  const begin = async (text: string) => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, text);
    await machine.quiet();
    return { machine, session, turnId };
  };
  const types = async (machine: Machine, session: string) =>
    (await machine.messages(session)).at(-1)!.parts.map(({ type }) => type);

  it('stores what it showed, waits for a person while it holds its claim, and ends once (12.71, R61)', async () => {
    const { machine, session, turnId } = await begin(WORK);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'WAITING', worker: machine.process.workerId });
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    // Ten leases: the claim is renewed while it waits.
    await pass(machine, 100_000);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'WAITING', attempt: 1 });
    const [question] = await machine.questions();
    await machine.answer(question!);
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1, fence: 1 });
    expect(await types(machine, session)).toEqual([
      PART.REASONING,
      PART.TEXT,
      PART.TOOL_CALL,
      PART.TOOL_RESULT,
      PART.REQUEST_PERMISSION,
      PART.PERMISSION_RESULT,
      PART.TEXT,
      PART.USAGE,
    ]);
    expect(parseSide((await machine.row(session))!)).toMatchObject({ acpSessionId: 'own-1', sandboxRef: 'box' });
  });

  it('tells the harness that nobody answered in time', async () => {
    const { machine, session } = await begin('ask cut');
    await pass(machine, 126_000);
    expect((await machine.messages(session)).at(-1)!.parts.map(({ content }) => content)).toContain('chose nothing. ');
  });

  it('is stopped while it works and while it waits for a person (12.17, 12.71)', async () => {
    for (const text of ['text one\nbegin look\nhold', 'text one\nask cut']) {
      const { machine, session, turnId } = await begin(text);
      await machine.stop(session);
      await machine.quiet();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'STOPPED' });
    }
  });

  it('tells a new session the instructions and the conversation, and a continued one the message alone', async () => {
    const { machine, session } = await begin('text one');
    expect(harness.prompts).toEqual(['Be kind.\n\ntext one']);
    await machine.send(session, 'text two');
    await machine.quiet();
    expect(harness.saved).toEqual(['', parseSide((await machine.row(session))!).acpSessionId]);
    expect(harness.prompts[1]).toBe('text two');
  });

  it('is repeated once after its harness was lost, as long as no call was seen (K26, 12.72)', async () => {
    harness.deaths = 1;
    const { machine, session, turnId } = await begin('text one');
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    expect((await machine.messages(session)).at(-1)!.parts.map(({ content }) => content)).toEqual(['one. ', undefined]);
    harness.deaths = 2;
    const again = await begin('text one');
    expect(JSON.parse((await machine.turn(again.turnId))!.body)).toMatchObject({ reason: 'harness_lost' });
  });

  it('fails with what is recorded when its harness was lost after a call (K26, 12.72)', async () => {
    const { machine, session, turnId } = await begin('text one\nbegin look\nend look seen\ndie');
    expect(JSON.parse((await machine.turn(turnId))!.body)).toMatchObject({ reason: 'harness_lost' });
    expect(await types(machine, session)).toEqual([PART.TEXT, PART.TOOL_CALL, PART.TOOL_RESULT, PART.ERROR]);
  });

  it('calls the tools of its agent: judged, asked about, recorded', async () => {
    const { machine, session, turnId } = await begin('tool put {"n":1}\ntool nope {}\ntool guarded {"n":2}');
    expect(await machine.turn(turnId)).toMatchObject({ state: 'WAITING' });
    const [question] = await machine.questions();
    await machine.answer(question!);
    await machine.quiet();
    expect([machine.record.runsOf('put').length, machine.record.runsOf('guarded').length]).toEqual([1, 1]);
    const results = (await machine.messages(session)).at(-1)!.parts.filter(({ type }) => type === PART.TOOL_RESULT);
    expect(results.map(({ name, payload }) => [name, payload?.['is_error']])).toEqual([
      ['put', false],
      ['nope', true],
      ['guarded', false],
    ]);
  });

  it('takes no message meanwhile: one that would steer is next', async () => {
    const { machine, session, turnId } = await begin('ask cut');
    const second = await machine.send(session, 'text later', { whenBusy: 'STEER' });
    expect(second).toMatchObject({ steered: false });
    expect(second.turnId).not.toBe(turnId);
    const [question] = await machine.questions();
    await machine.answer(question!);
    await machine.quiet();
    expect(await machine.turn(second.turnId)).toMatchObject({ state: 'COMPLETED' });
  });
});

describe('a harness that dies while a person is asked', () => {
  const asking: Harnesses = {
    run: async (_turn, sink) => {
      await sink.opened({ id: 'own', isLoaded: false, isReset: false, sandbox: 'box' });
      const options = [{ id: 'yes', name: 'Yes', allow: true }];
      const question = { callId: 'cut', action: 'cut', prompt: 'Allow cut?', input: {}, options };
      void sink.ask(question).catch(() => undefined);
      await died.promise;
      return { kind: 'lost', sentence: 'The external agent was lost.' };
    },
  };
  const died = Promise.withResolvers<void>();
  const world = useMachine({ spec: SPEC, deps: { harnesses: asking }, isMetered: true });

  it('fails its turn at once, whose question is closed', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, 'cut');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'WAITING' });
    died.resolve();
    await machine.quiet();
    const { state, body } = (await machine.turn(turnId))!;
    expect({ state, reason: (JSON.parse(body) as { readonly reason: string }).reason }).toEqual({
      state: 'FAILED',
      reason: 'harness_lost',
    });
    expect(await machine.questions()).toEqual([]);
    expect(await findProblems(machine)).toEqual([]);
  });
});

describe('a harness that is observed', () => {
  const calls: {
    readonly provider: string;
    readonly model: string;
    readonly purpose: unknown;
    readonly kind: string;
  }[] = [];
  const meter: TurnMeter = {
    ...noMeter,
    modelCalled: ({ target, purpose, outcome }) => void calls.push({ ...target, purpose, kind: outcome.kind }),
  };
  const prompts: string[] = [];
  const tracer: TurnTracer = {
    attempt: (...given) => ({
      ...noTracer.attempt(...given),
      harnessPrompt: () => ({ prompted: (text) => void prompts.push(text), end: () => void prompts.push('ended') }),
    }),
  };
  const world = useMachine({ spec: SPEC, deps: { harnesses: harness, meter, tracer } });

  it('is measured as calls of models are, and each of its prompts is a span', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, 'text done');
    await machine.quiet();
    expect(calls).toEqual([{ provider: 'acp', model: 'demo', purpose: 'invoke_agent', kind: 'finished' }]);
    expect(prompts).toEqual([expect.stringContaining('text done'), 'ended']);
  });
});

describe('a harness under a quota', () => {
  const reserved = new Set<string>();
  const meter = recordedUsage();
  const usage: UsageMeter = {
    ...meter,
    reserve: async (...reservation) => {
      const [, metric, { provider = '', model = '' }, key] = reservation;
      reserved.add([metric, provider, model, metric === 'tool.calls' ? key.split('_').at(-1) : ''].join(' ').trim());
      const used = [...reserved].filter((one) => one.startsWith('tool.calls')).length;
      if (used > 2) throw new QuotaFault('2 of 2 tool calls are used', { metadata: {}, retryAfterMs: 1 }, undefined);
      return meter.reserve(...reservation);
    },
  };
  const world = useMachine({ spec: SPEC, deps: { harnesses: harness, usage }, isMetered: true });

  it('counts its prompt and each of its calls, and ends where they are used up (R62, 12.77)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const first = await machine.send(session, 'begin look\nend look seen\ntool put {"n":1}\ntext done');
    await machine.quiet();
    expect(await machine.turn(first.turnId)).toMatchObject({ state: 'COMPLETED' });
    expect([...reserved]).toEqual(['agent.sessions', 'llm.requests acp demo', 'tool.calls   0', 'tool.calls   1']);
    expect(await machine.chargedTokens()).toBe(5);
    const second = await machine.send(session, 'begin a\nend a x\nbegin b\nend b x\nbegin c\nend c x');
    await machine.quiet();
    const body = JSON.parse((await machine.turn(second.turnId))!.body) as { readonly reason: string };
    expect(body.reason).toBe('quota_exceeded');
  });
});

describe('a process that dies while a harness works', () => {
  const run = async (plan: { readonly point: string; readonly nth: number }, reached: Map<string, number>) => {
    const machine = new Machine({ spec: SPEC, deps: { harnesses: harness }, isMetered: true });
    let isArmed = true;
    const hit = (point: string): void => {
      if (!isArmed) return;
      const count = (reached.get(point) ?? 0) + 1;
      reached.set(point, count);
      if (point === plan.point && count === plan.nth) machine.process.gate.crashHere();
    };
    const options: ProcessOptions = { faultPoint: hit };
    const person = async (): Promise<void> => {
      for (const question of await machine.questions())
        if (!machine.isDead) await machine.answer(question).catch(() => undefined);
    };
    try {
      await machine.start(options);
      const session = await machine.session();
      const { turnId } = await machine.send(session, WORK);
      await machine.quiet();
      await person();
      await machine.quiet();
      isArmed = false;
      const isDead = machine.isDead;
      if (isDead) await machine.restart();
      await machine.runToEnd(person);
      const { state, body } = (await machine.turn(turnId))!;
      return {
        problems: await findProblems(machine),
        isDead,
        state,
        reason: (JSON.parse(body) as { reason: string }).reason,
      };
    } finally {
      await machine.dispose();
    }
  };
  /** How the turn ends: again from its beginning while nothing was done, else as lost. */
  const POINTS: Readonly<Record<string, string>> = {
    'before-harness': 'completed',
    'before-harness-prompt': 'completed',
    'before-harness-entry': 'completed',
    'after-harness-entry': 'harness_lost',
    'before-hold': 'harness_lost',
    'after-hold': 'harness_lost',
    'after-harness': 'harness_lost',
  };

  it.each(Object.entries(POINTS))(
    '%s loses and repeats nothing that was done: %s (K26, 12.72)',
    async (point, reason) => {
      const end = await run({ point, nth: 1 }, new Map());
      expect(end).toMatchObject({ problems: [], isDead: true, reason });
    },
  );
});
