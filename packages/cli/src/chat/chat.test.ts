import type { SendMessageRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { interrupt } from '../host.ts';
import { done, event, reset, text, toolCall } from '../testing/fake-events.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, ScriptedTerminal } from '../testing/fake-host.ts';

const session = { sessionId: 's1', agent: 'demo', state: 'IDLE' };

/** A server with one session whose replies are these events, one list per turn. */
const talking = (
  turns: readonly (readonly object[])[],
  more: FakeHandlers = {},
): { handlers: FakeHandlers; sent: SendMessageRequest[] } => {
  const sent: SendMessageRequest[] = [];
  const left = [...turns];
  const handlers: FakeHandlers = {
    unary: {
      CreateSession: () => session,
      GetSession: () => session,
      SendMessage: (request: SendMessageRequest) => {
        sent.push(request);
        return { sessionId: 's1', turnId: 't1' };
      },
      StopSessionGeneration: () => ({ stoppedTurnIds: ['t1'] }),
      ...more.unary,
    },
    streams: { StreamSessionParts: () => left.shift() ?? [], ...more.streams },
  };
  return { handlers, sent };
};

describe('svc chat -m', () => {
  const once = async (turn: readonly object[], options: FakeOptions = {}, ...words: string[]) => {
    const { handlers, sent } = talking([turn]);
    const fake = fakeHost({ handlers, ...options });
    const exit = await fake.run('chat', '-m', 'hi', ...words);
    return { ...fake, exit, sent };
  };

  it('prints the text of the reply and nothing else on standard output', async () => {
    const { out, err, exit, sent } = await once([text('draft'), toolCall('x', {}), text('final', 'm2'), done()]);
    expect({ out: out(), err: err(), exit }).toEqual({ out: 'final\n', err: '', exit: 0 });
    expect(sent[0]).toMatchObject({ ns: 'default', agent: 'demo', message: 'hi' });
  });

  it('discards what a RESET takes back', async () => {
    expect((await once([text('wrong'), reset(), text('right'), done()])).out()).toBe('right\n');
  });

  it('streams to a terminal', async () => {
    expect(
      (await once([text('a'), text('b'), done()], { isTerminal: true, environment: { NO_COLOR: '1' } })).out(),
    ).toBe('ab\n');
  });

  it('takes the message from a pipe', async () => {
    const { handlers, sent } = talking([[text('yes'), done()]]);
    const fake = fakeHost({ handlers, piped: 'from a pipe\n' });
    expect(await fake.run('chat', 'helper', '-n', 'acme')).toBe(0);
    expect(sent[0]).toMatchObject({ ns: 'acme', agent: 'helper', message: 'from a pipe' });
  });

  it('refuses an empty pipe', async () => {
    const fake = fakeHost({ piped: ' \n' });
    expect(await fake.run('chat')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('there is nothing to send');
  });

  it('fails with the words of a failed turn', async () => {
    const { err, out, exit } = await once([
      event({ kind: 3, type: 6, text: 'Error: no key.', reason: 'provider_auth' }),
    ]);
    expect({ exit, out: out() }).toEqual({ exit: exitCodes.refused, out: '' });
    expect(err()).toContain('Error: no key. (provider_auth)');
  });

  it('says how to answer a permission request that it cannot ask', async () => {
    const { handlers } = talking([[event({ type: 11, name: 'write', text: 'May I?' })]], {
      unary: { GetTurn: () => ({ turn: { pendingPermissions: [{ id: 'p1', action: 'write' }] } }) },
    });
    const fake = fakeHost({ handlers });
    expect(await fake.run('chat', '-m', 'hi')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('svc inbox answer p1');
  });

  it('sends files as data URLs, images as images', async () => {
    const { sent } = await once(
      [done()],
      { files: { '/work/a.png': { text: 'PNG', mode: 0o644 }, '/work/b': { text: 'B', mode: 0o644 } } },
      '--file',
      'a.png',
      '--file',
      'b',
    );
    expect(sent[0]?.parts.map((part) => [part.partType, part.name, part.payloadJson])).toEqual([
      [7, 'a.png', '{"url":"data:image/png;base64,UE5H"}'],
      [10, 'b', '{"url":"data:application/octet-stream;base64,Qg=="}'],
    ]);
  });

  it('names the agent that is missing and where to look', async () => {
    const handlers = {
      unary: {
        CreateSession: () => {
          throw new FakeFault('NOT_FOUND', 'AGENT_NOT_FOUND', { message: 'agent not found: default/nope' });
        },
      },
    };
    const fake = fakeHost({ handlers });
    expect(await fake.run('chat', 'nope', '-m', 'hi')).toBe(exitCodes.notFound);
    expect(fake.err()).toBe(
      'svc: agent not found: default/nope (AGENT_NOT_FOUND)\n  try: `svc get agents` lists those that exist; -n chooses the namespace\n',
    );
  });
});

describe('svc chat', () => {
  const talk = async (
    lines: ConstructorParameters<typeof ScriptedTerminal>[0],
    turns: readonly (readonly object[])[],
    more: FakeHandlers = {},
  ) => {
    const { handlers, sent } = talking(turns, more);
    const terminal = new ScriptedTerminal(lines);
    const fake = fakeHost({ handlers, terminal });
    const exit = await fake.run('chat');
    return { ...fake, exit, sent, terminal };
  };

  it('answers line by line until the input ends', async () => {
    const { out, exit, sent, terminal } = await talk(
      ['one', '', 'two'],
      [
        [text('first'), done()],
        [text('second'), done()],
      ],
    );
    expect({ out: out(), exit }).toEqual({ out: 'first\n\nsecond\n\n', exit: 0 });
    expect(sent.map((request) => request.message)).toEqual(['one', 'two']);
    expect(terminal.isClosed).toBe(true);
  });

  it('goes on with the last conversation, if it still exists', async () => {
    const first = await talk([], []);
    expect(first.calls).toEqual(['CreateSession', 'GetSession']);
    const memory = first.files.get('/home/me/.local/state/svc/chats.json');
    expect(memory).toMatchObject({ mode: 0o600 });
    const again = fakeHost({
      handlers: talking([]).handlers,
      terminal: new ScriptedTerminal([]),
      files: Object.fromEntries(first.files),
    });
    await again.run('chat');
    expect(again.calls).not.toContain('CreateSession');
    expect(again.err()).toContain('conversation s1 (continued; /new starts afresh)');
    const gone = talking([], {
      unary: {
        GetSession: (() => {
          let calls = 0;
          return () => {
            calls += 1;
            if (calls === 1) throw new FakeFault('NOT_FOUND', 'SESSION_NOT_FOUND');
            return session;
          };
        })(),
      },
    });
    const anew = fakeHost({
      handlers: gone.handlers,
      terminal: new ScriptedTerminal([]),
      files: Object.fromEntries(first.files),
    });
    await anew.run('chat');
    expect(anew.calls).toContain('CreateSession');
  });

  it('shows a turn that runs already', async () => {
    const { out } = await talk([], [[text('still here'), done('completed', 't9')]], {
      unary: { GetSession: () => ({ ...session, activeTurnId: 't9' }) },
    });
    expect(out()).toBe('still here\n\n');
  });

  it('asks for permission inline and sends the answer', async () => {
    const answers: unknown[] = [];
    const requests = {
      turn: {
        pendingPermissions: [
          {
            id: 'p1',
            action: 'write',
            inputJson: '{}',
            options: [
              { id: 'once', name: 'Allow once', decision: 1 },
              { id: 'no', name: 'Deny', decision: 2 },
            ],
          },
        ],
      },
    };
    const { out, terminal } = await talk(
      ['go', 'perhaps', 'n'],
      [[event({ type: 11, name: 'write', text: 'May I?' }), text('fine'), done()]],
      {
        unary: {
          GetTurn: () => requests,
          AnswerPermission: (request: { requestId: string; decision: number; optionId: string }) => {
            answers.push([request.requestId, request.decision, request.optionId]);
            return { request: { id: 'p1' } };
          },
        },
      },
    );
    expect(answers).toEqual([['p1', 2, 'no']]);
    expect(terminal.prompts).toEqual(['you> ', 'allow? (y/n/1/2) ', 'allow? (y/n/1/2) ', 'you> ']);
    expect(out()).toBe('  ? write: May I?\n  [1] Allow once\n  [2] Deny\nplease answer y/n/1/2\nfine\n\n');
  });

  it('waits for a sign-in, which only the sign-in itself completes', async () => {
    const answers: unknown[] = [];
    const options = [
      { id: 'signed_in', name: 'Signed in', decision: 1 },
      { id: 'decline', name: 'Decline', decision: 2 },
    ];
    const request = { id: 'p1', turnId: 't1', kind: 'sign_in', url: 'https://tracker.test/login', options };
    const signIn = (lines: readonly string[], openFor: number) => {
      let reads = 0;
      return talk(lines, [[event({ type: 11, name: 'track' }), done()]], {
        unary: {
          GetTurn: () => {
            reads += 1;
            return { turn: { pendingPermissions: reads <= openFor ? [request] : [] } };
          },
          AnswerPermission: ({ optionId }: { optionId: string }) => {
            answers.push(optionId);
            return { request };
          },
        },
      });
    };
    const signed = await signIn(['go', '', 'y'], 2);
    expect(signed.out()).toContain('sign in at https://tracker.test/login\nthe server has not seen the sign-in yet\n');
    expect([signed.exit, answers]).toEqual([exitCodes.ok, []]);
    await signIn(['go', 'n'], 9);
    expect(answers).toEqual(['decline']);
  });

  it('does not ask again what a RESET shows again and was decided', async () => {
    const { terminal } = await talk(['go'], [[event({ type: 11, name: 'write' }), done()]], {
      unary: { GetTurn: () => ({ turn: {} }) },
    });
    expect(terminal.prompts).toEqual(['you> ', 'you> ']);
  });

  it('says that a request was decided elsewhere', async () => {
    const requests = { turn: { pendingPermissions: [{ id: 'p1', options: [{ id: 'once', decision: 1 }] }] } };
    const { out } = await talk(['go', '1'], [[event({ type: 11, name: 'write' }), done()]], {
      unary: {
        GetTurn: () => requests,
        AnswerPermission: () => {
          throw new FakeFault('FAILED_PRECONDITION', 'PERMISSION_CLOSED');
        },
      },
    });
    expect(out()).toContain('this was decided elsewhere meanwhile');
  });

  it('stops the answer at Ctrl-C and stays', async () => {
    let press = (): void => undefined;
    const stream = async function* () {
      yield text('long ');
      press();
      await new Promise((resolve) => setImmediate(resolve));
      yield done('stopped');
    };
    const terminal = new ScriptedTerminal(['go']);
    press = () => terminal.pressInterrupt();
    const { handlers } = talking([], { streams: { StreamSessionParts: stream } });
    const fake = fakeHost({ handlers, terminal });
    expect(await fake.run('chat')).toBe(0);
    expect(fake.calls).toContain('StopSessionGeneration');
    expect(fake.err()).toContain('stopping; Ctrl-C again leaves\n(stopped)\n');
    expect(fake.out()).toBe('long \n\n');
  });

  it('leaves at the second Ctrl-C while an answer is being stopped', async () => {
    const terminal = new ScriptedTerminal(['go']);
    const stream = async function* () {
      yield text('long ');
      terminal.pressInterrupt();
      terminal.pressInterrupt();
      await new Promise(() => undefined);
    };
    const fake = fakeHost({ handlers: talking([], { streams: { StreamSessionParts: stream } }).handlers, terminal });
    expect(await fake.run('chat')).toBe(exitCodes.interrupted);
  });

  it('leaves at two Ctrl-C in a row at the prompt, not at two apart', async () => {
    const { sent } = await talk([interrupt, 'hi', interrupt, interrupt, 'never'], [[done()]]);
    expect(sent).toHaveLength(1);
  });

  it('keeps lines typed during an answer for later, and obeys /stop at once', async () => {
    const terminal = new ScriptedTerminal(['go']);
    let turns = 0;
    const stream = async function* () {
      turns += 1;
      if (turns === 1) {
        yield text('a');
        terminal.type('next');
        terminal.type('/stop');
      }
      yield done();
    };
    const { handlers, sent } = talking([], { streams: { StreamSessionParts: stream } });
    const fake = fakeHost({ handlers, terminal });
    await fake.run('chat');
    expect(sent.map((request) => request.message)).toEqual(['go', 'next']);
    expect(fake.calls).toContain('StopSessionGeneration');
  });

  it('tells that the connection is lost and back, and loses nothing', async () => {
    let tries = 0;
    const broken = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const first = [text('one '), broken];
    const { out, err } = await talk(['go'], [], {
      streams: { StreamSessionParts: () => (++tries === 1 ? first : [text('two'), done()]) },
    });
    expect(err()).toContain('connection lost; trying again\nconnected again\n');
    expect(out()).toBe('one \ntwo\n\n');
  });

  it('knows its commands and explains failures without ending', async () => {
    const lines = [
      '/help',
      '/stop',
      '/clear',
      '/new',
      '/session',
      '/session s2',
      '/attach',
      '/attach gone',
      '/attach a.txt',
      'see',
      '/nonsense',
      '/quit',
      'never',
    ];
    const { handlers, sent } = talking([[done()]], {
      unary: {
        ClearSession: () => {
          throw new FakeFault('RESOURCE_EXHAUSTED', 'SESSION_BUSY', { message: 'busy' });
        },
      },
    });
    const fake = fakeHost({
      handlers,
      terminal: new ScriptedTerminal(lines),
      files: { '/work/a.txt': { text: 'A', mode: 0o644 } },
    });
    expect(await fake.run('chat', '--session', 's1', '--agent', 'demo', 'demo')).toBe(exitCodes.refused);
    const again = fakeHost({
      handlers,
      terminal: new ScriptedTerminal(lines),
      files: { '/work/a.txt': { text: 'A', mode: 0o644 } },
    });
    expect(await again.run('chat', 'demo', '--session', 's1')).toBe(0);
    for (const words of [
      '/attach PATH',
      'stopped',
      'busy (SESSION_BUSY)',
      'conversation s1',
      'which session?',
      'conversation s2',
      'which file?',
      'there is no file gone',
      'a.txt goes with the next message',
      'there is no command /nonsense',
    ]) {
      expect(again.err()).toContain(words);
    }
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ sessionId: 's2', message: 'see', parts: [{ name: 'a.txt' }] });
  });
});
