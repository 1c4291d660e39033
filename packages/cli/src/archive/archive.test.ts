import type {
  AppendSessionMessageRequest,
  ApplyManifestsRequest,
  ApplyResourceRequest,
  CreateSessionRequest,
} from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';

const meta = (name: string, more: object = {}) => ({
  name,
  namespace: 'default',
  uid: 'u',
  resourceVersion: '3',
  ...more,
});
const of = (kind: string, metadata: object, spec?: object) => ({
  ...{ apiVersion: 'svc/v1', kind, metadata },
  ...(spec === undefined ? {} : { spec: { kind: spec } }),
});
const secret = (value: string) => of('Secret', meta('s'), { case: 'secret', value: { data: { k: value } } });
const message = (id: string, more: object = {}) => ({ id, role: 2, createdAt: 5n, parts: [{ content: id }], ...more });

const exporting: FakeHandlers = {
  unary: {
    ListResources: () => ({
      resources: [
        of(
          'Skill',
          meta('k', { labels: { 'svc/deployment': 'd', mine: 'x' }, finalizers: ['svc/foreground', 'a/b'] }),
          {
            ...{ case: 'skill', value: { description: '{{ x }}' } },
          },
        ),
        secret(''),
        {
          ...of('File', meta('f'), { case: 'file', value: { path: '/a.md', mediaType: 'text/markdown' } }),
          status: { kind: { case: 'file', value: { objectRef: { sizeBytes: 4n } } } },
        },
        of('File', meta('pending'), { case: 'file', value: { path: '/b.md' } }),
        of('Session', meta('s1', { labels: { 'svc/x': 'y', a: 'b' } }), {
          case: 'session',
          value: { agent: 'helper' },
        }),
      ],
    }),
    GetResource: () => ({ resource: secret('aHVzaA==') }),
    GetSession: () => ({ sessionId: 's1', overrides: { model: 'other', temperature: 0.5, systemPrompt: '' } }),
    ReadFile: () => ({ content: new TextEncoder().encode('text') }),
    ListSessionMessages: ({ beforeMessageId = '' }: { beforeMessageId?: string }) =>
      beforeMessageId === ''
        ? {
            items: [{ message: message('m2', { parts: [{ object: { key: 'k' } }] }) }],
            hasMore: true,
            nextBeforeMessageId: 'm2',
          }
        : { items: [{ message: message('m1') }] },
  },
};

describe('svc export --data', () => {
  it('writes one archive: manifests with values, files with bytes, sessions with messages', async () => {
    const shell = fakeHost({ handlers: exporting });
    expect(await shell.run('export', '--data')).toBe(exitCodes.ok);
    const lines = shell.out().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { archive: 'svc/export', version: 1 },
      { manifest: { kind: 'Secret', spec: { data: { k: 'aHVzaA==' } } } },
      { manifest: { kind: 'Skill', spec: { description: '{{ x }}' } }, uid: 'u' },
      { file: { namespace: 'default', spec: { path: '/a.md' }, uid: 'u' }, content: 'dGV4dA==' },
      {
        session: {
          ...{ namespace: 'default', agent: 'helper', id: 's1', labels: { a: 'b' } },
          overrides: { model: 'other', temperature: 0.5, systemPrompt: '' },
        },
      },
      { message: { id: 'm1' } },
      { message: { id: 'm2' } },
    ]);
    expect(shell.out()).not.toMatch(/svc\/deployment|svc\/foreground|svc\/x/);
    for (const { manifest } of lines.map((line) => JSON.parse(line) as { manifest?: { metadata: object } }))
      expect(manifest?.metadata ?? {}).not.toHaveProperty('uid');
    expect(shell.err()).toContain('2 resources, 1 file, 1 session, 2 messages\n1 attachment of messages is not in');
  });

  it('has what deployments make, marked and at the end of the manifests, for what people added', async () => {
    const made = of(
      'Skill',
      meta('made', { labels: { 'svc/deployment': 'd' }, annotations: { 'svc/replica': 'default/d--x' } }),
      {
        ...{ case: 'skill', value: { description: 'x' } },
      },
    );
    const resources = [made, of('Deployment', meta('d'), { case: 'deployment', value: {} })];
    const shell = fakeHost({ handlers: { unary: { ListResources: () => ({ resources }) } } });
    expect(await shell.run('export', '--data')).toBe(exitCodes.ok);
    const lines = shell.out().trim().split('\n').slice(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { manifest: { kind: 'Deployment' } },
      { manifest: { kind: 'Skill', metadata: { name: 'made' } }, deployment: 'default/d' },
    ]);
    expect(shell.err()).toContain('2 resources');
  });

  it('leaves keys and finalizers of the system out of manifests too', async () => {
    const shell = fakeHost({ handlers: exporting });
    await shell.run('export');
    expect(shell.out()).toContain('  labels:\n    mine: x\n  finalizers:\n    - a/b\n');
    expect(shell.out()).toContain('    k: aHVzaA==\n');
  });
});

