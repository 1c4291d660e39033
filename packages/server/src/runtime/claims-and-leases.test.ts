import { describe, expect, it } from 'vitest';
import { EVENT, PART } from './index.ts';
import { findProblems } from './testing/invariants.ts';
import { Machine } from './testing/machine.ts';
import type { LogChanges } from './testing/process-gate.ts';
import { useMachine } from './testing/with-machine.ts';

describe('claims', () => {
  let changing = 0;
  const count = async (_tx: unknown, { isChanging }: LogChanges): Promise<void> => {
    if (isChanging) changing += 1;
  };
  const world = useMachine({}, { watch: { onCommit: count } });

  it('cost a plain turn three write transactions: admission, claim, final (12.32, 2.5)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const before = changing;
    await machine.send(session, 'plain');
    await machine.quiet();
    expect(changing - before).toBe(3);
  });

  it('last for a turn of ten leases (12.14, 2.4)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!hold gate\n!say end');
    await machine.quiet();
    for (let second = 0; second < 100; second++) await machine.advance(1000);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'RUNNING', attempt: 1 });
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
  });

  it.each([
    { what: 'a claim', waitMs: 9000 },
    { what: 'a renewal', waitMs: 4500 },
  ])('count from when their transaction runs: $what waits behind other writes (2.4, K4)', async ({ what, waitMs }) => {
    const { machine } = world;
    const isClaim = what === 'a claim';
    let isNext = false;
    let left = 1;
    // Time passes between the request and its transaction.
    const onWrite = (moment: string): void => {
      if (!isNext || left === 0 || moment !== 'before') return;
      left = 0;
      machine.clock.advance(waitMs);
    };
    const faultPoint = (point: string): void => {
      isNext ||= isClaim && machine.sessions.length > 0 && point === 'before-claim';
    };
    await machine.restart({ watch: { onWrite }, faultPoint });
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!hold gate\n!say end');
    await machine.quiet();
    if (!isClaim) {
      isNext = true;
      await machine.process.runtime.worker.renew();
      machine.clock.advance(waitMs);
      await machine.quiet();
    }
    expect(left).toBe(0);
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
    expect(machine.record.modelCalls).toHaveLength(1);
  });

  it('renewed while the turn ends do not keep its terminal event back (2.4, R3)', async () => {
    const { machine } = world;
    let isEnding = false;
    const onWrite = (moment: string): void => {
      if (!isEnding || moment !== 'before') return;
      isEnding = false;
      queueMicrotask(() => void machine.process.runtime.worker.renew());
    };
    const faultPoint = (point: string): void => {
      if (point === 'before-final') isEnding = true;
    };
    await machine.restart({ watch: { onWrite }, faultPoint });
    const session = await machine.session();
    const { turnId } = await machine.send(session, 'hello');
    await machine.quiet();
    expect(machine.clients.get(session)?.terminalEvents(turnId)).toMatchObject([{ kind: EVENT.DONE }]);
  });

  it('renewed while the turn parks do not keep its question back (2.4, R46)', async () => {
    const { machine } = world;
    let isParking = false;
    const onWrite = (moment: string): void => {
      if (!isParking || moment !== 'before') return;
      isParking = false;
      queueMicrotask(() => void machine.process.runtime.worker.renew());
    };
    const faultPoint = (point: string): void => {
      if (point === 'before-park') isParking = true;
    };
    await machine.restart({ watch: { onWrite }, faultPoint });
    const session = await machine.session();
    await machine.send(session, '!tool guarded {"n":1}\n!say end');
    await machine.quiet();
    expect(await machine.row(session)).toMatchObject({ state: 'WAITING' });
    const shown = machine.clients.get(session)?.events.map((event) => event.part?.type);
    expect(shown).toContain(PART.REQUEST_PERMISSION);
    await machine.stop(session);
  });

  it('of a paused worker are taken over; it writes and shows nothing when it comes back (K20, R4, 12.13)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(
      session,
      '!say some words\n!delay 5000\n!say and more\n!tool slow {}\n!say end',
    );
    await machine.quiet();
    const [paused] = machine.processes;
    paused?.gate.pause();
    await machine.start({ sharedStore: true });
    for (let second = 0; second < 14; second++) await machine.advance(1000);
    expect(await machine.turn(turnId)).toMatchObject({ state: 'RUNNING', attempt: 2, worker: 'worker-2' });
    const shown = machine.record.events.filter((event) => event.attempt === 1).length;
    paused?.gate.resume();
    await machine.quiet();
    expect(machine.record.events.filter((event) => event.attempt === 1).length).toBe(shown);
    expect(paused?.runtime.worker.running).toBe(0);
    machine.tools.release();
    await machine.runToEnd();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
  });

  it('of a process that died go to another one with its next sweep, long before they end (2.7, K4)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!say some words\n!delay 5000\n!say end');
    await machine.quiet();
    const [dying] = machine.processes;
    await machine.start({ sharedStore: true });
    await machine.advance(1000);
    expect(await machine.turn(turnId)).toMatchObject({ attempt: 1, worker: 'worker-1' });
    if (dying !== undefined) machine.kill(dying);
    // A database server may notice the end of a connection behind the next sweep.
    let sweeps = 0;
    const afterSweep = async () => {
      if (sweeps++ < 4) await machine.advance(1000);
      return machine.turn(turnId);
    };
    await expect
      .poll(afterSweep, { interval: 500 })
      .toMatchObject({ state: 'RUNNING', attempt: 2, worker: 'worker-2' });
    await machine.runToEnd();
  });

  it('of a worker that the store lost sight of go on once, under a new fence, and show nothing of the one before (K20)', async () => {
    const { machine } = world;
    const text = '!say some words\n!delay 5000\n!say more\n!tool put {"n":1}\n!say end';
    const sent: { readonly turnId: string }[] = [];
    while (sent.length < 8) sent.push(await machine.send(await machine.session(), text));
    await machine.quiet();
    const [hidden] = machine.processes;
    const other = await machine.start({ sharedStore: true });
    hidden?.gate.hide();
    // A database server may notice the end of a connection behind the next sweep. Either process may take the turns then.
    const attempts = async () => {
      await other.runtime.sweeper.tick();
      await machine.quiet();
      return Promise.all(sent.map(async ({ turnId }) => (await machine.turn(turnId))?.attempt));
    };
    await expect.poll(attempts, { interval: 50 }).toEqual(sent.map(() => 2));
    await hidden?.gate.show();
    await machine.quiet();
    const running = machine.processes.map(({ runtime }) => runtime.worker.running);
    expect(running.reduce((sum, count) => sum + count, 0)).toBe(sent.length);
    await machine.runToEnd();
    for (const { turnId } of sent) expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    expect(machine.record.runsOf('put')).toHaveLength(sent.length);
  });

  it('are never held by two workers of one session, whoever wakes first (R2)', async () => {
    const { machine } = world;
    await machine.start({ sharedStore: true });
    const session = await machine.session();
    for (const text of ['a', 'b', 'c', 'd']) await machine.send(session, text);
    await machine.runToEnd();
    const texts = (await machine.messages(session)).map((message) => message.parts[0]?.content);
    expect(texts).toEqual(
      ['a', 'b', 'c', 'd']
        .flatMap((text) => [text, `You said: ${text}`])
        .sort((a, b) => texts.indexOf(a) - texts.indexOf(b)),
    );
    expect(texts.filter((text) => text?.startsWith('You'))).toEqual(
      ['a', 'b', 'c', 'd'].map((text) => `You said: ${text}`),
    );
  });

  it('of a turn with no hint at all come through the sweeper alone, stops and steers included (12.3, K3, R18, R70)', async () => {
    const { machine } = world;
    await machine.restart({ watch: { deliveries: (subject) => (subject.startsWith('ev.') ? 1 : 0) } });
    const session = await machine.session();
    const first = await machine.send(session, '!tool put {"n":1}\n!say done');
    const second = await machine.send(session, '!hold gate');
    await machine.quiet();
    expect(await machine.turn(first.turnId)).toMatchObject({ state: 'QUEUED' });
    await machine.advance(1000);
    await machine.advance(1000);
    expect(await machine.turn(first.turnId)).toMatchObject({ state: 'COMPLETED' });
    await machine.stop(session, second.turnId);
    for (let step = 0; step < 5; step++) await machine.advance(1000);
    expect(await machine.turn(second.turnId)).toMatchObject({ state: 'STOPPED' });
  });
});

