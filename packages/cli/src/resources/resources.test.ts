import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, NOW_MS } from '../testing/fake-host.ts';

/** A UUIDv7 of so many seconds ago. */
const uidOf = (secondsAgo: number): string => {
  const hex = (NOW_MS - secondsAgo * 1_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

const agentOf = (name: string, more: object = {}) => ({
  metadata: {
    name,
    namespace: 'default',
    uid: uidOf(300),
    generation: 1n,
    resourceVersion: '7',
    labels: { team: 'red' },
  },
  spec: {
    systemPrompt: 'Be\nkind.',
    modelPolicy: { profiles: [{ name: 'default', model: { provider: 'demo', name: 'echo' } }] },
  },
  status: { phase: 'Ready', conditions: [{ type: 'Ready', status: 'True', reason: 'Fine', lastTransitionTime: 1n }] },
  ...more,
});

const handlers: FakeHandlers = {
  unary: {
    ListNamespaces: () => ({
      namespaces: [
        { metadata: { name: 'default', uid: uidOf(10) }, status: { phase: 'Ready' } },
        { metadata: { name: 'acme' }, spec: { parent: '' } },
      ],
    }),
    ListAgents: (request: { ns: string; pageToken: string }) =>
      request.ns !== 'default'
        ? { agents: [] }
        : request.pageToken === ''
          ? { agents: [agentOf('one')], nextPageToken: 'p2' }
          : { agents: [agentOf('two', { spec: {} })] },
    ListResources: () => ({
      resources: ['default', 'acme'].map((namespace) => ({
        ...{ apiVersion: 'svc/v1', kind: 'Agent', metadata: { name: 'one', namespace, uid: uidOf(300) } },
        spec: { kind: { case: 'agent', value: { modelPolicy: { profiles: [{ model: { name: 'echo' } }] } } } },
        status: { kind: { case: 'agent', value: { phase: 'Ready' } } },
      })),
    }),
    GetAgent: (request: { name: string }) => ({ agent: agentOf(request.name) }),
    ListSessions: (request: { agent: string }) =>
      request.agent === 'one'
        ? {
            sessions: [
              {
                sessionId: uidOf(60),
                state: 'IDLE',
                updatedAt: BigInt(NOW_MS - 5_000) * 1_000n,
                createdAt: 0n,
                labels: { a: 'b' },
              },
            ],
          }
        : {},
    GetResource: ({ name }: { name: string }) => ({
      resource: { kind: 'Session', metadata: { name }, spec: { kind: { case: 'session', value: { agent: 'two' } } } },
    }),
    GetSession: (request: { agent: string; sessionId: string }) => {
      if (request.agent !== 'two') throw new FakeFault('NOT_FOUND', 'SESSION_NOT_FOUND');
      return {
        sessionId: request.sessionId,
        agent: 'two',
        state: 'WAITING',
        session: {
          metadata: { name: request.sessionId },
          status: { phase: 'Waiting', lastActive: BigInt(NOW_MS) * 1_000n },
        },
      };
    },
  },
};

const run = async (words: readonly string[], options: FakeOptions = {}) => {
  const fake = fakeHost({ handlers, ...options });
  const exit = await fake.run(...words);
  return { ...fake, exit };
};

describe('svc get', () => {
  it('lists agents over all pages as a table', async () => {
    const { out, exit } = await run(['get', 'agents']);
    expect(exit).toBe(0);
    expect(out()).toBe(
      'NAME   PHASE   MODEL       AGE\none    Ready   demo/echo   5m\ntwo    Ready   (default)   5m\n',
    );
  });

  it('shows more columns with -o wide, and namespaces with -A', async () => {
    expect((await run(['get', 'agents', '-o', 'wide'])).out()).toContain('team=red');
    const across = await run(['get', 'agents', '-A']);
    expect(across.out()).toBe(
      [
        'NAMESPACE   NAME   PHASE   MODEL   AGE',
        'default     one    Ready   echo    5m',
        'acme        one    Ready   echo    5m',
        '',
      ].join('\n'),
    );
    expect(across.calls).toEqual(['ListResources']);
  });

  it('finds sessions of all agents, or one by its id alone', async () => {
    expect((await run(['get', 'sessions'])).out()).toBe(
      `ID                                     AGENT   STATE   ACTIVE\n${uidOf(60)}   one     IDLE    5s\n`,
    );
    const { out, calls } = await run(['get', 'session', 's7']);
    expect(out()).toContain('s7   two     WAITING   0s');
    expect(calls).toEqual(['GetResource', 'GetSession']);
    expect((await run(['get', 'session', '@Namespace/default/Agent/two/@/Session/s8'])).out()).toContain('s8');
    expect((await run(['get', 'session', 's9', '--agent', 'one'])).exit).toBe(exitCodes.notFound);
  });

  it('prints names, JSON, YAML and paths', async () => {
    expect((await run(['get', 'ns', '-o', 'name'])).out()).toBe('namespace/default\nnamespace/acme\n');
    const list = JSON.parse((await run(['get', 'agents', '-o', 'json'])).out());
    expect(list).toMatchObject({
      kind: 'List',
      items: [{ apiVersion: 'svc/v1', kind: 'Agent', metadata: { name: 'one' } }, {}],
    });
    expect(parse((await run(['get', 'agent/one', '-o', 'yaml'])).out())).toMatchObject({
      kind: 'Agent',
      status: { phase: 'Ready' },
    });
    expect((await run(['get', 'agents', '-o', 'jsonpath={.items[*].metadata.name}'])).out()).toBe('one two\n');
    expect((await run(['get', 'agents', '-o', 'jsonpath=what is it'])).exit).toBe(exitCodes.refused);
    expect((await run(['get', 'agents', '-o', 'xml'])).err()).toContain('there is no output form xml');
  });

  it('prints manifests without what the server owns', async () => {
    const manifest = parse((await run(['get', 'agent', 'one', '-o', 'manifest'])).out());
    expect(manifest).toEqual({
      apiVersion: 'svc/v1',
      kind: 'Agent',
      metadata: { name: 'one', namespace: 'default', labels: { team: 'red' } },
      spec: {
        systemPrompt: 'Be\nkind.',
        modelPolicy: { profiles: [{ name: 'default', model: { provider: 'demo', name: 'echo' } }] },
      },
    });
  });

  it('says where there is nothing, on standard error', async () => {
    const { out, err, exit } = await run(['get', 'agents', '-n', 'acme']);
    expect({ out: out(), err: err(), exit }).toEqual({ out: '', err: 'no agents in namespace acme\n', exit: 0 });
    expect((await run(['get', 'agents', '-n', 'acme', '-q'])).err()).toBe('');
  });

  it('knows the words of its kinds and no others', async () => {
    expect((await run(['get', 'Namespaces'])).exit).toBe(0);
    expect((await run(['get', 'planets'])).err()).toContain('there is no kind planets');
  });

  it('takes one kind at a time, with or without its name before each', async () => {
    expect((await run(['get', 'agent/one', 'agent/two', '-o', 'name'])).out()).toBe('agent/one\nagent/two\n');
    expect((await run(['get', 'agent/one', 'ns/acme'])).err()).toContain('one kind at a time');
    expect((await run(['get', 'agents,ns'])).err()).toContain('one kind at a time');
  });

  it('prints a list as JSON lines, one a resource', async () => {
    const lines = (await run(['get', 'agents', '-o', 'jsonl'])).out().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).metadata.name)).toEqual(['one', 'two']);
  });

  it('stops at --limit', async () => {
    expect((await run(['get', 'agents', '--limit', '1'])).out().trim().split('\n')).toHaveLength(2);
  });
});

