import type {
  ExplainChannelMessageRequest,
  ListChannelMessagesRequest,
  ModifyChannelRequest,
  PostChannelMessageRequest,
} from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';

const message = (id: string, content: string, more: object = {}) => ({ id, content, authorKind: 'user', ...more });
const posts: PostChannelMessageRequest[] = [];
const changes: ModifyChannelRequest[] = [];
const handlers: FakeHandlers = {
  unary: {
    PostChannelMessage: (request: PostChannelMessageRequest) => {
      posts.push(request);
      if (request.channel === 'closed') throw new FakeFault('FAILED_PRECONDITION', 'CHANNEL_CLOSED');
      const routed = [
        { subscription: 'one', agent: 'helper', sessionId: 's1', sequence: 3n },
        { subscription: 'two', agent: 'gone', error: 'agent not found' },
      ];
      return { message: message('m1', request.content), routedSessions: request.channel === 'quiet' ? [] : routed };
    },
    ListChannelMessages: () => ({
      messages: [message('m1', 'first'), message('m2', 'second', { author: 'ann' })],
    }),
    GetChannel: ({ name }: { name: string }) => ({
      channel: {
        ...{ metadata: { name, labels: { a: 'b' }, resourceVersion: '4' }, spec: { title: 'Room' } },
        status: { phase: name === 'closed' ? 'closed' : 'open' },
      },
    }),
    ModifyChannel: (request: ModifyChannelRequest) => {
      changes.push(request);
      return {};
    },
  },
};
const run = async (words: readonly string[], options: FakeOptions = {}) => {
  const shell = fakeHost({ handlers, ...options });
  return { exit: await shell.run('channel', ...words), out: shell.out(), err: shell.err() };
};

describe('svc channel post', () => {
  it('says something, from words or a pipe, and tells whom it reached', async () => {
    expect((await run(['post', 'room', 'hello', '@helper', '--author', 'ann', '--subscription', 'm'])).out).toBe(
      'message m1\n  one: agent helper, session s1\n  two: not reached, agent not found\n',
    );
    await run(['post', 'room'], { piped: ' piped\n' });
    expect(posts).toMatchObject([
      { channel: 'room', content: 'hello @helper', author: 'ann', subscriptionNames: ['m'] },
      { content: 'piped' },
    ]);
    expect((await run(['post', 'quiet', 'x'])).err).toContain('no one will answer');
    expect(JSON.parse((await run(['post', 'room', 'x', '-o', 'json'])).out)).toMatchObject({ message: { id: 'm1' } });
  });

  it('refuses an empty message, and passes on what the server says', async () => {
    expect((await run(['post', 'room'])).err).toContain('there is nothing to say');
    expect(await run(['post', 'closed', 'x'])).toMatchObject({ exit: exitCodes.refused });
  });
});

