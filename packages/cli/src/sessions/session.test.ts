import type { ForkSessionRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { done, text } from '../testing/fake-events.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';

const session = { sessionId: 's1', agent: 'demo', state: 'IDLE', streamCursor: 'c0' };
const message = (id: string, role: number, content: string) => ({
  message: { id, role, createdAt: 1_700_000_000_000_000n, parts: [{ partType: 1, content }] },
});

const run = async (words: readonly string[], handlers: FakeHandlers = {}, options: FakeOptions = {}) => {
  const unary = {
    GetSession: () => session,
    GetResource: ({ kind, name }: { kind: string; name: string }) => {
      if (name === 'none') throw new FakeFault('NOT_FOUND', 'SESSION_NOT_FOUND');
      return { resource: { kind, metadata: { name }, spec: { kind: { case: 'session', value: { agent: 'demo' } } } } };
    },
    ...handlers.unary,
  };
  const fake = fakeHost({ ...options, handlers: { ...handlers, unary } });
  const exit = await fake.run(...words);
  return { ...fake, exit };
};

describe('svc send', () => {
  const sending = (answer: object) => {
    const seen: Record<string, unknown>[] = [];
    const SendMessage = (request: Record<string, unknown>) => {
      seen.push(request);
      return answer;
    };
    return { seen, handlers: { unary: { SendMessage } } };
  };

  it('prints the ids of what was accepted', async () => {
    const { seen, handlers } = sending({ messageId: 'm1', turnId: 't1' });
    expect((await run(['send', 's1', 'hello', '--when-busy', 'steer'], handlers)).out()).toBe(
      'message m1\nturn    t1\n',
    );
    expect(seen[0]).toMatchObject({ ns: 'default', agent: 'demo', sessionId: 's1', message: 'hello', whenBusy: 2 });
  });

  it('waits for the reply and prints it, or all of it as JSON', async () => {
    const { seen, handlers } = sending({ reply: 'hi', turnState: 4 });
    expect((await run(['session', 'send', 's1', 'hello', '--wait', '10s'], handlers)).out()).toBe('hi\n');
    expect(seen[0]).toMatchObject({ waitSeconds: 10 });
    await run(['send', 's1', 'hello', '--wait'], handlers);
    expect(seen[1]).toMatchObject({ waitSeconds: 300 });
    expect(JSON.parse((await run(['send', 's1', 'x', '-o', 'json'], handlers)).out())).toMatchObject({ reply: 'hi' });
  });

  it('ends with 5 when the wait was too short, with 1 when the turn failed', async () => {
    const late = await run(['send', 's1', 'x', '--wait', '1'], sending({ turnState: 2 }).handlers);
    expect(late.exit).toBe(exitCodes.timeout);
    expect(late.err()).toContain('svc session watch s1');
    const failed = await run(
      ['send', 's1', 'x', '--wait', '1'],
      sending({ turnState: 5, error: 'Error: no key.' }).handlers,
    );
    expect(failed.exit).toBe(exitCodes.refused);
    expect(failed.err()).toContain('Error: no key.');
  });

  it('reads the text from a pipe and refuses none', async () => {
    const { seen, handlers } = sending({});
    await run(['send', 's1'], handlers, { piped: 'piped\n' });
    expect(seen[0]).toMatchObject({ message: 'piped' });
    expect((await run(['send', 's1'], handlers)).err()).toContain('there is nothing to send');
    expect((await run(['send', 's1', 'x', '--when-busy', 'later'], handlers)).err()).toContain(
      '--when-busy later is unknown',
    );
    expect((await run(['send', 's1', 'x', '--wait', 'long'], handlers)).err()).toContain(
      '--wait long is not a duration',
    );
    expect((await run(['send', 's1', '--wait', 'hello there'], handlers)).err()).toContain(
      'svc send s1 "hello there" --wait\n',
    );
  });
});

describe('svc session', () => {
  it('finds a session without its agent by one call, by its canonical name by none', async () => {
    const handlers = { unary: { ClearSession: () => ({}) } };
    const { calls, out } = await run(['session', 'clear', 's1'], handlers);
    expect([calls, out()]).toEqual([['GetResource', 'ClearSession'], 'session/s1 cleared\n']);
    const canonical = await run(['session', 'clear', '@Namespace/a%3Ab/Agent/demo/@/Session/s2'], handlers);
    expect([canonical.calls, canonical.out()]).toEqual([['GetSession', 'ClearSession'], 'session/s2 cleared\n']);
    const none = await run(['session', 'clear', 'none'], handlers);
    expect([none.exit, none.calls]).toEqual([exitCodes.notFound, ['GetResource']]);
    const GetResource = () => {
      throw new FakeFault('PERMISSION_DENIED', 'SCOPE');
    };
    const scoped = await run(['session', 'clear', 's1'], { unary: { ...handlers.unary, GetResource } });
    expect([scoped.exit, scoped.err()]).toEqual([exitCodes.connection, expect.stringContaining('with --agent')]);
    const broken = () => {
      throw new FakeFault('INTERNAL', 'INTERNAL');
    };
    expect((await run(['session', 'clear', 's1'], { unary: { GetResource: broken } })).exit).toBe(exitCodes.refused);
  });

  it('shows messages oldest first, over pages', async () => {
    const handlers = {
      unary: {
        ListSessionMessages: (request: { beforeMessageId?: string }) =>
          request.beforeMessageId === undefined
            ? { items: [message('m2', 2, 'hello\u001b')], hasMore: true, nextBeforeMessageId: 'm2' }
            : { items: [message('m1', 1, 'hi')] },
      },
    };
    const { out } = await run(['session', 'messages', 's1'], handlers);
    expect(out().replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')).toBe(
      'user TIME  m1\nhi\n\nassistant TIME  m2\nhello^[\n\n',
    );
    const lines = (await run(['session', 'messages', 's1', '-o', 'jsonl', '--limit', '2'], handlers))
      .out()
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['m1', 'm2']);
    expect(JSON.parse((await run(['session', 'messages', 's1', '-o', 'json'], handlers)).out()).items).toHaveLength(2);
  });

  it('streams events as JSON lines, saying on standard error when it was cut', async () => {
    let tries = 0;
    const broken = new Error('cut');
    const handlers = {
      unary: { ListTurns: () => ({ turns: [{ id: 't1', state: 4 }] }) },
      streams: { StreamSessionParts: () => (++tries === 1 ? [text('a'), broken] : [done()]) },
    };
    const { out, err } = await run(['session', 'stream', 's1', '--until-done'], handlers);
    expect(
      out()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).kind),
    ).toEqual(['SESSION_MESSAGE_PART_EVENT_KIND_DELTA', 'SESSION_MESSAGE_PART_EVENT_KIND_DONE']);
    expect(err()).toBe('connection lost; trying again\nconnected again\n');
  });

  it('watches as in a chat until Ctrl-C, which is exit code 130 without words', async () => {
    const holder: { fake?: ReturnType<typeof fakeHost> } = {};
    const stream = async function* () {
      yield text('hello');
      holder.fake?.interrupt();
      await new Promise((resolve) => setImmediate(resolve));
      yield done();
    };
    const handlers = { unary: { GetSession: () => session }, streams: { StreamSessionParts: stream } };
    holder.fake = fakeHost({ handlers });
    const exit = await holder.fake.run('session', 'watch', 's1', '--agent', 'demo', '--after', 'c1');
    expect([exit, holder.fake.out(), holder.fake.err()]).toEqual([exitCodes.interrupted, 'hello\n', '']);
  });

  it('watches on from the kept messages when the cursor is too old', async () => {
    const handlers = {
      unary: { ListSessionMessages: () => ({ streamCursor: 'c5' }) },
      streams: {
        StreamSessionParts: (query: URLSearchParams) =>
          query.get('after') === 'old' ? [new FakeFault('OUT_OF_RANGE', 'CURSOR_EXPIRED')] : [text('x'), done()],
      },
    };
    const { out, err } = await run(['session', 'watch', 's1', '--after', 'old', '--until-done'], handlers);
    expect(out()).toBe('x\n');
    expect(err()).toContain('some events are too old to show');
  });

  it('stops, clears, forks, lists and deletes', async () => {
    const handlers = {
      unary: {
        StopSessionGeneration: (request: { turnId: string }) => ({
          stoppedTurnIds: request.turnId === '' ? [] : [request.turnId],
        }),
        ClearSession: () => ({}),
        ForkSession: (request: { throughMessageId: string }) => ({ sessionId: `copy-${request.throughMessageId}` }),
        ListSessions: () => ({ sessions: [{ sessionId: 's1', state: 'IDLE' }] }),
        DeleteSession: () => ({}),
      },
    };
    expect((await run(['session', 'stop', 's1'], handlers)).out()).toBe('nothing was running\n');
    expect((await run(['session', 'stop', 's1', '--turn', 't1'], handlers)).out()).toBe('stopped t1\n');
    expect((await run(['session', 'clear', 's1', '--stop'], handlers)).out()).toBe('session/s1 cleared\n');
    expect((await run(['session', 'fork', 's1', '--through', 'm1'], handlers)).out()).toBe('session/copy-m1 created\n');
    expect((await run(['session', 'list', 'demo', '-o', 'name'], handlers)).out()).toBe('session/s1\n');
    expect((await run(['session', 'get', 's1', '-o', 'name'], handlers)).out()).toBe('session/s1\n');
    expect((await run(['session', 'delete', 's1'], handlers)).out()).toBe('session/s1 deleted\n');
  });

  it('forks with another model, temperature and prompt, and says which of them it cannot read', async () => {
    const asked: ForkSessionRequest[] = [];
    const handlers = {
      unary: {
        ForkSession: (request: ForkSessionRequest) => {
          asked.push(request);
          return { sessionId: 's2' };
        },
      },
    };
    const fork = (...words: readonly string[]) => run(['session', 'fork', 's1', ...words], handlers);
    const words = ['--model', 'demo/some/model', '--temperature', '0', '--system-prompt-file', 'p.md'];
    const files = { '/work/p.md': { text: 'Be brief.', mode: 0o600 } };
    const done = await run(['session', 'fork', 's1', ...words], handlers, { files });
    expect(done.out()).toBe('session/s2 created\n');
    expect(asked[0]?.overrides).toMatchObject({
      provider: 'demo',
      model: 'some/model',
      temperature: 0,
      systemPrompt: 'Be brief.',
    });
    await fork();
    expect(asked[1]?.overrides).toBeUndefined();
    expect((await fork('--model', 'echo')).err()).toContain('echo is not a model');
    expect((await fork('--temperature', 'warm')).err()).toContain('warm is not a temperature');
    expect((await fork('--system-prompt-file', 'none.md')).err()).toContain('there is no file none.md');
    expect(asked).toHaveLength(2);
  });

  it('permits and denies', async () => {
    const seen: unknown[] = [];
    const handlers = {
      unary: {
        AnswerPermission: (request: Record<string, unknown>) => {
          seen.push(request);
          return {};
        },
      },
    };
    expect(
      (await run(['session', 'permit', 's1', 'p1', 'allow', '--option', 'o', '--comment', 'fine'], handlers)).out(),
    ).toBe('allowed\n');
    expect((await run(['session', 'permit', 's1', 'p1', 'deny'], handlers)).out()).toBe('denied\n');
    expect(seen).toMatchObject([{ requestId: 'p1', decision: 1, optionId: 'o', comment: 'fine' }, { decision: 2 }]);
    expect((await run(['session', 'permit', 's1', 'p1', 'maybe'], handlers)).err()).toContain(
      'maybe is not a decision',
    );
  });
});
