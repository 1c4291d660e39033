import { GatewayService, WhenBusy } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatSessionName } from '../../../resources/index.ts';
import { quietStore } from '../../../store/testing/quiet-store.ts';
import { SessionHarness, TestSink } from './testing/index.ts';

const { method: gateway } = GatewayService;

let harness: SessionHarness;
beforeEach(async () => {
  harness = new SessionHarness({ streamLimits: { events: 8, bytes: 1 << 16 } });
  await harness.start();
});
afterEach(() => harness.close());

const newSession = (): ReturnType<SessionHarness['newSession']> => harness.newSession();
const kinds = (sink: TestSink): string[] => sink.events.map((event) => `${event.kind}:${event.part?.partType ?? ''}`);
const shape = (sink: TestSink): string[] => kinds(sink).filter((kind, index, all) => kind !== all[index - 1]);

describe('a session stream', () => {
  test('on an idle session waits, then brings one turn as TEXT, USAGE, DONE', async () => {
    const session = await newSession();
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true });
    await harness.call(gateway.sendMessage, { ...session, message: 'hello there' });
    await ended;
    expect(sink.opened).toBe(true);
    expect(shape(sink)).toEqual(['1:1', '1:5', '2:0']);
    expect(sink.text()).toBe('You said: hello there');
    const sequences = sink.events.map((event) => event.sequence);
    expect(sequences).toEqual([...sequences].sort((left, right) => (left < right ? -1 : 1)));
    expect(sink.events.at(-1)?.reason).toBe('completed');
  });

  test('that joins late shows the running turn from its start', async () => {
    const session = await newSession();
    const sent = await harness.call(gateway.sendMessage, { ...session, message: '!say one two three\n!hold late' });
    await harness.event((event) => event.turnId === sent.turnId);
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true });
    await sink.until((event) => event.kind === 1);
    harness.engine.models.releaseHold('late');
    await ended;
    expect(sink.text()).toBe('one two three');
  });

  test('live shows nothing of what was sent before', async () => {
    const session = await newSession();
    await harness.call(gateway.sendMessage, { ...session, message: 'first', waitSeconds: 30 });
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, after: 'live', untilDone: true });
    await harness.call(gateway.sendMessage, { ...session, message: 'second' });
    await ended;
    expect(sink.text()).toBe('You said: second');
  });

  test('resumed at any cursor of a finished turn gives exactly the rest', async () => {
    const session = await newSession();
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true });
    await harness.call(gateway.sendMessage, { ...session, message: 'a b c d\n!think deep thoughts' });
    await ended;
    for (const [index, event] of sink.events.entries()) {
      if (index === sink.events.length - 1) continue;
      const rest = harness.stream(gateway.streamSessionParts, { ...session, after: event.cursor, untilDone: true });
      await rest.ended;
      const seen = new TestSink();
      for (const each of [...sink.events.slice(0, index + 1), ...rest.sink.events]) seen.send(each);
      expect([seen.text(1), seen.text(2), shape(seen).at(-1)]).toEqual([sink.text(1), sink.text(2), '2:0']);
    }
  });

  test('resumed at the stream_cursor of a list gives exactly what the list lacks', async () => {
    const session = await newSession();
    const idle = await harness.call(gateway.getSession, session);
    const sent = await harness.call(gateway.sendMessage, { ...session, message: '!say one two\n!hold cursor' });
    await harness.event((event) => event.turnId === sent.turnId);
    const busy = await harness.call(gateway.listSessionMessages, session);
    expect(busy.items).toHaveLength(1);
    harness.engine.models.releaseHold('cursor');
    await harness.ended(sent.turnId);
    for (const after of [idle.streamCursor, busy.streamCursor]) {
      const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, after, untilDone: true });
      await ended;
      expect(sink.text()).toBe('one two');
    }
    const done = await harness.call(gateway.getSession, session);
    const { sink, ended } = harness.stream(gateway.streamSessionParts, {
      ...session,
      after: done.streamCursor,
      untilDone: true,
    });
    await harness.call(gateway.sendMessage, { ...session, message: 'next' });
    await ended;
    expect(sink.text()).toBe('You said: next');
  });

  test('of one finished turn sends each stored part once, then its end', async () => {
    const session = await newSession();
    const { turnId } = await harness.call(gateway.sendMessage, { ...session, message: 'one', waitSeconds: 30 });
    await harness.call(gateway.sendMessage, { ...session, message: 'two', waitSeconds: 30 });
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, turnId });
    await ended;
    expect(kinds(sink)).toEqual(['1:1', '1:5', '2:0']);
    const last = harness.stream(gateway.streamSessionParts, { ...session, turnId, after: sink.events.at(-1)!.cursor });
    await last.ended;
    expect(last.sink.events).toEqual([]);
  });

  test('of a turn whose model connection broke shows RESET, then the message anew; any resume shows the same', async () => {
    const session = await newSession();
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true });
    await harness.call(gateway.sendMessage, { ...session, message: '!break 3\n!repeat 8 x' });
    await ended;
    const reset = sink.events.find((event) => event.kind === 4);
    expect([reset?.reason, reset?.attempt]).toEqual(['retry', 2]);
    expect(sink.text()).toBe('x '.repeat(8));
    for (const [index, event] of sink.events.slice(0, -1).entries()) {
      const rest = harness.stream(gateway.streamSessionParts, { ...session, after: event.cursor, untilDone: true });
      await rest.ended;
      const seen = new TestSink();
      for (const each of [...sink.events.slice(0, index + 1), ...rest.sink.events]) seen.send(each);
      expect(seen.text()).toBe('x '.repeat(8));
    }
  });

  test('of a steered turn goes on under the next message id', async () => {
    const session = await newSession();
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true });
    const sent = await harness.call(gateway.sendMessage, { ...session, message: '!say one\n!hold steer' });
    await harness.event((event) => event.turnId === sent.turnId && event.part?.type === 1);
    const steer = await harness.call(gateway.sendMessage, { ...session, message: 'two', whenBusy: WhenBusy.STEER });
    expect(steer.turnId).toBe(sent.turnId);
    harness.engine.models.releaseHold('steer');
    await ended;
    const ids = [...new Set(sink.events.map((event) => event.messageId))];
    expect(ids).toEqual([sent.replyMessageId, steer.replyMessageId]);
    const list = await harness.call(gateway.listSessionMessages, session);
    expect(list.items.map((item) => item.message?.id)).toEqual([
      sent.messageId,
      sent.replyMessageId,
      steer.messageId,
      steer.replyMessageId,
    ]);
    for (const [index, event] of sink.events.slice(0, -1).entries()) {
      const rest = harness.stream(gateway.streamSessionParts, { ...session, after: event.cursor, untilDone: true });
      await rest.ended;
      expect(
        [...sink.events.slice(0, index + 1), ...rest.sink.events].map((each) => each.part?.content ?? '').join(''),
      ).toBe(sink.events.map((each) => each.part?.content ?? '').join(''));
    }
  });

  test('of a queued turn that is stopped ends at once with sequence 0', async () => {
    const session = await newSession();
    await harness.call(gateway.sendMessage, { ...session, message: '!say x\n!hold queue' });
    const { turnId } = await harness.call(gateway.sendMessage, { ...session, message: 'y' });
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, turnId });
    await harness.event(() => true);
    await harness.call(gateway.stopSessionGeneration, { ...session, turnId });
    await ended;
    expect(sink.events.map((event) => [event.kind, event.reason, event.sequence, event.cursor])).toEqual([
      [2, 'stopped', 0n, ''],
    ]);
    harness.engine.models.releaseHold('queue');
  });

  test('refuses a foreign cursor, an expired one, and an unknown session or turn', async () => {
    const session = await newSession();
    const other = await newSession();
    const { streamCursor } = await harness.call(gateway.getSession, session);
    const open = (request: object) => harness.stream(gateway.streamSessionParts, { ...session, ...request }).ended;
    await expect(open({ after: 'rubbish' })).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
    await expect(open({ ...other, after: streamCursor })).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
    await harness.call(gateway.clearSession, session);
    await expect(open({ after: streamCursor })).rejects.toMatchObject({ reason: 'CURSOR_EXPIRED' });
    await expect(open({ agent: 'other' })).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    await expect(open({ turnId: 'no' })).rejects.toMatchObject({ reason: 'TURN_NOT_FOUND' });
  });

  test('ends with not found when the session is deleted, and survives a clear', async () => {
    const session = await newSession();
    const { sink, ended } = harness.stream(gateway.streamSessionParts, session);
    await harness.call(gateway.sendMessage, { ...session, message: 'one', waitSeconds: 30 });
    await harness.call(gateway.clearSession, session);
    await harness.call(gateway.sendMessage, { ...session, message: 'two', waitSeconds: 30 });
    expect(sink.events.filter((event) => event.kind === 2)).toHaveLength(2);
    const resumed = harness.stream(gateway.streamSessionParts, { ...session, after: sink.events.at(-1)!.cursor });
    await harness.call(gateway.getSession, session);
    await harness.call(gateway.deleteSession, session);
    await expect(ended).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    await expect(resumed.ended).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
  });

  test('of a reader that lags merges pieces, and catches up when it drains', async () => {
    const session = await newSession();
    const sink = new TestSink();
    sink.lag = true;
    const { ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true }, sink);
    const sent = await harness.call(gateway.sendMessage, { ...session, message: 'a b c d e f g h i j k l m n o p' });
    await harness.ended(sent.turnId);
    expect(sink.events).toHaveLength(1);
    sink.drain();
    await ended;
    expect(sink.text()).toBe('You said: a b c d e f g h i j k l m n o p');
    expect(sink.events.length).toBeLessThanOrEqual(4);
  });

  test('of a reader that never drains ends with SLOW_CONSUMER and a cursor that loses nothing', async () => {
    const session = await newSession();
    const sink = new TestSink();
    sink.lag = true;
    const { ended } = harness.stream(gateway.streamSessionParts, session, sink);
    const failure = ended.then(
      () => undefined,
      (error: { readonly reason: string; readonly metadata: Record<string, string> }) => error,
    );
    // What is stored when a stream opens is sent at the reader's pace, however slow: the reader has to be live before.
    await quietStore(harness.engine.store);
    let after = '';
    const texts: string[] = [];
    for (let round = 0; round < 6; round++)
      await harness.call(gateway.sendMessage, { ...session, message: `m${round}`, waitSeconds: 30 });
    const error = await failure;
    expect(error?.reason).toBe('SLOW_CONSUMER');
    after = error?.metadata['cursor'] ?? '';
    const live = harness.stream(gateway.streamSessionParts, { ...session, after });
    await live.sink.until((event) => event.kind === 2 && live.sink.text().endsWith('m5'));
    live.abort();
    for (const event of [...sink.events, ...live.sink.events])
      if (event.part?.partType === 1) texts.push(event.part.content);
    expect(texts.join('')).toBe(Array.from({ length: 6 }, (_, round) => `You said: m${round}`).join(''));
  });

  test('resumed far behind sends everything to a reader that takes one event at a time, turn by turn too', async () => {
    const session = await newSession();
    const fresh = (await harness.call(gateway.getSession, session)).streamCursor;
    const turns: string[] = [];
    for (let round = 0; round < 12; round++)
      turns.push(
        (await harness.call(gateway.sendMessage, { ...session, message: `m${round}`, waitSeconds: 30 })).turnId,
      );
    const sink = new TestSink();
    const send = sink.send.bind(sink);
    // The window takes one event; the reader empties it at once.
    sink.send = (event) => {
      send(event);
      setImmediate(() => sink.drain());
      return false;
    };
    const { abort, ended } = harness.stream(gateway.streamSessionParts, { ...session, after: fresh }, sink);
    await sink.until((event) => event.turnId === turns.at(-1) && event.kind === 2);
    expect(sink.text()).toBe(turns.map((_, round) => `You said: m${round}`).join(''));
    expect(sink.events.filter((event) => event.kind === 2).map((event) => event.turnId)).toEqual(turns);
    abort();
    await ended;
  });

  test('that is idle asks the store nothing, and a whole turn here neither', async () => {
    const quiet = await newSession();
    const { sink } = harness.stream(gateway.streamSessionParts, quiet);
    await harness.call(gateway.getSession, quiet);
    expect(sink.opened).toBe(true);
    const before = harness.streamReads;
    const sent = await harness.call(gateway.sendMessage, { ...quiet, message: 'x' });
    await harness.ended(sent.turnId);
    await harness.streams.check();
    expect(sink.events.at(-1)?.kind).toBe(2);
    expect(harness.streamReads).toBe(before);
  });

  test('that is one of 10,000 idle ones asks the store nothing (12.31, R14)', async () => {
    const quiet = await newSession();
    const leave = new AbortController();
    const outlet = { open: () => undefined, send: () => true, onDrained: () => undefined };
    const { ns: namespace, agent, sessionId } = quiet;
    const request = {
      sessions: [{ namespace, agent, sessionId, after: '' }],
      untilDone: false,
      turnId: '',
      batch: false,
    };
    const opened: Promise<void>[] = [];
    const ended = Array.from({ length: 10_000 }, () => {
      const stands = Promise.withResolvers<void>();
      opened.push(stands.promise);
      return harness.streams.follow(request, { ...outlet, open: stands.resolve }, leave.signal);
    });
    await Promise.all(opened);
    const before = harness.streamReads;
    await harness.streams.check();
    expect([harness.streams.open, harness.streamReads]).toEqual([10_000, before]);
    leave.abort();
    await Promise.all(ended);
    expect(harness.streams.open).toBe(0);
  });

  test('ends with SHUTTING_DOWN and a cursor', async () => {
    const session = await newSession();
    const { ended, sink } = harness.stream(gateway.streamSessionParts, session);
    await harness.call(gateway.sendMessage, { ...session, message: 'x', waitSeconds: 30 });
    harness.streams.shutDown();
    const cursor = sink.events.at(-1)?.cursor;
    await expect(ended).rejects.toMatchObject({ reason: 'SHUTTING_DOWN', metadata: { cursor } });
  });
});