describe('svc channel tail', () => {
  const events = [
    { kind: 1, cursor: 'c1', message: message('m2', 'second') },
    { kind: 1, cursor: 'c2', message: message('m3', 'third', { sourceAgent: 'helper' }) },
    { kind: 2, cursor: 'c3', subscription: 'one', agent: 'helper', sessionId: 's1', sequence: 3n },
    { kind: 3, cursor: 'c4', subscription: 'one', agent: 'helper', error: 'nothing to add', sequence: 4n },
    { kind: 4, cursor: 'c5', subscription: 'two', agent: 'gone', error: 'not found', sequence: 5n },
    { kind: 0, cursor: 'c6', sequence: 6n },
    { kind: 1, cursor: 'c7', sequence: 7n },
  ];
  const following = (after: string[] = []): FakeHandlers => ({
    ...handlers,
    streams: {
      StreamChannelEvents: (query) => {
        after.push(query.get('after') ?? '');
        return after.length === 1 ? [...events.slice(0, 2), new Error('reset')] : events.slice(2);
      },
    },
  });

  it('shows the newest messages, then what happens, each once, across a broken connection', async () => {
    const after: string[] = [];
    const { exit, out, err } = await run(['tail', 'room'], { handlers: following(after) });
    expect(exit).toBe(exitCodes.ok);
    expect(out.split('\n').map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual([
      'user: first',
      'ann: second',
      'helper: third',
      'one: agent helper is at it (session s1)',
      'one: agent helper does not answer: nothing to add',
      'two: agent gone is not reached: not found',
      '',
    ]);
    expect(after).toEqual(['', 'c2']);
    expect(err).toBe('connection lost; trying again\nconnected again\n');
  });

  it('misses nothing that is said while the newest messages are read, nor before the first event of a stream', async () => {
    const said = [{ kind: 1, cursor: 'c1', message: message('m0', 'long ago') }, ...events.slice(0, 2)];
    const opened: string[] = [];
    const order: string[] = [];
    const late: FakeHandlers = {
      unary: {
        ListChannelMessages: () => {
          order.push('list');
          return { messages: [message('m2', 'second', { createdAt: 5n })], hasMore: true, nextBeforeMessageId: 'm2' };
        },
      },
      streams: {
        StreamChannelEvents: (query) => {
          order.push('stream');
          opened.push(query.get('after') ?? '');
          const timed = said.map((event) => ({ ...event, message: { ...event.message, createdAt: 5n } }));
          const old = { ...timed[0], message: { ...said[0]?.message, createdAt: 4n } };
          return opened.length === 1 ? [new Error('reset')] : [old, ...timed.slice(1), ...timed.slice(1)];
        },
      },
    };
    const { exit, out } = await run(['tail', 'room', '--limit', '1'], { handlers: late });
    expect([exit, order, opened]).toEqual([exitCodes.ok, ['stream', 'list', 'stream', 'list'], ['', '0']]);
    expect(out.split('\n').map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual(['user: second', 'helper: third', '']);
  });

  it('goes on at the oldest event that is kept when its place is no longer kept', async () => {
    const opened: string[] = [];
    const expired: FakeHandlers = {
      ...handlers,
      streams: {
        StreamChannelEvents: (query) => {
          opened.push(query.get('after') ?? '');
          if (opened.length === 1) return [events[1] ?? {}, new Error('reset')];
          return opened.length === 2 ? [new FakeFault('OUT_OF_RANGE', 'CURSOR_EXPIRED')] : events.slice(0, 3);
        },
      },
    };
    const { exit, out, err } = await run(['tail', 'room'], { handlers: expired });
    expect([exit, opened]).toEqual([exitCodes.ok, ['', 'c2', '0']]);
    expect(err).toContain('some events are no longer kept\n');
    expect(out.match(/third/g)).toHaveLength(1);
    const refused = {
      ...handlers,
      streams: { StreamChannelEvents: () => [new FakeFault('NOT_FOUND', 'CHANNEL_GONE')] },
    };
    expect((await run(['tail', 'room'], { handlers: refused })).exit).toBe(exitCodes.notFound);
  });

  it('shows a message that was written while the list was read, though a newer one stands in the list', async () => {
    const slow = { kind: 1, cursor: 'c1', message: message('m1', 'slow', { createdAt: 4n }) };
    const routed = {
      kind: 2,
      cursor: 'c2',
      subscription: 'one',
      agent: 'a',
      sessionId: 's',
      timestamp: 4n,
      sequence: 9n,
    };
    const { out } = await run(['tail', 'room', '--limit', '1'], {
      handlers: {
        unary: {
          ListChannelMessages: () => ({ messages: [message('m2', 'fast', { createdAt: 5n })], hasMore: true }),
        },
        streams: { StreamChannelEvents: () => [slow, routed] },
      },
    });
    expect(out.split('\n').map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual([
      'user: fast',
      'user: slow',
      'one: agent a is at it (session s)',
      '',
    ]);
  });

  it('reads what was said while no stream was open and its events are gone, and nothing from before the list', async () => {
    const all = Array.from({ length: 130 }, (_, index) => {
      const number = index + 100;
      return message(`m${number}`, `text-${number}`, { createdAt: BigInt(number) });
    });
    const event = (number: number) => ({ kind: 1, cursor: `c${number}`, message: all[number - 100] });
    const routed = (number: number) => ({
      ...{ kind: 2, cursor: `r${number}`, subscription: `to-${number}`, agent: 'a', sessionId: 's' },
      ...{ timestamp: BigInt(number), sequence: BigInt(number) },
    });
    let opened = 0;
    const asked: string[] = [];
    const { exit, out } = await run(['tail', 'room', '--limit', '3'], {
      handlers: {
        unary: {
          ListChannelMessages: ({ pageSize, beforeMessageId = 'm9' }: ListChannelMessagesRequest) => {
            // 111 messages are there at first, all of them after the break.
            const there = all.slice(0, opened === 1 ? 11 : 130).filter(({ id }) => id < beforeMessageId);
            const messages = there.slice(-pageSize);
            asked.push(`${pageSize} before ${beforeMessageId}`);
            return { messages, hasMore: messages.length < there.length, nextBeforeMessageId: messages[0]?.id };
          },
        },
        streams: {
          StreamChannelEvents: () => {
            opened += 1;
            if (opened === 1) return [event(111), new Error('reset')];
            if (opened === 2) return [new FakeFault('OUT_OF_RANGE', 'CURSOR_EXPIRED')];
            return [event(105), routed(105), event(110), event(229), routed(229), routed(111)];
          },
        },
      },
    });
    expect(exit).toBe(exitCodes.ok);
    const numbers = [...out.matchAll(/text-(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 122 }, (_, index) => index + 108));
    expect(out.match(/to-\d+/g)).toEqual(['to-229', 'to-111']);
    expect(asked).toEqual(['3 before m9', '50 before m9', '50 before m180', '50 before m130']);
  });

  it('reads no further page after Ctrl-C', async () => {
    let pages = 0;
    const shell: ReturnType<typeof fakeHost> = fakeHost({
      handlers: {
        unary: {
          ListChannelMessages: () => {
            pages += 1;
            shell.interrupt();
            const id = `m${9 - pages}`;
            return { messages: [message(id, 'x')], hasMore: pages < 4, nextBeforeMessageId: id };
          },
        },
        streams: { StreamChannelEvents: () => [] },
      },
    });
    expect(await shell.run('channel', 'tail', 'room')).toBe(exitCodes.interrupted);
    expect([pages, shell.out()]).toEqual([1, '']);
  });

  it('repeats nothing when its cursor is of a store that was restored, and leaves out nothing that is new', async () => {
    const routed = (sequence: bigint, timestamp: bigint, agent: string) => ({
      ...{ kind: 2, cursor: `c${sequence}`, subscription: 'one', sessionId: 's', sequence, timestamp, agent },
    });
    let opened = 0;
    const restored: FakeHandlers = {
      unary: { ListChannelMessages: () => ({ messages: [] }) },
      streams: {
        StreamChannelEvents: () => {
          opened += 1;
          if (opened === 1) return [routed(1n, 10n, 'a'), routed(2n, 20n, 'b'), new Error('reset')];
          if (opened === 2) return [new FakeFault('OUT_OF_RANGE', 'CURSOR_EXPIRED')];
          // The second event was after the backup: its number is given again.
          return [routed(1n, 10n, 'a'), routed(2n, 30n, 'c')];
        },
      },
    };
    const { exit, out } = await run(['tail', 'room'], { handlers: restored });
    expect([exit, out.match(/agent \w/g)]).toEqual([0, ['agent a', 'agent b', 'agent c']]);
  });

  it('remembers only as many messages as may come again', async () => {
    const said = (id: number) => ({ kind: 1, cursor: `c${id}`, message: message(`long-${id}`, `text-${id}`) });
    let opened = 0;
    const busy: FakeHandlers = {
      unary: { ListChannelMessages: () => ({ messages: [] }) },
      streams: {
        StreamChannelEvents: () => {
          opened += 1;
          if (opened === 1) return [...Array.from({ length: 10_001 }, (_, id) => said(id)), new Error('reset')];
          return opened === 2 ? [new FakeFault('OUT_OF_RANGE', 'CURSOR_EXPIRED')] : [said(0), said(10_000)];
        },
      },
    };
    const { exit, out } = await run(['tail', 'room'], { handlers: busy });
    expect([exit, opened, out.match(/text-0$/gm)?.length, out.match(/text-10000$/gm)?.length]).toEqual([0, 3, 2, 1]);
  });

  it('leaves after the newest messages with --no-follow, and prints JSON lines', async () => {
    expect((await run(['tail', 'room', '--no-follow', '--limit', '1'])).out).toMatch(/^\S+ \S+ ann: second\n$/);
    const lines = (await run(['tail', 'room', '-o', 'jsonl'], { handlers: following() })).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 'm1' }, { id: 'm2' }, {}, {}, {}, {}, {}, {}]);
    expect((await run(['tail', 'room', '-o', 'yaml'])).err).toContain('a channel has no form yaml');
  });
});