describe('svc describe', () => {
  it('shows everything that is set, times readable, conditions as a table', async () => {
    const { out } = await run(['describe', 'agent', 'one']);
    expect(out()).toContain('Agent one\nmetadata\n  name: one\n');
    expect(out()).toContain('  systemPrompt: |-\n    Be\n    kind.\n');
    expect(out()).toMatch(/Ready +True +Fine/);
    expect(out()).not.toContain('postHistoryPrompt');
    expect((await run(['describe', 'session', 's1'])).out()).toMatch(/lastActive: 2026-03-0\d \d\d:\d\d:\d\d/);
    expect(JSON.parse((await run(['describe', 'agent', 'one', '-o', 'json'])).out())).toMatchObject({ kind: 'Agent' });
  });
});

describe('svc create', () => {
  const creating = () => {
    const seen: Record<string, unknown>[] = [];
    const note = (request: Record<string, unknown>) => {
      seen.push(request);
      return { sessionId: 's1' };
    };
    const GetNamespace = () => {
      throw new FakeFault('NOT_FOUND', 'NAMESPACE_NOT_FOUND');
    };
    const all: FakeHandlers = {
      unary: { ...handlers.unary, GetNamespace, CreateAgent: note, CreateNamespace: note, CreateSession: note },
    };
    return { seen, all };
  };

  it('creates namespaces, agents and sessions and says so', async () => {
    const { seen, all } = creating();
    expect(
      (await run(['create', 'ns', 'acme:x', '--recursive', '--labels', 'a=b, c=d'], { handlers: all })).out(),
    ).toBe('namespace/acme:x created\n');
    expect(
      (await run(['create', 'agent', 'h', '--model', 'openai/gpt/x', '--prompt', 'Hi'], { handlers: all })).out(),
    ).toBe('agent/h created\n');
    expect((await run(['create', 'session', 'h', '-n', 'acme'], { handlers: all })).out()).toBe('session/s1 created\n');
    expect(seen).toMatchObject([
      { name: 'acme:x', recursive: true, labels: { a: 'b', c: 'd' } },
      {
        ns: 'default',
        name: 'h',
        spec: { systemPrompt: 'Hi', modelPolicy: { profiles: [{ model: { provider: 'openai', name: 'gpt/x' } }] } },
      },
      { ns: 'acme', agent: 'h' },
    ]);
  });

  it('says of a namespace whether it was there', async () => {
    const creating = async (name: string, version: string) => {
      const metadata = { name, resourceVersion: '7' };
      const unary = {
        GetNamespace: () => ({ namespace: { metadata, status: { isDeleted: name === 'gone' } } }),
        CreateNamespace: () => ({ namespace: { metadata: { ...metadata, resourceVersion: version } } }),
      };
      return (await run(['create', 'namespace', name, '--labels', 'a=b'], { handlers: { unary } })).out();
    };
    expect(await creating('here', '7')).toBe('namespace/here exists already\n');
    expect(await creating('here', '8')).toBe('namespace/here exists already; its labels were changed\n');
    expect(await creating('gone', '8')).toBe('namespace/gone restored with its contents\n');
    const GetNamespace = () => {
      throw new FakeFault('PERMISSION_DENIED', 'SCOPE');
    };
    expect((await run(['create', 'ns', 'x'], { handlers: { unary: { GetNamespace } } })).exit).toBe(
      exitCodes.connection,
    );
  });

  it('reads a spec from a file or standard input, whole resources too', async () => {
    const { seen, all } = creating();
    const files = { '/work/a.yaml': { text: 'kind: Agent\nspec: {systemPrompt: file}', mode: 0o644 } };
    await run(['create', 'agent', 'h', '--spec', 'a.yaml'], { handlers: all, files });
    await run(['create', 'agent', 'h', '--spec', '-', '--model', 'echo'], {
      handlers: all,
      piped: '{"systemPrompt": "pipe"}',
    });
    expect(seen).toMatchObject([
      { spec: { systemPrompt: 'file' } },
      { spec: { systemPrompt: 'pipe', modelPolicy: { profiles: [{ model: { provider: '', name: 'echo' } }] } } },
    ]);
    expect((await run(['create', 'agent', 'h', '--spec', 'gone.yaml'], { handlers: all })).err()).toContain(
      'there is no file gone.yaml',
    );
    const wrong = { '/work/a.yaml': { text: 'sytemPrompt: x', mode: 0o644 } };
    expect((await run(['create', 'agent', 'h', '--spec', 'a.yaml'], { handlers: all, files: wrong })).err()).toContain(
      'sytemPrompt',
    );
  });

  it('prints the new resource with -o', async () => {
    const { all } = creating();
    expect(JSON.parse((await run(['create', 'agent', 'h', '-o', 'json'], { handlers: all })).out())).toMatchObject({
      metadata: { name: 'h' },
    });
  });

  it('refuses a label without a value', async () => {
    expect((await run(['create', 'agent', 'h', '--labels', 'red'])).err()).toContain('label red has no value');
  });
});