describe('a batch of sessions', () => {
  test('brings every session in its order and ends after one end each', async () => {
    const sessions = [await newSession(), await newSession()];
    const names = sessions.map((session) =>
      formatSessionName({ namespace: session.ns, agent: session.agent, sessionId: session.sessionId }),
    );
    const { sink, ended } = harness.stream(gateway.streamSessionPartsBatch, {
      sessionNames: [names[0]!, names[0]!],
      sessions: [sessions[1]!],
      untilDone: true,
    });
    for (const session of sessions)
      await harness.call(gateway.sendMessage, { ...session, message: session.sessionId, waitSeconds: 30 });
    await ended;
    for (const session of sessions) {
      const own = sink.events.filter((event) => event.sessionId === session.sessionId && event.part?.partType === 1);
      expect(own.map((event) => event.part?.content).join('')).toBe(`You said: ${session.sessionId}`);
    }
  });

  test('of many lets others in while it starts', async () => {
    const sessions = await Promise.all(Array.from({ length: 500 }, () => newSession()));
    let turns = 0;
    const sink = new TestSink();
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    const count = (): void => {
      if (sink.opened) return resolve();
      turns += 1;
      setImmediate(count);
    };
    count();
    const { abort, ended } = harness.stream(gateway.streamSessionPartsBatch, { sessions }, sink);
    await opened;
    expect(turns).toBeGreaterThanOrEqual(5);
    abort();
    await ended;
  });

  test('goes on when one of its sessions is deleted, and says so', async () => {
    const [gone, kept] = [await newSession(), await newSession()];
    const { sink, ended } = harness.stream(gateway.streamSessionPartsBatch, {
      sessions: [gone, kept],
      untilDone: true,
    });
    await harness.call(gateway.getSession, kept);
    await harness.call(gateway.deleteSession, gone);
    await harness.call(gateway.sendMessage, { ...kept, message: 'x' });
    await ended;
    expect(sink.events.filter((event) => event.sessionId === gone.sessionId).map((event) => event.reason)).toEqual([
      'session_deleted',
    ]);
    expect(sink.text()).toBe('You said: x');
  });

  test('refuses an empty, malformed or stray list, and a missing session before it starts', async () => {
    const session = await newSession();
    const open = (request: object) => harness.stream(gateway.streamSessionPartsBatch, request);
    await expect(open({}).ended).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
    await expect(open({ sessionNames: ['nonsense'], sessions: [{ ns: 'a' }] }).ended).rejects.toMatchObject({
      violations: [{}, {}],
    });
    await expect(open({ sessions: [session], after: { stray: 'x' } }).ended).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
    });
    const missing = open({ sessions: [session, { ...session, sessionId: '01890000-0000-7000-8000-000000000000' }] });
    await expect(missing.ended).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    expect(missing.sink.opened).toBe(false);
  });
});