describe('a turn that kills its worker', () => {
  it('every time ends as attempts_exhausted with what was recorded (K29, 12.16)', async () => {
    const machine = new Machine();
    try {
      const deadly = () => ({
        faultPoint: (point: string) => void (point === 'before-tool' && machine.process.gate.crashHere()),
      });
      await machine.start(deadly());
      const session = await machine.session();
      const { turnId } = await machine.send(session, '!say first\n!tool put {}\n!say never');
      for (let attempt = 1; attempt <= 5; attempt++) {
        await machine.quiet();
        expect(machine.isDead).toBe(true);
        await machine.restart(deadly());
      }
      await machine.runToEnd();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'FAILED', attempt: 5 });
      expect(machine.clients.get(session)?.terminalEvents(turnId)).toMatchObject([
        { kind: EVENT.ERROR, reason: 'attempts_exhausted' },
      ]);
      const [, reply] = await machine.messages(session);
      expect(reply?.parts.map((part) => part.type)).toEqual([
        PART.TEXT,
        PART.USAGE,
        PART.TOOL_CALL,
        PART.TOOL_RESULT,
        PART.ERROR,
      ]);
      expect(await findProblems(machine)).toEqual([]);
    } finally {
      await machine.dispose();
    }
  });

  it('leaves no money reserved for the model call that it died in (AD-4)', async () => {
    const machine = new Machine({ isMetered: true, config: { maxAttempts: 1 } });
    try {
      await machine.start({
        faultPoint: (point) => void (point === 'before-model-call' && machine.process.gate.crashHere()),
      });
      const session = await machine.session();
      const { turnId } = await machine.send(session, 'hello');
      await machine.quiet();
      expect([machine.isDead, await machine.holdsMoney(turnId)]).toEqual([true, true]);
      await machine.restart();
      await machine.runToEnd();
      expect(await machine.turn(turnId)).toMatchObject({ state: 'FAILED' });
      expect(await findProblems(machine)).toEqual([]);
    } finally {
      await machine.dispose();
    }
  });
});

