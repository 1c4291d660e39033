import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds, ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { Bus } from '../../store/contracts/index.ts';
import { EVENT, eventSubject, type SessionEvent } from '../contract.ts';
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
  engine.dispose();
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
    ...more,
  });

const open = (sessionId: string, after = '', turnId = '') => {
  const events: SessionEvent[] = [];
  const opened = Promise.withResolvers<void>();
  const control = new AbortController();
  const ended = streams.follow(
    { sessions: [{ namespace: 'default', agent: 'helper', sessionId, after }], untilDone: true, turnId, batch: false },
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
    await streams.look();
    await streams.look();
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
    const reader = open(sessionId);
    await reader.opened;
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
  const late = make({ store: { ...engineReads(), now: () => engine.store.now() + 601_000_000 } });
  const follow = (registry: StreamRegistry, after: string): Promise<void> =>
    registry.follow(
      {
        sessions: [{ namespace: 'default', agent: 'helper', sessionId, after }],
        untilDone: true,
        turnId: '',
        batch: false,
      },
      { open: () => undefined, send: () => true, onDrained: () => undefined },
      AbortSignal.timeout(50),
    );
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
});
