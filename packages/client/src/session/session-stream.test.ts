import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { MessageRole, SessionMessageSchema, type Turn, TurnSchema, TurnState } from '@svc/api/data';
import type { SessionMessagePartEvent } from '@svc/api/events';
import {
  ListSessionMessagesResponseItemSchema,
  ListSessionMessagesResponseSchema,
  ListTurnsResponseSchema,
  SessionResponseSchema,
} from '@svc/api/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../client.ts';
import { failureOf } from '../testing/failure.ts';
import { EagerClock } from '../testing/fake-clock.ts';
import { FakeFault, type FakeHandlers, FakeServer, type StreamPiece } from '../testing/fake-server.ts';
import { event, key, replay, turnEvents } from '../testing/fake-session.ts';
import type { ConnectionState, StreamOptions } from './session-stream.ts';

const servers: FakeServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const getSession = () =>
  create(SessionResponseSchema, { sessionId: key.sessionId, streamCursor: 'c0', activeTurnId: 't1' });

const serve = async (
  streams: NonNullable<FakeHandlers['streams']>,
  unary: FakeHandlers['unary'] = {},
): Promise<FakeServer> => {
  const server = await new FakeServer({ streams, unary: { GetSession: getSession, ...unary } }).start();
  servers.push(server);
  return server;
};

const sessionAt = (server: FakeServer, clock = new EagerClock()) =>
  createClient({ baseUrl: server.url, clock, random: () => 0.5 }).session(key);

const collect = async (
  server: FakeServer,
  options: StreamOptions,
  clock?: EagerClock,
): Promise<SessionMessagePartEvent[]> => {
  const seen: SessionMessagePartEvent[] = [];
  for await (const item of sessionAt(server, clock).stream(options)) seen.push(item);
  return seen;
};

const cursors = (events: readonly SessionMessagePartEvent[]): string[] => events.map((item) => item.cursor);