describe('svc channel close and open', () => {
  it('change the phase and nothing else', async () => {
    expect((await run(['close', 'room'])).out).toBe('channel/room closed\n');
    expect((await run(['open', 'closed'])).out).toBe('channel/closed opened\n');
    expect((await run(['open', 'room'])).out).toBe('channel/room is open already\n');
    expect(changes).toMatchObject([
      {
        name: 'room',
        channel: {
          ...{ metadata: { labels: { a: 'b' }, resourceVersion: '4' }, spec: { title: 'Room' } },
          status: { phase: 'closed' },
        },
      },
      { name: 'closed', channel: { status: { phase: 'open' } } },
    ]);
  });
});

describe('svc channel explain', () => {
  it('tells which agents a message would call and why not the others, and asks for no post', async () => {
    const asked: ExplainChannelMessageRequest[] = [];
    const explaining: FakeHandlers = {
      unary: {
        ExplainChannelMessage: (request: ExplainChannelMessageRequest) => {
          asked.push(request);
          const one = {
            subscription: 'one',
            agent: 'helper',
            trigger: 'mention',
            outcome: 'called',
            replyMode: 'tool',
          };
          const two = { ...one, subscription: 'two', outcome: 'failed', error: 'AGENT_NOT_FOUND: gone' };
          const rest = [{ ...one, subscription: 'three', outcome: 'not_mentioned' }];
          return { subscriptions: request.channel === 'quiet' ? rest : [one, two, ...rest] };
        },
      },
    };
    const words = ['explain', 'room', 'hello', '@helper', '--author', 'ann', '--author-kind', 'agent'];
    expect((await run(words, { handlers: explaining })).out).toBe(
      'one: agent helper, called\ntwo: agent helper, failed, AGENT_NOT_FOUND: gone\nthree: agent helper, not mentioned\n',
    );
    expect(asked).toMatchObject([{ content: 'hello @helper', author: 'ann', authorKind: 'agent' }]);
    expect((await run(['explain', 'quiet', 'x'], { handlers: explaining })).err).toContain('no one would answer');
    const json = (await run([...words, '-o', 'json'], { handlers: explaining })).out;
    expect(JSON.parse(json)).toMatchObject({ subscriptions: [{ outcome: 'called' }, {}, {}] });
    expect((await run(['explain', 'room'], { handlers: explaining })).err).toContain('there is nothing to say');
  });
});