describe('svc delete', () => {
  const removing: FakeHandlers = {
    unary: {
      ...handlers.unary,
      DeleteResource: (request: { name: string }) => {
        if (request.name === 'gone')
          throw new FakeFault('NOT_FOUND', 'AGENT_NOT_FOUND', { message: 'agent not found' });
        return { pending: request.name === 'held' };
      },
      DeleteNamespace: (request: { purge: boolean }) => ({ namespace: { metadata: { name: String(request.purge) } } }),
      DeleteSession: () => ({ success: true }),
    },
  };

  it('tells what happened to each', async () => {
    expect((await run(['delete', 'agent', 'one', 'held'], { handlers: removing })).out()).toBe(
      'agent/one deleted\nagent/held is being deleted\n',
    );
    expect((await run(['delete', 'session/s1'], { handlers: removing })).out()).toBe('session/s1 deleted\n');
    expect((await run(['delete', 'ns', 'acme', '--purge'], { handlers: removing })).out()).toContain(
      'its contents are being removed',
    );
    expect((await run(['delete', 'ns', 'acme'], { handlers: removing })).out()).toContain('brings it back');
  });

  it('ends with 4 when nothing was there, with 2 when only some were', async () => {
    expect((await run(['delete', 'agent', 'gone'], { handlers: removing })).exit).toBe(exitCodes.notFound);
    const { exit, err } = await run(['delete', 'agent', 'one', 'gone'], { handlers: removing });
    expect(exit).toBe(exitCodes.partial);
    expect(err()).toContain('gone: agent not found (AGENT_NOT_FOUND)');
    expect((await run(['delete', 'agent'])).err()).toContain('which agent?');
    expect((await run(['delete'])).err()).toContain('what is to be deleted?');
  });

  it('goes on after one that is gone, and stops at what is refused', async () => {
    const gone = await run(['delete', 'agent', 'gone', 'one', 'gone', 'two'], { handlers: removing });
    expect([gone.exit, gone.out()]).toEqual([exitCodes.partial, 'agent/one deleted\nagent/two deleted\n']);
    expect(gone.err().match(/gone: agent not found/g)).toHaveLength(2);
    expect((await run(['delete', 'agent', 'gone', 'gone'], { handlers: removing })).exit).toBe(exitCodes.notFound);
    const DeleteResource = () => {
      throw new FakeFault('PERMISSION_DENIED', 'ROLE');
    };
    const denied = await run(['delete', 'agent', 'a', 'b'], { handlers: { unary: { DeleteResource } } });
    expect([denied.exit, denied.calls]).toEqual([exitCodes.connection, ['DeleteResource']]);
  });
});