const lines = (...values: readonly object[]): string =>
  [{ archive: 'svc/export', version: 1 }, ...values].map((value) => `${JSON.stringify(value)}\n`).join('');
const session = { session: { namespace: 'acme', agent: 'helper', id: 'old', labels: { a: 'b' } } };
const wire = (id: string, more: object = {}) => ({
  message: {
    id,
    role: 'ROLE_USER',
    createdAt: '5',
    parts: [{ partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: id }],
    ...more,
  },
});

describe('svc import of an archive', () => {
  const applied: ApplyManifestsRequest[] = [];
  const files = new Map<string, string>();
  const sessions: CreateSessionRequest[] = [];
  const appended: AppendSessionMessageRequest[] = [];
  const written: ApplyResourceRequest[] = [];
  let isAgentThere = true;
  let outcome = 1;
  beforeEach(() => {
    for (const list of [applied, sessions, appended, written]) list.length = 0;
    files.clear();
    isAgentThere = true;
    outcome = 1;
  });
  const handlers: FakeHandlers = {
    unary: {
      ApplyManifests: (request: ApplyManifestsRequest) => {
        applied.push(request);
        return {
          results: request.text
            .trim()
            .split('\n')
            .map((_, index) => ({ kind: 'Skill', name: `k${index}`, outcome })),
        };
      },
      ListFiles: () => ({
        files: [...files].map(([path, sha256]) => ({ spec: { path }, status: { objectRef: { sha256 } } })),
      }),
      CreateFile: ({ file }: { file: { spec: { path: string } } }) => {
        // SHA-256 of "text".
        files.set(file.spec.path, '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1');
        return {};
      },
      ListSessions: () => {
        if (!isAgentThere) throw new FakeFault('NOT_FOUND', 'AGENT_NOT_FOUND');
        return { sessions: sessions.map((_, index) => ({ sessionId: `new${index}` })) };
      },
      CreateSession: (request: CreateSessionRequest) => {
        sessions.push(request);
        return { sessionId: 'new0' };
      },
      // One message a page, the newest first.
      ListSessionMessages: ({ beforeMessageId = '' }: { beforeMessageId?: string }) => {
        const stored = appended.map(({ message: given }, index) =>
          message(given?.id || `made${index}`, { labels: given?.labels }),
        );
        const end = beforeMessageId === '' ? stored.length : stored.findIndex(({ id }) => id === beforeMessageId);
        const items = stored.slice(Math.max(0, end - 1), end).map((given) => ({ message: given }));
        return end > 1 ? { items, hasMore: true, nextBeforeMessageId: stored[end - 1]?.id } : { items };
      },
      GetResource: ({ kind, name }: { kind: string; name: string }) => {
        if (name === 'gone') throw new FakeFault('NOT_FOUND', 'RESOURCE_NOT_FOUND');
        const spec = { case: 'skill', value: { description: 'by template', instructions: 'i' } };
        return { resource: of(kind, meta(name, { namespace: 'acme', labels: { 'svc/deployment': 'd' } }), spec) };
      },
      ApplyResource: (request: ApplyResourceRequest) => {
        written.push(request);
        return { outcome };
      },
      AppendSessionMessage: (request: AppendSessionMessageRequest) => {
        const { id = '' } = request.message ?? {};
        if (id === 'taken') throw new FakeFault('ALREADY_EXISTS', 'MESSAGE_EXISTS');
        if (id === 'bad') throw new FakeFault('INVALID_ARGUMENT', 'FIELD_INVALID');
        if (id === 'lost') throw new FakeFault('UNAVAILABLE', 'STORAGE');
        appended.push(request);
        return {};
      },
    },
  };
  const run = async (text: string, options: FakeOptions = {}) => {
    const shell = fakeHost({ handlers, files: { '/work/all.jsonl': { text, mode: 0o600 } }, ...options });
    return { exit: await shell.run('import', 'all.jsonl'), out: shell.out(), err: shell.err() };
  };

  it('applies, stores and makes sessions anew with their messages', async () => {
    const text = lines(
      { manifest: { kind: 'Skill', metadata: { name: 'k' }, spec: { description: '{{ x }}' } } },
      { file: { namespace: 'acme', spec: { path: '/a.md' } }, content: 'dGV4dA==' },
      ...[session, wire('m1', { labels: { 'svc/turn': 't', mine: 'x' } }), wire('taken')],
    );
    const { exit, err } = await run(text);
    expect([exit, err]).toEqual([exitCodes.ok, '1 resource, 1 file, 1 session, 2 messages written\n']);
    expect(applied).toMatchObject([{ atomic: false, keepGoing: true, createNamespaces: true }]);
    expect(applied[0]?.text).toContain('"{{ x }}"');
    expect(sessions).toMatchObject([
      { ns: 'acme', agent: 'helper', keepId: 'old', labels: { a: 'b', 'imported-session': 'old' } },
    ]);
    expect(sessions[0]?.overrides).toBeUndefined();
    expect(appended).toMatchObject([
      { ns: 'acme', agent: 'helper', sessionId: 'new0', message: { id: 'm1', labels: { mine: 'x' } } },
      { message: { id: '' } },
    ]);
  });

  it('makes a session with the model, temperature and prompt that it ran with', async () => {
    const overrides = { model: 'other', temperature: 0.5, systemPrompt: '' };
    await run(lines({ session: { ...session.session, overrides } }));
    expect(sessions).toMatchObject([{ agent: 'helper', keepId: 'old', overrides }]);
  });

  it('may be repeated: what is there stays, and an interrupted session goes on where it was', async () => {
    const file = { file: { namespace: 'acme', spec: { path: '/a.md' } }, content: 'dGV4dA==' };
    await run(lines(file, session, wire('m1')));
    const again = await run(lines(file, session, wire('m1'), wire('m2')));
    expect(again.err).toBe('0 resources, 0 files, 0 sessions, 1 message written\n');
    expect(appended.map((request) => request.message?.id)).toEqual(['m1', 'm2']);
    expect(sessions).toHaveLength(1);
  });

  it('doubles nothing when it is repeated after a refusal, under new ids, or while people go on talking', async () => {
    const text = lines(session, wire('bad'), wire('m1'), wire('taken'), wire('m2'));
    expect((await run(text)).exit).toBe(exitCodes.partial);
    appended.push({ ...(appended[0] as AppendSessionMessageRequest), message: { id: 'later' } as never });
    const again = await run(text);
    expect(again.err).toContain('0 sessions, 0 messages written');
    expect(appended.map((request) => request.message?.id)).toEqual(['m1', '', 'm2', 'later']);
    expect(appended[1]?.message?.labels).toEqual({ 'imported-message': 'taken' });
  });

  it('doubles no message that an import before the export gave a new id', async () => {
    const text = lines(session, wire('m1', { labels: { 'imported-message': 'former' } }));
    expect((await run(text)).err).toContain('1 message written');
    expect((await run(text)).err).toContain('0 messages written');
  });

  it('gives back what people added to what a deployment makes, by plain writes', async () => {
    const metadata = { name: 'made', namespace: 'acme', labels: { mine: 'x' } };
    const made = { kind: 'Skill', metadata, spec: { instructions: 'more' } };
    const gone = { kind: 'Skill', metadata: { ...metadata, name: 'gone' }, spec: {} };
    const text = lines({ manifest: made, deployment: 'acme/d' }, { manifest: gone, deployment: 'acme/d' });
    const { exit, err } = await run(text);
    expect([exit, applied]).toEqual([exitCodes.partial, []]);
    expect(err).toContain('Skill acme/gone of deployment acme/d: RESOURCE_NOT_FOUND happened (RESOURCE_NOT_FOUND)');
    expect(err).toContain('1 resource, 0 files');
    expect(written).toMatchObject([
      {
        ...{ ns: 'acme', kind: 'Skill', name: 'made' },
        manifest: {
          metadata: { labels: { 'svc/deployment': 'd', mine: 'x' }, resourceVersion: '3' },
          spec: { kind: { value: { description: 'by template', instructions: 'more' } } },
        },
      },
    ]);
  });

  it('tells of what is refused, goes on, and ends with 2', async () => {
    outcome = 6;
    const refused = await run(lines({ manifest: { kind: 'Skill' } }, session, wire('bad'), wire('m1')));
    expect(refused).toMatchObject({ exit: exitCodes.partial, out: expect.stringContaining('1 failed') });
    expect(refused.err).toContain('message bad: FIELD_INVALID happened (FIELD_INVALID)');
    expect(appended).toHaveLength(1);
    isAgentThere = false;
    const orphan = await run(lines(session, wire('m1')));
    expect([orphan.exit, orphan.err]).toEqual([exitCodes.partial, expect.stringContaining('Session acme/helper/old')]);
    isAgentThere = true;
    expect((await run(lines(session, wire('m1'), wire('lost')))).exit).toBe(exitCodes.connection);
  });

  it('waits for deployments before it makes sessions, and tells of those that are not ready', async () => {
    const asked: string[] = [];
    const state = (generation: string, ready: string) => ({
      resource: {
        ...of('Deployment', meta('d', { generation: BigInt(1) }), { case: 'deployment', value: {} }),
        status: {
          kind: {
            case: 'deployment',
            value: {
              observedGeneration: BigInt(generation),
              conditions: [{ type: 'Ready', status: ready, reason: 'Degraded', message: 'm' }],
            },
          },
        },
      },
    });
    const states = [state('0', 'False'), state('1', 'False'), state('1', 'True')];
    const unary = {
      ...handlers.unary,
      ApplyManifests: () => ({ results: [{ kind: 'Deployment', name: 'd', ns: 'default', outcome }] }),
      GetResource: () => {
        asked.push('deployment');
        return states.shift() ?? state('1', 'False');
      },
      ListNamespaces: () => ({ namespaces: [] }),
      ListResources: () => ({ resources: [] }),
      GetNamespace: () => ({ namespace: { metadata: { name: 'default' } } }),
      ListSessions: () => {
        asked.push('sessions');
        return {};
      },
    };
    const text = lines({ manifest: { kind: 'Deployment', metadata: { name: 'd' } } }, session, session);
    const shell = fakeHost({ handlers: { unary }, files: { '/work/all.jsonl': { text, mode: 0o600 } } });
    expect(await shell.run('import', 'all.jsonl')).toBe(exitCodes.ok);
    expect(asked).toEqual(['deployment', 'deployment', 'deployment', 'sessions', 'sessions']);
    const late = fakeHost({ handlers: { unary }, files: { '/work/all.jsonl': { text, mode: 0o600 } } });
    const { runCommandLine } = await import('../program/index.ts');
    const host = { ...late.host, sleep: () => Promise.resolve() };
    expect(await runCommandLine(['import', 'all.jsonl'], host)).toBe(exitCodes.ok);
    expect(late.err()).toContain('Deployment default/d: Degraded: m');
    expect(sessions).toHaveLength(4);
  });

  it('applies many manifests in calls that fit', async () => {
    const many = Array.from({ length: 900 }, (_, index) => ({
      manifest: { kind: 'Skill', metadata: { name: `k${index}` } },
    }));
    expect((await run(lines(...many))).err).toContain('900 resources');
    expect(applied).toHaveLength(3);
  });

  it.each([
    ['{"archive":"svc/export","version":2}\n', 'this archive has format 2'],
    [`${lines()}{"manifest"`, 'line 2 of the archive is damaged'],
  ])('refuses %j', async (text, reason) => {
    expect((await run(text)).err).toContain(reason);
  });

  it('reads anything else as manifests', async () => {
    const manifest = 'kind: Skill\nmetadata: {name: k}\nspec: {description: d, instructions: i}\n';
    expect((await run(manifest)).exit).toBe(exitCodes.ok);
    expect(applied).toMatchObject([{ atomic: false, keepGoing: true }]);
    const shell = fakeHost({ handlers, piped: manifest });
    expect(await shell.run('import', '-')).toBe(exitCodes.ok);
    expect((await run(manifest, { files: {} })).err).toContain('there is no all.jsonl');
  });
});