describe('a stream that is cut', () => {
  const events = turnEvents(12);
  const cuts: readonly (readonly [name: string, piece: StreamPiece | FakeFault])[] = [
    ['the connection is destroyed', 'cut'],
    ['the connection breaks inside a line', { raw: '{"sessionId":"01' }],
    ['a line is no object', { raw: '5\n' }],
    ['the server shuts down', new FakeFault({ code: 'UNAVAILABLE', reason: 'SHUTTING_DOWN' })],
    [
      'the reader was too slow',
      new FakeFault({ code: 'ABORTED', reason: 'SLOW_CONSUMER', metadata: { cursor: 'c1' } }),
    ],
  ];
  describe.each(cuts)('%s', (_name, piece) => {
    it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
      'after every %i events: each event arrives exactly once',
      async (every) => {
        const server = await serve({
          StreamSessionParts: (call) => replay(events, call, (sent) => (sent === every ? piece : undefined)),
        });
        expect(cursors(await collect(server, { untilDone: true }))).toEqual(cursors(events));
      },
    );
  });

  it('goes on from the cursor taken before it began when it is cut before its first event', async () => {
    const asked: (string | null)[] = [];
    const server = await serve({
      StreamSessionParts: (call) => {
        asked.push(call.query.get('after'));
        return asked.length === 1 ? ['cut'] : events;
      },
    });
    const seen: string[] = [];
    for await (const item of sessionAt(server).stream()) {
      seen.push(item.cursor);
      if (seen.length === events.length) break;
    }
    expect([seen, asked]).toEqual([cursors(events), [null, 'c0']]);
  });

  describe('of a stream until the end of a turn', () => {
    const turn = (id: string, state: TurnState) => create(TurnSchema, { id, state });
    /** What each try asked for, as `turn after`. */
    const asking = async (
      session: MessageInitShape<typeof SessionResponseSchema>,
      turns: readonly Turn[],
      options: StreamOptions = {},
    ): Promise<{ readonly asked: readonly string[]; readonly seen: number }> => {
      const asked: string[] = [];
      const server = await serve(
        {
          StreamSessionParts: (call) => {
            asked.push(`${call.query.get('turnId') ?? ''} ${call.query.get('after') ?? ''}`);
            return asked.length === 1 ? ['cut'] : events;
          },
        },
        {
          GetSession: () => create(SessionResponseSchema, { streamCursor: 'c0', ...session }),
          ListTurns: () => create(ListTurnsResponseSchema, { turns: [...turns] }),
        },
      );
      return { seen: (await collect(server, { untilDone: true, ...options })).length, asked };
    };

    it.each([
      { what: 'the turn that runs', session: { activeTurnId: 't1' }, turns: [], request: 't1 ' },
      { what: 'the last turn when none runs', session: {}, turns: [turn('t1', TurnState.COMPLETED)], request: 't1 ' },
      {
        what: 'the oldest that waits',
        session: { queuedTurns: 2 },
        turns: [turn('t2', TurnState.QUEUED), turn('t1', TurnState.QUEUED)],
        request: 't1 ',
      },
      { what: 'what follows the cursor when there was no turn yet', session: {}, turns: [], request: ' c0' },
    ])('names $what, before and after a cut', async ({ session, turns, request }) => {
      expect(await asking(session, turns)).toEqual({ asked: [request, request], seen: events.length });
    });

    it('live names the running turn, or else the cursor', async () => {
      const live = { after: 'live' };
      expect((await asking({ activeTurnId: 't1' }, [], live)).asked[0]).toBe('t1 live');
      expect((await asking({}, [turn('t0', TurnState.COMPLETED)], live)).asked[0]).toBe(' c0');
    });

    it('asks for nothing more where a cursor is given', async () => {
      expect((await asking({ activeTurnId: 't1' }, [], { after: 'c0' })).asked).toEqual([' c0', ' c0']);
    });
  });

  it('goes on when the server ends it well before its end', async () => {
    const server = await serve({
      StreamSessionParts: (call) => (call.query.get('after') === 'c3' ? events.slice(3) : events.slice(0, 3)),
    });
    expect(cursors(await collect(server, { untilDone: true }))).toEqual(cursors(events));
  });

  it('waits for a server that restarts, telling so, and then goes on', async () => {
    const states: ConnectionState[] = [];
    const server = await serve({
      StreamSessionParts: (call) => replay(events, call, (sent) => (sent === 5 ? 'cut' : undefined)),
    });
    const seen: SessionMessagePartEvent[] = [];
    let stopped: Promise<void> | undefined;
    let started: Promise<unknown> | undefined;
    const onConnection = (state: ConnectionState): void => {
      states.push(state);
      if (state.state !== 'lost') return;
      if (stopped === undefined) stopped = server.stop();
      else if (state.error?.reason === 'UNREACHABLE') started ??= stopped.then(() => server.start());
    };
    for await (const item of sessionAt(server).stream({ untilDone: true, onConnection })) seen.push(item);
    await started;
    expect(cursors(seen)).toEqual(cursors(events));
    expect(states.some((state) => state.state === 'lost' && state.error?.reason === 'UNREACHABLE')).toBe(true);
  });

  it('waits longer after each failure, with jitter, at most 5 s', async () => {
    const clock = new EagerClock();
    let tries = 0;
    const server = await serve({
      StreamSessionParts: () => (++tries < 12 ? ['cut'] : events),
    });
    await collect(server, { untilDone: true }, clock);
    expect(clock.waits.slice(0, 4)).toEqual([75, 150, 300, 600]);
    expect(Math.max(...clock.waits)).toBe(3_750);
  });

  it('gives up when it was without a connection for too long', async () => {
    const server = await serve({ StreamSessionParts: () => ['cut'] });
    await server.stop();
    servers.length = 0;
    const failure = await failureOf(collect(server, { after: 'c1', giveUpAfterMs: 20_000 }));
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', reason: 'UNREACHABLE' });
  });

  it('is given up and opened anew when nothing is heard for 45 s', async () => {
    const clock = new EagerClock();
    let tries = 0;
    const server = await serve({
      StreamSessionParts: async function* (): AsyncGenerator<StreamPiece> {
        tries += 1;
        if (tries > 1) return yield* events.slice(1);
        yield events[0]!;
        await new Promise(() => undefined);
      },
    });
    const iterator = sessionAt(server, clock).stream({ untilDone: true })[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ cursor: 'c1' });
    const second = iterator.next();
    clock.advance(45_000);
    expect((await second).value).toMatchObject({ cursor: 'c2' });
    await iterator.return?.();
    expect(clock.pendingDeadlines).toBe(0);
  });
});