describe('failures', () => {
  const world = useMachine();

  it('of one turn leave the session ready for the next one (12.27, 2.2)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const failed = await machine.send(session, '!say partly\n!error provider_auth');
    const next = await machine.send(session, 'fine');
    await machine.quiet();
    expect(await machine.turn(failed.turnId)).toMatchObject({ state: 'FAILED' });
    expect(await machine.turn(next.turnId)).toMatchObject({ state: 'COMPLETED' });
  });

  it('of a tool become its result and hurt no other turn (12.34, R19, R43)', async () => {
    const { machine } = world;
    const sessions = [await machine.session(), await machine.session()];
    const [first = '', second = ''] = sessions;
    const broken = await machine.send(first, '!tool broken {}\n!say went on');
    const other = await machine.send(second, 'other');
    await machine.quiet();
    for (const { turnId } of [broken, other]) expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    const result = (await machine.messages(first))
      .flatMap((message) => message.parts)
      .find((part) => part.type === PART.TOOL_RESULT);
    expect(result?.content).toContain('"code":"failed"');
    expect(result?.content).not.toContain('secret detail');
  });

  it('of an end hook are undone alone and do not keep the turn open (R3, R19)', async () => {
    const { machine } = world;
    machine.endHooks.push({
      turnEnded: async (tx, { turn }) => {
        await tx.instance.setValue(`half/${turn.id}`, 'written');
        throw new Error('hook is broken');
      },
    });
    await machine.restart();
    const session = await machine.session();
    const { turnId } = await machine.send(session, 'hello');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
    expect(await machine.store.read((tx) => tx.instance.value(`half/${turnId}`))).toBeUndefined();
    expect(machine.errors.splice(0)).toHaveLength(1);
  });

  it('of the connection after the first token show RESET once and store the text once (12.4, R31, 4.3)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!break 2\n!say one two three four');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    const resets = machine.record.events.filter((event) => event.kind === EVENT.RESET);
    expect(resets).toMatchObject([{ reason: 'retry', attempt: 2 }]);
  });
});

