import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock, silentLog } from '../../base/index.ts';
import { EVENT, type SessionEvent } from '../contract.ts';
import { EngineHarness } from '../testing/engine-harness.ts';
import { lateSnapshots } from '../testing/late-snapshots.ts';
import { StreamRegistry } from './session-streams.ts';

/** Streams that open while turns begin and end between what they read and what they do with it. */
let engine: EngineHarness;
let streams: StreamRegistry;
/** What happens behind one of the next reads, the first one as 1. */
let meanwhile: { reads: number; readonly run: () => Promise<void> } | undefined;

beforeEach(async () => {
  engine = new EngineHarness();
  await engine.start();
  meanwhile = undefined;
  const store = lateSnapshots(engine.store, async () => {
    if (meanwhile === undefined || --meanwhile.reads > 0) return;
    const { run } = meanwhile;
    meanwhile = undefined;
    await run();
  });
  streams = new StreamRegistry({
    store: { ...store, epoch: engine.store.epoch },
    bus: engine.bus,
    clock: new ManualClock(),
    log: silentLog,
    liveTurns: engine.runtime.live,
    limits: { events: 1_024, bytes: 1 << 20 },
    historySeconds: 600,
    untilDoneIdleMs: 30_000,
  });
});
afterEach(async () => {
  streams.shutDown();
  await engine.stop();
  await engine.dispose();
});

const open = (sessionId: string, given: { readonly after: string; readonly turnId?: string }) => {
  const events: SessionEvent[] = [];
  const control = new AbortController();
  const { after, turnId = '' } = given;
  const ended = streams.follow(
    { sessions: [{ namespace: 'default', agent: 'helper', sessionId, after }], untilDone: false, turnId, batch: false },
    { open: () => undefined, send: (event) => events.push(event) > 0, onDrained: () => undefined },
    control.signal,
  );
  ended.catch(() => undefined);
  return { events, ended, control };
};
const textsOf = (events: readonly SessionEvent[]): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const { turnId, kind, part } of events)
    if (kind === EVENT.DELTA && part?.type === 1) texts[turnId] = (texts[turnId] ?? '') + part.content;
  return texts;
};
const endsOf = (events: readonly SessionEvent[]): string[] =>
  events.filter((event) => event.kind === EVENT.DONE).map((event) => event.turnId);
/** The turn runs and has shown text. */
const shows = (turnId: string): Promise<SessionEvent> =>
  engine.event((event) => event.turnId === turnId && event.part?.type === 1);
/** Begins the second turn in the place of the first one, which waits at the hold `first`. */
const nextRuns = async (first: string, second: string): Promise<void> => {
  engine.models.releaseHold('first');
  await engine.ended(first);
  await shows(second);
};

describe('a stream that opens while the next turn of its session begins', () => {
  test('with the cursor of the fresh session shows every turn, the finished ones too', async () => {
    const session = await engine.session();
    const { turnId: done } = await engine.send(session, '!say one');
    await engine.ended(done);
    const { turnId: first } = await engine.send(session, '!say two\n!hold first');
    await shows(first);
    const { turnId: second } = await engine.send(session, '!say three\n!hold second');
    const fresh = streams.cursors.encode({ sessionId: session, epoch: 0, sequence: 0 });
    // Two reads decide where the stream begins; the one behind them brings what was missed.
    meanwhile = { reads: 3, run: () => nextRuns(first, second) };
    const reader = open(session, { after: fresh });
    await engine.ended(first);
    engine.models.releaseHold('second');
    await engine.ended(second);
    await expect.poll(() => endsOf(reader.events)).toEqual([done, first, second]);
    expect(textsOf(reader.events)).toEqual({ [done]: 'one', [first]: 'two', [second]: 'three' });
    const sequences = reader.events.map((event) => event.sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((left, right) => left - right));
    reader.control.abort();
    await reader.ended;
  });

  test.each(['live', ''])('of a turn that ends meanwhile shows its end (after %j)', async (after) => {
    const session = await engine.session();
    const { turnId: first } = await engine.send(session, '!say one\n!hold first');
    await shows(first);
    const { turnId: second } = await engine.send(session, '!say two\n!hold second');
    meanwhile = { reads: 1, run: () => nextRuns(first, second) };
    const reader = open(session, { after, turnId: first });
    await reader.ended;
    expect(endsOf(reader.events)).toEqual([first]);
    engine.models.releaseHold('second');
    await engine.ended(second);
  });

  test('of a turn that begins meanwhile shows it from its start', async () => {
    const session = await engine.session();
    const { turnId: first } = await engine.send(session, '!say one\n!hold first');
    await shows(first);
    const { turnId: second } = await engine.send(session, '!say two\n!hold second\n!say  three');
    meanwhile = { reads: 1, run: () => nextRuns(first, second) };
    const reader = open(session, { after: '', turnId: second });
    await expect.poll(() => textsOf(reader.events)).toEqual({ [second]: 'two' });
    engine.models.releaseHold('second');
    await reader.ended;
    expect(textsOf(reader.events)).toEqual({ [second]: 'two three' });
  });
});
