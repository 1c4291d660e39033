import type { ListResourcesRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost, NOW_MS } from '../testing/fake-host.ts';

const [CREATED, UPDATED, DELETED, BOOKMARK] = [1, 2, 3, 4];

const channel = (changeType: number, name: string, title: string) => ({
  ...{ changeType, resourceVersion: `${name.length}${changeType}`, namespace: 'default' },
  resource: {
    ...{ kind: 'Channel', metadata: { name, namespace: 'default', labels: { a: 'b' } } },
    spec: { kind: { case: 'channel', value: { title } } },
  },
});
const bookmark = { changeType: BOOKMARK, resourceVersion: '40' };
const events = [
  channel(CREATED, 'room', 'A'),
  bookmark,
  channel(CREATED, 'lounge', 'A long title'),
  channel(UPDATED, 'room', 'B'),
  bookmark,
  channel(DELETED, 'room', 'B'),
];

const watching = (stream: (query: URLSearchParams) => Iterable<object | Error>, more: FakeHandlers['unary'] = {}) => {
  const handlers: FakeHandlers = { unary: more, streams: { WatchResources: stream } };
  return async (...words: string[]) => {
    const shell = fakeHost({ handlers });
    return { exit: await shell.run('get', ...words), out: shell.out(), err: shell.err() };
  };
};

describe('svc get --watch', () => {
  it('shows what is there, then every change under the same columns', async () => {
    const { exit, out, err } = await watching(() => events)('channels', '-w');
    expect([exit, err]).toEqual([exitCodes.ok, 'the watch has ended\n']);
    expect(out.split('\n')).toEqual([
      'CHANGE    NAME   PHASE   TITLE   AGE',
      '-         room   -       A       -',
      'created   lounge   -       A long title   -',
      'updated   room   -       B       -',
      'deleted   room   -       B       -',
      '',
    ]);
  });

  it('is what svc watch does', async () => {
    const shell = fakeHost({ handlers: { unary: {}, streams: { WatchResources: () => events } } });
    expect(await shell.run('watch', 'channels')).toBe(exitCodes.ok);
    expect(shell.out()).toBe((await watching(() => events)('channels', '-w')).out);
  });

  it('asks for the kind, namespace and labels that are meant, and for one name', async () => {
    const queries: string[] = [];
    const run = watching((query) => {
      queries.push(query.toString());
      return events;
    });
    expect((await run('channel', 'lounge', '--watch')).out).not.toContain('room');
    expect((await run('channels', '-A', '--watch', '-l', 'a=b', '-o', 'wide')).out).toMatch(
      /^CHANGE +NAMESPACE +NAME +PHASE +TITLE +AGE +REASON +VERSION +LABELS\n- +default +room/,
    );
    expect(queries).toEqual(['kinds=Channel', 'kinds=Channel&labelSelector=a%3Db']);
  });

  it('prints names and JSON lines, and refuses forms that need an end', async () => {
    const run = watching(() => events);
    expect((await run('channels', '-w', '-o', 'name')).out).toContain('channel/lounge created\nchannel/room updated\n');
    const lines = (await run('channels', '-w', '-o', 'json')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
      ...{ change: 'deleted', object: { kind: 'Channel', metadata: { name: 'room' } } },
    });
    expect((await run('channels', '-w', '-o', 'manifest')).err).toContain('-o manifest does not go with --watch');
  });

  it('is opened again after the last change when the connection breaks, once all that was there has come', async () => {
    const versions: (string | null)[] = [];
    const run = watching((query) => {
      versions.push(query.get('resourceVersion'));
      return versions.length === 1 ? [...events.slice(0, 3), new Error('reset')] : events.slice(3);
    });
    const { out, err } = await run('channels', '-w');
    expect([versions, out.match(/lounge/g)?.length]).toEqual([[null, '61'], 1]);
    expect(err).toContain('connection lost; trying again\nconnected again\n');
    const early = watching(() => [channel(CREATED, 'room', 'A'), new Error('reset')]);
    expect(await early('channels', '-w')).toMatchObject({ exit: exitCodes.connection });
    const refused = watching(() => [new FakeFault('PERMISSION_DENIED', 'SCOPE')]);
    expect(await refused('channels', '-w')).toMatchObject({ exit: exitCodes.connection });
  });

  it('knows agents, namespaces and sessions too', async () => {
    const event = (kind: string, member: string, [spec, status]: readonly [object, object]) => ({
      ...{ changeType: CREATED, resourceVersion: '1', namespace: kind === 'Namespace' ? '' : 'acme' },
      resource: {
        ...{ kind, metadata: { name: 'n', namespace: 'acme' } },
        ...{ spec: { kind: { case: member, value: spec } }, status: { kind: { case: member, value: status } } },
      },
    });
    const run = (kind: string, member: string, parts: readonly [object, object]) =>
      watching(() => [event(kind, member, parts), { changeType: CREATED }, bookmark])(kind, '-w');
    expect((await run('Agent', 'agent', [{}, { phase: 'Ready' }])).out).toMatch(/\n- +n +Ready +\(default\)/);
    expect((await run('Namespace', 'namespace', [{}, { phase: 'Ready' }])).out).toMatch(/\n- +n +Ready/);
    expect((await run('Session', 'session', [{ agent: 'a' }, { phase: 'Idle' }])).out).toMatch(/\n- +n +a +IDLE/);
    const bare = watching(() => [{ changeType: CREATED, resource: { kind: 'x' } }, bookmark]);
    for (const kind of ['agents', 'namespaces', 'sessions']) expect((await bare(kind, '-w')).exit).toBe(exitCodes.ok);
  });
});