describe('shutdown', () => {
  const world = useMachine();

  it('hands a turn over at its next entry: same attempt, no RESET, no repeated call (12.28, K28, 2.9)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!say first\n!tool slow {"n":1}\n!tool put {"n":2}\n!say last');
    const queued = await machine.send(session, 'next');
    await machine.quiet();
    const stopping = machine.process.runtime.stop();
    machine.tools.release();
    await stopping;
    expect(await machine.turn(turnId)).toMatchObject({ state: 'QUEUED', ready: true, attempt: 1 });
    await machine.restart();
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 1 });
    expect(await machine.turn(queued.turnId)).toMatchObject({ state: 'COMPLETED' });
    expect(machine.record.runsOf('slow')).toHaveLength(1);
    expect(machine.record.events.filter((event) => event.kind === EVENT.RESET)).toEqual([]);
  });

  it('releases at once what does not reach an entry in time; it goes on as a new attempt (2.9, K28)', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await machine.send(session, '!say shown\n!hold gate\n!say end');
    await machine.quiet();
    const stopping = machine.process.runtime.stop();
    await machine.quiet();
    await machine.advance(30_000);
    await stopping;
    expect(machine.process.runtime.worker.running).toBe(0);
    const restarted = await machine.restart();
    await machine.quiet();
    restarted.models.releaseHold('gate');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
  });

  it('leaves no timer behind (R17)', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, 'hello');
    await machine.quiet();
    for (const client of machine.clients.values()) client.disconnect();
    machine.process.streams.shutDown();
    await machine.process.runtime.stop();
    expect(machine.clock.pendingTimers).toBe(0);
  });
});

describe('fork and append', () => {
  const world = useMachine();

  it('work while a turn runs and leave it alone (12.22, 2.8)', async () => {
    const { machine } = world;
    const session = await machine.session();
    await machine.send(session, 'ended');
    await machine.quiet();
    const { turnId } = await machine.send(session, '!hold gate\n!say running');
    await machine.quiet();
    const fork = await machine.withSession(session, (tx, row, { lifecycle }) =>
      lifecycle.fork(tx, row, { throughMessageId: '', labels: {}, identity: 'test' }),
    );
    const before = await machine.row(session);
    const parts = [{ id: '', type: PART.TEXT, content: 'appended', createdAt: 1 }];
    await machine.withSession(session, (tx, row, { lifecycle }) =>
      lifecycle.append(tx, row, { id: '', role: 1, createdAt: 1, labels: {}, parts }),
    );
    expect(await machine.row(session)).toMatchObject({ state: before?.state, fence: before?.fence, openTurns: 1 });
    const copied = await machine.messages(fork?.id ?? '');
    expect(copied.map((message) => message.parts[0]?.content)).toEqual(['ended', 'You said: ended']);
    expect(fork?.labels['svc/forked-from']).toBe(session);
    machine.process.models.releaseHold('gate');
    await machine.quiet();
    expect(await machine.turn(turnId)).toMatchObject({ state: 'COMPLETED' });
  });
});