describe('a stream', () => {
  it('of one turn ends after the end of that turn', async () => {
    const events = [
      event(1, { text: 'a' }),
      event(2, { kind: 2, turnId: 't0' }),
      event(3, { kind: 2, turnId: 't1' }),
      event(4),
    ];
    const server = await serve({ StreamSessionParts: () => events });
    expect(cursors(await collect(server, { turnId: 't1' }))).toEqual(['c1', 'c2', 'c3']);
    expect(server.calls.map((call) => call.operation)).toEqual(['StreamSessionParts']);
  });

  it('throws what no repeat can cure', async () => {
    const server = await serve({
      // biome-ignore lint/correctness/useYield: this stream fails before its first event
      StreamSessionParts: async function* (): AsyncGenerator<StreamPiece> {
        throw new FakeFault({ code: 'NOT_FOUND', reason: 'SESSION_NOT_FOUND', metadata: { session_id: 'x' } });
      },
    });
    const failure = await failureOf(collect(server, { after: 'c1' }));
    expect(failure).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'SESSION_NOT_FOUND',
      metadata: { session_id: 'x' },
      requestId: 'req-2',
    });
  });

  it('closes the connection when the reader leaves the loop', async () => {
    let closed: Promise<void> | undefined;
    const server = await serve({
      StreamSessionParts: async function* (call): AsyncGenerator<StreamPiece> {
        closed = call.closed;
        yield* replay(turnEvents(3), call, () => undefined);
        await new Promise(() => undefined);
      },
    });
    for await (const item of sessionAt(server).stream()) if (item.cursor === 'c2') break;
    expect(closed).toBeDefined();
    await closed;
  });

  it('ends with CANCELLED when its signal aborts, also between two tries', async () => {
    const abort = new AbortController();
    const server = await serve({ StreamSessionParts: () => ['cut'] });
    const onConnection = (state: ConnectionState): void => {
      if (state.state === 'lost') abort.abort();
    };
    const failure = await failureOf(collect(server, { signal: abort.signal, onConnection }));
    expect(failure).toMatchObject({ code: 'CANCELLED', reason: 'ABORTED' });
  });
});

describe('an expired cursor', () => {
  const messages = [create(SessionMessageSchema, { id: 'm0', role: MessageRole.ROLE_ASSISTANT })];
  const listSessionMessages = (state = 'PROCESSING') =>
    create(ListSessionMessagesResponseSchema, {
      state,
      streamCursor: 'c2',
      items: messages.map((message) => create(ListSessionMessagesResponseItemSchema, { message })),
    });

  it('is replaced by the stored messages and their cursor', async () => {
    const events = turnEvents(4);
    const server = await serve(
      { StreamSessionParts: (call) => replay(events, call, () => undefined) },
      { ListSessionMessages: () => listSessionMessages() },
    );
    const snapshots: string[][] = [];
    const onSnapshot: StreamOptions['onSnapshot'] = (snapshot) =>
      void snapshots.push(snapshot.messages.map((message) => message.id));
    const seen = await collect(server, { after: 'long ago', untilDone: true, onSnapshot });
    expect(snapshots).toEqual([['m0']]);
    expect(cursors(seen)).toEqual(['c3', 'c4', 'c5']);
  });

  it.each([{ untilDone: true }, { turnId: 't1' }])(
    'ends a stream with %o whose end is among the lost events',
    async (options) => {
      const giveUpAfterMs = 60_000;
      const server = await serve(
        // As the server: nothing follows the cursor of the messages, and a stream of one turn that is over ends.
        { StreamSessionParts: (call) => (call.query.get('after') === 'c2' ? [] : replay([], call, () => undefined)) },
        { ListSessionMessages: () => listSessionMessages('IDLE') },
      );
      const states: string[] = [];
      const onSnapshot: StreamOptions['onSnapshot'] = ({ state }) => void states.push(state);
      expect(await collect(server, { after: 'long ago', giveUpAfterMs, onSnapshot, ...options })).toEqual([]);
      expect(states).toEqual(['IDLE']);
    },
  );

  it('is an error for a reader that did not ask for snapshots', async () => {
    const server = await serve({ StreamSessionParts: (call) => replay(turnEvents(1), call, () => undefined) });
    expect(await failureOf(collect(server, { after: 'long ago' }))).toMatchObject({
      code: 'OUT_OF_RANGE',
      reason: 'CURSOR_EXPIRED',
    });
  });
});