describe('svc get', () => {
  const tasks = (metadata: object) =>
    watching(() => [], {
      ListResources: () => ({ resources: [{ kind: 'Task', metadata: { name: 't', ...metadata } }] }),
      GetResource: () => ({ resource: { kind: 'Task', metadata: { name: 't', ...metadata } } }),
    });

  it.each([
    [{}, '-'],
    [
      {
        ownerReferences: [
          { kind: 'Task', name: 'o', controller: true },
          { kind: 'X', name: 'y' },
        ],
      },
      'Task/o',
    ],
    [{ labels: { 'svc/deployment': 'd' }, annotations: { 'svc/apply-set': 's' } }, 'Deployment/d, set/s'],
    [{ annotations: { 'svc/template': 'base' } }, 'template/base'],
  ])('--show-managed says of %j that %s looks after it', async (metadata, managers) => {
    expect((await tasks(metadata)('tasks', '--show-managed')).out).toMatch(
      new RegExp(`MANAGED BY\\nt .* ${managers}\\n`),
    );
    expect((await tasks(metadata)('task', 't', '--show-managed')).out).toContain(managers);
    const watched = watching(() => [{ changeType: CREATED, resource: { kind: 'Task', metadata } }, bookmark]);
    expect((await watched('tasks', '-w', '--show-managed')).out).toContain(managers);
  });

  it('looks a name up in one namespace, and refuses a limit that is no number', async () => {
    expect((await tasks({})('task', 't', '-A')).err).toContain('leave out -A');
    expect((await tasks({})('tasks', '--limit', 'x')).err).toContain('--limit x is not a number');
    expect((await tasks({})('tasks', '--limit', '0')).exit).toBe(exitCodes.refused);
  });

  const inNamespace = (ns: string) => ({ kind: 'Task', metadata: { name: `t-${ns}`, namespace: ns } });

  it('lists all namespaces in one list, as far as the limit goes', async () => {
    const asked: object[] = [];
    const run = watching(() => [], {
      ListResources: ({ ns, kind, pageSize, labelSelector }: ListResourcesRequest) => {
        asked.push({ ns, kind, pageSize, labelSelector });
        return { resources: ['a', 'b', 'c'].slice(0, pageSize).map(inNamespace) };
      },
    });
    expect(await run('tasks', '-A', '--limit', '2', '-o', 'name', '-l', 'x=y')).toMatchObject({
      out: 'task/t-a\ntask/t-b\n',
      err: 'there are more than 2: a higher --limit shows them\n',
    });
    expect(asked).toEqual([{ ns: '-', kind: 'Task', pageSize: 3, labelSelector: 'x=y' }]);
    expect((await run('tasks', '-A', '--limit', '3', '-o', 'name')).err).toBe('');
    expect((await run('tasks', '-A')).out).toMatch(/^NAMESPACE +NAME.*\na +t-a .*\nb +t-b .*\nc +t-c/);
  });

  it('shows what may be seen to callers who may not list all namespaces', async () => {
    const asked: string[] = [];
    const allowed = new Set(['a', 'c']);
    const run = watching(() => [], {
      ListNamespaces: () => ({ namespaces: ['a', 'b', 'c'].map((name) => ({ metadata: { name } })) }),
      ListResources: ({ ns }: ListResourcesRequest) => {
        asked.push(ns);
        if (!allowed.has(ns)) throw new FakeFault('PERMISSION_DENIED', 'SCOPE');
        return { resources: [inNamespace(ns)] };
      },
    });
    expect(await run('tasks', '-A', '-o', 'name')).toMatchObject({
      ...{ exit: exitCodes.ok, out: 'task/t-a\ntask/t-c\n' },
      err: 'showing only namespaces you have access to\n',
    });
    expect(asked).toEqual(['-', 'a', 'b', 'c']);
    asked.length = 0;
    expect((await run('tasks', '-A', '--limit', '1', '-o', 'name')).out).toBe('task/t-a\n');
    expect(asked).toEqual(['-', 'a', 'b', 'c']);
    allowed.clear();
    expect(await run('tasks', '-A')).toMatchObject({
      exit: exitCodes.connection,
      err: expect.stringContaining('you may not list the tasks of any namespace'),
    });
  });

  it('passes on any other refusal of the list of all namespaces', async () => {
    for (const refused of ['-', 'a']) {
      const run = watching(() => [], {
        ListNamespaces: () => ({ namespaces: [{ metadata: { name: 'a' } }] }),
        ListResources: ({ ns }: ListResourcesRequest) => {
          throw ns === refused ? new FakeFault('INTERNAL', 'INTERNAL') : new FakeFault('PERMISSION_DENIED', 'SCOPE');
        },
      });
      expect((await run('tasks', '-A')).err).toContain('INTERNAL happened');
    }
  });

  it('cuts rows to the terminal, also those that come later', async () => {
    const shell = fakeHost({
      ...{ isTerminal: true, columns: 40 },
      handlers: {
        streams: {
          WatchResources: () => [
            channel(CREATED, 'room', 't'.repeat(50)),
            bookmark,
            channel(UPDATED, 'r'.repeat(50), 'u'.repeat(50)),
          ],
        },
      },
    });
    await shell.run('get', 'channels', '-w');
    const lines = shell.out().trim().split('\n');
    expect(lines.length).toBe(3);
    expect(lines.every((line) => line.length <= 40 && !line.includes('tttttttttttt'))).toBe(true);
  });

  it('looks for workers where they live, whatever namespace is set', async () => {
    const asked: string[] = [];
    const run = watching(() => [], {
      ListResources: ({ ns }: ListResourcesRequest) => {
        asked.push(ns);
        return {};
      },
      GetResource: ({ ns }: { ns: string }) => {
        asked.push(ns);
        return { resource: { kind: 'Worker', metadata: { name: 'w' } } };
      },
    });
    expect((await run('workers', '-n', 'acme')).err).toBe('no workers\n');
    expect((await run('worker', 'w', '-n', 'acme')).out).toContain('w   ');
    expect(asked).toEqual(['system', 'system']);
  });

  it('shows those of several names that are there, and ends with 2', async () => {
    const run = watching(() => [], {
      GetResource: ({ name }: { name: string }) => {
        if (name === 'gone') throw new FakeFault('NOT_FOUND', 'TASK_NOT_FOUND');
        if (name === 'locked') throw new FakeFault('PERMISSION_DENIED', 'ROLE');
        return { resource: { kind: 'Task', metadata: { name } } };
      },
    });
    expect(await run('tasks', 'a', 'gone', 'b', '-o', 'name')).toEqual({
      ...{ exit: exitCodes.partial, out: 'task/a\ntask/b\n' },
      err: 'svc: TASK_NOT_FOUND happened\n',
    });
    expect(await run('tasks', 'gone', 'gone')).toMatchObject({ exit: exitCodes.notFound, out: '' });
    expect(await run('tasks', 'a', 'locked')).toMatchObject({ exit: exitCodes.connection, out: '' });
  });

  it.each([
    [{ conditions: [{ type: 'Ready', status: 'True', reason: 'Fine' }] }, '-'],
    [{ conditions: [{ type: 'Ready', status: 'False', reason: 'Off' }] }, 'Off'],
    [
      {
        conditions: [
          { type: 'Other', status: 'False', reason: 'First', message: 'one' },
          { type: 'Ready', status: 'False', reason: 'Off', message: 'it is off' },
        ],
      },
      'Off: it is off',
    ],
    [
      {
        conditions: [
          { type: 'DelegatedExecution', status: 'False', reason: 'None' },
          { type: 'Alert', status: 'False', reason: 'BelowAlert' },
          { type: 'Exceeded', status: 'True', reason: 'OverLimit' },
        ],
      },
      'OverLimit',
    ],
  ])('-o wide says of the status %j why: %s', async (value, reason) => {
    const task = { kind: 'Task', metadata: { name: 't' }, status: { kind: { case: 'task', value } } };
    const run = watching(() => [], { GetResource: () => ({ resource: task }) });
    const [headings = '', row = ''] = (await run('task', 't', '-o', 'wide')).out.split('\n');
    expect(row.slice(headings.indexOf('REASON'), headings.indexOf('VERSION')).trim()).toBe(reason);
  });

  it('is described with its times as people read them, of usage windows too', async () => {
    const status = {
      hard: [
        { metric: 'llm.requests', windowStart: BigInt(NOW_MS / 1_000), resetAt: BigInt(NOW_MS / 1_000), max: 10n },
      ],
    };
    const schedule = { recentEvents: [{ timestamp: BigInt(NOW_MS) * 1_000n, phase: 'arm' }] };
    const shell = fakeHost({
      handlers: {
        unary: {
          GetResource: ({ kind }: { kind: string }) => ({
            resource: {
              ...{ kind, metadata: { name: 'x' } },
              status: {
                kind:
                  kind === 'Schedule' ? { case: 'schedule', value: schedule } : { case: 'usagePolicy', value: status },
              },
            },
          }),
        },
      },
    });
    await shell.run('describe', 'up', 'x');
    await shell.run('describe', 'schedule', 'x');
    expect(shell.out()).toMatch(/windowStart: 2026-03-01 \d\d:\d\d:\d\d\n +resetAt: 2026-03-01/);
    expect(shell.out()).toMatch(/timestamp: 2026-03-01 /);
    expect(shell.out()).toContain('max: "10"');
  });

  it('shows kinds of other groups by their exact name', async () => {
    const raw = { kind: { case: 'raw', value: { json: '{"size":3}' } } };
    const run = watching(() => [], {
      GetResource: ({ kind }: { kind: string }) => ({ resource: { kind, metadata: { name: 'w' }, spec: raw } }),
    });
    expect(JSON.parse((await run('Widget', 'w', '-o', 'json')).out)).toMatchObject({
      kind: 'Widget',
      spec: { size: 3 },
    });
  });

  it.each([
    ['Template', { template: { kind: 'Agent' } }, 'Agent'],
    ['McpServer', { mcpServer: { transport: 'http', target: 'http://x' } }, 'http +http://x'],
    ['McpServerBinding', { mcpServerBinding: { serverRef: 'files' } }, 'files'],
    ['Skill', { skill: { description: 'x'.repeat(70) } }, `${'x'.repeat(60)}…`],
    ['Secret', { secret: { data: { b: '', a: '' } } }, 'a, b'],
    ['Schedule', { schedule: { cron: '0 3 * * *', target: { agent: 'a' } } }, '0 3 \\* \\* \\* +- +a'],
    ['Schedule', { schedule: { intervalSeconds: 60, target: { workflow: 'w' } } }, 'every 1m +- +w'],
    ['Schedule', { schedule: { runAt: '2030-01-01T00:00:00Z' } }, '2030-01-01T00:00:00Z +- +-'],
    ['Connector', { connector: { classRef: { namespace: 'ns', name: 'c' } } }, 'ns/c'],
    ['UsagePolicy', { usagePolicy: { hard: [{}, {}] } }, '2'],
    ['ChannelSubscription', { channelSubscription: { channel: 'room', agent: 'a', trigger: 'all' } }, 'a +all'],
  ])('shows what a %s is about', async (kind, spec, cells) => {
    const [[member, value] = []] = Object.entries(spec);
    const resource = { kind, metadata: { name: 'n' }, spec: { kind: { case: member, value } } };
    const run = watching(() => [], { ListResources: () => ({ resources: [resource] }) });
    const name = kind === 'ChannelSubscription' ? 'room/n' : 'n';
    expect((await run(kind.toLowerCase())).out).toMatch(new RegExp(`\\n${name} +- +${cells} +-\\n`));
  });

  it.each([
    ['File', { file: { objectRef: { sizeBytes: 2_048n } } }, '- +2.0 KiB'],
    ['Deployment', { deployment: { replicaCounts: { ready: 1n, desired: 3n, degraded: 2n } } }, '1/3, 2 degraded'],
    ['Deployment', { deployment: {} }, '0/0'],
    ['Worker', { worker: { version: '1.2' } }, '1.2'],
  ])('shows how a %s is', async (kind, status, cells) => {
    const [[member, value] = []] = Object.entries(status);
    const resource = { kind, metadata: { name: 'n' }, status: { kind: { case: member, value } } };
    const run = watching(() => [], { ListResources: () => ({ resources: [resource] }) });
    expect((await run(kind.toLowerCase())).out).toMatch(new RegExp(`\\nn +- +${cells} +-\\n`));
  });
});
