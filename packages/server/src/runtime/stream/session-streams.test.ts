import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds, ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { Bus, SessionLogReads } from '../../store/contracts/index.ts';
import { calculateTool } from '../../tools/index.ts';
import { EVENT, eventSubject, PART, type SessionEvent } from '../contract.ts';
import { EngineHarness } from '../testing/engine-harness.ts';
import { type SessionStreamsDeps, StreamRegistry } from './session-streams.ts';

/** A gateway that runs no turns itself: it sees the store, and only those events that the test lets through. */
let engine: EngineHarness;
let gatewayBus: Bus;
let gaps: Set<() => void>;
let streams: StreamRegistry;
const clock = new ManualClock();

beforeEach(async () => {
  engine = new EngineHarness();
  await engine.start();
  const local = createLocalBus(silentLog);
  gaps = new Set();
  gatewayBus = {
    publish: (subject, message) => local.publish(subject, message),
    subscribe: (subject, receive) => local.subscribe(subject, receive),
    onGap: (_subject, notify) => {
      gaps.add(notify);
      return () => gaps.delete(notify);
    },
    close: () => local.close(),
  };
  streams = make();
});
afterEach(async () => {
  streams.shutDown();
  await engine.stop();
  await engine.dispose();
});

const make = (more: Partial<SessionStreamsDeps> = {}): StreamRegistry =>
  new StreamRegistry({
    store: engine.store,
    bus: gatewayBus,
    clock,
    log: silentLog,
    liveTurns: { live: () => undefined },
    limits: { events: 100, bytes: 1 << 20 },
    historySeconds: 600,
    untilDoneIdleMs: 30_000,
    ...more,
  });

const open = (
  sessionId: string,
  after = '',
  { turnId = '', untilDone = true }: { readonly turnId?: string; readonly untilDone?: boolean } = {},
) => {
  const events: SessionEvent[] = [];
  const opened = Promise.withResolvers<void>();
  const control = new AbortController();
  const ended = streams.follow(
    { sessions: [{ namespace: 'default', agent: 'helper', sessionId, after }], untilDone, turnId, batch: false },
    { open: () => opened.resolve(), send: (event) => events.push(event) > 0, onDrained: () => undefined },
    control.signal,
  );
  ended.catch(() => undefined);
  return { events, opened: opened.promise, ended, control };
};
const textOf = (events: readonly SessionEvent[]): string =>
  events.map((event) => (event.part?.type === 1 ? event.part.content : '')).join('');
const forward = (sessionId: string, lets: (event: SessionEvent) => boolean): (() => void) =>
  engine.bus.subscribe(eventSubject(sessionId), (message) => {
    if (lets(message as SessionEvent)) gatewayBus.publish(eventSubject(sessionId), message);
  });

describe('until the end of a turn, asked of a session without turn or cursor', () => {
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  const isOver = async (reader: { readonly ended: Promise<void> }): Promise<boolean> => {
    let over = false;
    reader.ended.then(
      () => {
        over = true;
      },
      () => undefined,
    );
    await settled();
    return over;
  };

  test.each(['', '0', 'live'])('ends well after 30 s when the session stays idle (after %j)', async (after) => {
    const sessionId = await engine.session();
    await engine.ended((await engine.send(sessionId, 'long ago')).turnId);
    const reader = open(sessionId, after);
    await reader.opened;
    clock.advance(29_999);
    expect(await isOver(reader)).toBe(false);
    clock.advance(1);
    await reader.ended;
    expect(reader.events).toEqual([]);
  });

  test('follows a turn that began while it waited, however long that takes', async () => {
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    forward(sessionId, () => true);
    const { turnId } = await engine.send(sessionId, '!say one\n!hold long');
    clock.advance(30_000);
    expect(await isOver(reader)).toBe(false);
    clock.advance(30_000);
    expect(await isOver(reader)).toBe(false);
    engine.models.releaseHold('long');
    await engine.ended(turnId);
    await reader.ended;
    expect([textOf(reader.events), reader.events.at(-1)?.kind]).toEqual(['one', EVENT.DONE]);
  });

  test('shows a whole turn that the bus lost instead of ending without it', async () => {
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    await engine.ended((await engine.send(sessionId, 'unheard')).turnId);
    clock.advance(30_000);
    await reader.ended;
    expect([textOf(reader.events), reader.events.at(-1)?.kind]).toEqual(['You said: unheard', EVENT.DONE]);
  });

  test('behind a cursor it waits for the next turn, and a stored end is the end at once', async () => {
    const sessionId = await engine.session();
    await engine.ended((await engine.send(sessionId, 'first')).turnId);
    const row = await engine.store.direct.log.session(sessionId);
    const place = { sessionId, epoch: row?.epoch ?? 0 };
    const behind = open(sessionId, streams.cursors.encode({ ...place, sequence: row?.lastSequence ?? 0 }));
    const before = open(sessionId, streams.cursors.encode({ ...place, sequence: (row?.lastSequence ?? 0) - 1 }));
    await before.ended;
    expect(before.events.map(({ kind }) => kind)).toEqual([EVENT.DONE]);
    clock.advance(300_000);
    expect(await isOver(behind)).toBe(false);
    forward(sessionId, () => true);
    await engine.ended((await engine.send(sessionId, 'second')).turnId);
    await behind.ended;
    expect(textOf(behind.events)).toBe('You said: second');
  });
});

describe('a follower on another node', () => {
  test('fills what the bus lost from the store, each event once', async () => {
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    let count = 0;
    forward(sessionId, (event) => event.kind !== EVENT.DELTA || count++ % 3 === 0);
    await engine.send(sessionId, 'a b c d e f g h i j k l m n o p');
    await reader.ended;
    expect(textOf(reader.events)).toBe('You said: a b c d e f g h i j k l m n o p');
    const sequences = reader.events.map((event) => event.sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((left, right) => left - right));
  });

  test('gets the end of a turn from its row when every later event was lost', async () => {
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    let count = 0;
    forward(sessionId, () => count++ < 1);
    const { turnId } = await engine.send(sessionId, 'one two three');
    await engine.ended(turnId);
    expect(reader.events).toHaveLength(1);
    clock.advance(1_000);
    await streams.check();
    await streams.check();
    await reader.ended;
    expect([textOf(reader.events), reader.events.at(-1)?.kind]).toEqual(['You said: one two three', EVENT.DONE]);
  });

  test('reads again when the bus reports a gap', async () => {
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    const { turnId } = await engine.send(sessionId, 'lost');
    await engine.ended(turnId);
    for (const notify of gaps) notify();
    await reader.ended;
    expect(textOf(reader.events)).toBe('You said: lost');
  });

  test('shows text of a running step that only the worker knows, when it can ask', async () => {
    streams = make({ remoteLive: (id) => Promise.resolve(engine.runtime.live.live(id)) });
    const sessionId = await engine.session();
    const { turnId } = await engine.send(sessionId, '!say half\n!hold remote\n!say  whole');
    await engine.event((event) => event.turnId === turnId && event.part?.type === 1);
    const reader = open(sessionId);
    await reader.opened;
    forward(sessionId, () => true);
    engine.models.releaseHold('remote');
    await reader.ended;
    expect(textOf(reader.events)).toBe((await engine.reply(sessionId)).toString());
  });

  test('leaves no timer and no subscription behind', async () => {
    const sessionId = await engine.session();
    const reader = open(sessionId, '', { untilDone: false });
    await reader.opened;
    expect(clock.pendingTimers).toBe(0);
    const limited = open(sessionId);
    await limited.opened;
    expect(clock.pendingTimers).toBe(1);
    limited.control.abort();
    await limited.ended;
    expect(clock.pendingTimers).toBe(0);
    reader.control.abort();
    await reader.ended;
    expect([gaps.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});

test('a cursor is refused once the turns behind it are older than the history', async () => {
  const sessionId = await engine.session();
  const reader = open(sessionId);
  await reader.opened;
  forward(sessionId, () => true);
  const { turnId } = await engine.send(sessionId, 'old');
  await engine.ended(turnId);
  await reader.ended;
  const ids = createIds(clock, seededRandom(3));
  const cursor = (sequence: number): string => streams.cursors.encode({ sessionId, epoch: 0, sequence });
  const [first] = reader.events;
  const last = reader.events.at(-1)!;
  const later = (at: number): number => at + 601_000_000;
  const clocks = { now: () => later(engine.store.now()), steadyNow: () => later(engine.store.steadyNow()) };
  const late = make({ store: { ...engineReads(), ...clocks } });
  // A stream that is not refused has opened.
  const follow = (registry: StreamRegistry, after: string): Promise<void> => {
    const control = new AbortController();
    return registry.follow(
      {
        sessions: [{ namespace: 'default', agent: 'helper', sessionId, after }],
        untilDone: true,
        turnId: '',
        batch: false,
      },
      { open: () => control.abort(), send: () => true, onDrained: () => undefined },
      control.signal,
    );
  };
  await expect(follow(late, cursor(first!.sequence))).rejects.toMatchObject({ reason: 'CURSOR_EXPIRED' });
  await expect(follow(late, cursor(last.sequence))).resolves.toBeUndefined();
  await expect(follow(streams, cursor(first!.sequence))).resolves.toBeUndefined();
  await expect(follow(streams, cursor(last.sequence + 2 ** 24))).rejects.toMatchObject({ reason: 'CURSOR_EXPIRED' });
  const other = { sessionId: ids.next(), epoch: 0, sequence: 1 };
  await expect(follow(streams, streams.cursors.encode(other))).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
  late.shutDown();
});

const engineReads = (): SessionStreamsDeps['store'] => ({
  epoch: engine.store.epoch,
  direct: engine.store.direct,
  read: (work) => engine.store.read(work),
  now: () => engine.store.now(),
  steadyNow: () => engine.store.steadyNow(),
});

describe('a follower on a node that shares the store with others and no bus', () => {
  /** Statements that the checks of the store sent. */
  let asked: string[];
  const shared = (): StreamRegistry => {
    asked = [];
    const { direct } = engine.store;
    const log = new Proxy(direct.log, {
      get: (target, name: keyof SessionLogReads) => {
        const ask = target[name].bind(target) as (...values: unknown[]) => unknown;
        return (...values: unknown[]) => {
          asked.push(name);
          return ask(...values);
        };
      },
    });
    return make({ store: { ...engineReads(), direct: { ...direct, log } }, isShared: true });
  };
  const second = async (): Promise<void> => {
    clock.advance(1_000);
    await streams.check();
  };

  test('sees a turn that runs elsewhere after it found the session idle', async () => {
    streams = shared();
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    await second();
    const { turnId } = await engine.send(sessionId, 'one two three');
    await engine.ended(turnId);
    await second();
    await reader.ended;
    expect([textOf(reader.events), reader.events.at(-1)?.kind]).toEqual(['You said: one two three', EVENT.DONE]);
  });

  test('sees what a turn elsewhere has recorded while it runs, and the turn queued behind it', async () => {
    await engine.stop();
    await engine.dispose();
    engine = new EngineHarness({ tools: [calculateTool] });
    await engine.start();
    streams = shared();
    const sessionId = await engine.session();
    const reader = open(sessionId, 'live');
    await reader.opened;
    const { turnId } = await engine.send(sessionId, '!tool calculate {"expression":"6*7"}\n!hold answer\n!say done');
    await engine.event((event) => event.part?.type === PART.TOOL_RESULT);
    await second();
    await expect.poll(() => reader.events.map((event) => event.part?.type)).toContain(PART.TOOL_RESULT);
    const late = open(sessionId, 'live');
    const waiting = await engine.send(sessionId, 'next');
    const next = open(sessionId, 'live', { turnId: waiting.turnId });
    await Promise.all([late.opened, next.opened]);
    engine.models.releaseHold('answer');
    await engine.ended(turnId);
    await engine.ended(waiting.turnId);
    await second();
    await Promise.all([reader.ended, late.ended, next.ended]);
    expect([textOf(reader.events), textOf(late.events), textOf(next.events)]).toEqual([
      'done',
      'done',
      'You said: next',
    ]);
    expect(late.events.map((event) => event.part?.type)).not.toContain(PART.TOOL_RESULT);
  });

  test('sees a turn that ended elsewhere before another follower of the session came', async () => {
    streams = shared();
    const sessionId = await engine.session();
    const reader = open(sessionId);
    await reader.opened;
    const { turnId } = await engine.send(sessionId, 'unseen');
    await engine.ended(turnId);
    const later = open(sessionId);
    await later.opened;
    await second();
    await reader.ended;
    expect(textOf(reader.events)).toBe('You said: unseen');
    expect(later.events).toEqual([]);
    later.control.abort();
    await later.ended;
  });

  test('sees how a turn that is parked elsewhere goes on', async () => {
    streams = shared();
    const other = open(await engine.session());
    await other.opened;
    const sessionId = await engine.session();
    const { turnId } = await engine.send(sessionId, '!say asked\n!hold answer\n!say  answered');
    await engine.event((event) => event.turnId === turnId && event.part?.type === PART.TEXT);
    await engine.store.write(async (tx) => {
      const row = await tx.log.lockSession(sessionId);
      if (row !== undefined) await tx.log.saveSession({ ...row, state: 'WAITING' });
    });
    // The admission of the turn is known here before anyone follows its session.
    await second();
    const reader = open(sessionId);
    await reader.opened;
    engine.models.releaseHold('answer');
    await engine.ended(turnId);
    await second();
    await reader.ended;
    expect(textOf(reader.events)).toBe('asked answered');
    other.control.abort();
    await other.ended;
  });

  test('is told that its session was deleted elsewhere while a turn was open', async () => {
    streams = shared();
    const sessionId = await engine.session();
    const { turnId } = await engine.send(sessionId, '!say half\n!hold gone');
    await engine.event((event) => event.turnId === turnId && event.part?.type === 1);
    const reader = open(sessionId);
    await reader.opened;
    await engine.store.write(async (tx) => {
      const row = await tx.log.lockSession(sessionId);
      if (row !== undefined) await engine.runtime.lifecycle.remove(tx, row);
    });
    await second();
    await expect(reader.ended).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
  });

  test('costs nothing of its own while it is idle: one statement a second for all of them', async () => {
    streams = shared();
    const sessions = await Promise.all(Array.from({ length: 50 }, () => engine.session()));
    const readers = sessions.map((sessionId) => open(sessionId));
    await Promise.all(readers.map((reader) => reader.opened));
    await second();
    asked = [];
    for (let count = 0; count < 3; count++) await streams.check();
    expect(asked).toEqual(['newTurns', 'newTurns', 'newTurns']);
    for (const reader of readers) reader.control.abort();
    await Promise.all(readers.map((reader) => reader.ended));
    clock.advance(1_000);
    expect(clock.pendingTimers).toBe(0);
  });
});
