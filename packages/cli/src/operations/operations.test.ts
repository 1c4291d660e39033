import type { ListAuditRecordsRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost, NOW_MS } from '../testing/fake-host.ts';

const micros = (secondsAgo: number): bigint => BigInt(NOW_MS - secondsAgo * 1_000) * 1_000n;

const shell = (handlers: FakeHandlers, isTerminal = false) => {
  const run = async (...words: string[]) => {
    const host = fakeHost({ handlers, isTerminal });
    return { exit: await host.run(...words), out: host.out(), err: host.err() };
  };
  return run;
};

describe('svc usage --by', () => {
  const asked: object[] = [];
  const run = shell({
    unary: {
      ReportUsage: (request: { ns: string }) => {
        asked.push(request);
        const row = { requests: 2n, inputTokens: 30n, totalTokens: 40n, costMicros: 1_250_000n };
        const rows = request.ns === 'default' ? [{ ...row, name: 'helper' }, { requests: 1n }] : [];
        return { rows, total: { ...row, requests: 3n, unpricedRequests: 1n } };
      },
    },
  });

  it('shows what model calls used, and what is counted as free', async () => {
    const { out, err } = await run('usage', '--by', 'agent', '--agent', 'helper', '--limit', '2', '--since', '7d');
    expect(out).toMatch(
      /^AGENT +CALLS +INPUT +CACHED +OUTPUT +REASONING +TOKENS +COST\nhelper +2 +30 .* 1\.2500\n\(others\)/,
    );
    expect(out).toMatch(/\ntotal +3 .* 1\.2500\n$/);
    expect(err).toBe('1 calls of models without a price are counted as free\n');
    expect(asked[0]).toMatchObject({ by: 'agent', agent: 'helper', limit: 2, since: micros(7 * 86_400) });
    expect(JSON.parse((await run('usage', '--by', 'day', '-o', 'json')).out)).toMatchObject({
      total: { requests: '3' },
    });
    expect((await run('usage', '--by', 'day', '-n', 'x')).err).toBe('no model was called in namespace x\n');
  });
});

describe('svc usage', () => {
  const policy = ([namespace, name]: readonly [string, string], namespaceScope: string, limit: object) => ({
    ...{ kind: 'UsagePolicy', metadata: { name, namespace } },
    spec: { kind: { case: 'usagePolicy', value: { namespaceScope } } },
    status: { kind: { case: 'usagePolicy', value: { hard: [limit] } } },
  });
  const limit = { metric: 'llm.requests', window: '1h', used: 3n, max: 4n, resetAt: BigInt(NOW_MS / 1_000) };
  const all = [
    policy(['a:b', 'own'], 'self', { ...limit, exceeded: true, subjectScope: 'identity', selector: { agent: 'x' } }),
    policy(['a', 'top'], 'recursive', { ...limit, used: 0n, max: 0n, resetAt: 0n }),
    policy(['a', 'alone'], 'self', limit),
    policy(['z', 'else'], 'recursive', limit),
  ];
  const run = shell({
    unary: {
      ListResources: ({ ns }: { ns: string }) => ({
        resources: all.filter(({ metadata }) => ns === '-' || metadata.namespace === ns),
      }),
      GetNamespace: ({ name }: { name: string }) => ({ namespace: { spec: { parent: name === 'a:b' ? 'a' : '' } } }),
    },
  });

  it('shows the limits in force: own ones and those of namespaces above that reach down', async () => {
    const { out } = await run('usage', '-n', 'a:b');
    expect(out).toMatch(/^NAMESPACE +POLICY +METRIC +OF +PER +USED +MAX +% +NEXT FREE\n/);
    expect(out).toMatch(/\na:b +own +llm\.requests +x +1h, each +3 +4 +75! +2026-/);
    expect(out).toMatch(/\na +top +llm\.requests +all +1h +0 +0 +- +-\n$/);
  });

  it('shows what a caller may see who may not look at the namespaces above', async () => {
    const scoped = shell({
      unary: {
        ListResources: ({ ns }: { ns: string }) => {
          if (ns !== 'a:b') throw new FakeFault('PERMISSION_DENIED', 'SCOPE');
          return { resources: all.slice(0, 1) };
        },
        GetNamespace: () => ({ namespace: { spec: { parent: 'a' } } }),
      },
    });
    const { exit, out, err } = await scoped('usage', '-n', 'a:b');
    expect([exit, err]).toEqual([exitCodes.ok, 'there may be limits of namespaces above, which you may not see\n']);
    expect(out.trim().split('\n')).toHaveLength(2);
    expect((await scoped('usage', '-n', 'c')).exit).toBe(exitCodes.connection);
  });

  it('shows all with -A, or says that there is none', async () => {
    expect((await run('usage', '-A')).out.trim().split('\n')).toHaveLength(5);
    expect((await run('usage', '-A', '-o', 'jsonl')).out.trim().split('\n')).toHaveLength(4);
    expect(JSON.parse((await run('usage', '-n', 'z', '-o', 'json')).out)).toMatchObject({
      items: [{ namespace: 'z', policy: 'else', used: '3' }],
    });
    expect((await run('usage')).err).toBe('no usage is limited in namespace default\n');
    expect((await shell({ unary: { ListResources: () => ({}) } })('usage', '-A')).err).toBe('no usage is limited\n');
  });
});

describe('svc worker', () => {
  const status = {
    phase: 'ready',
    startedAt: micros(300),
    heartbeatAt: micros(4),
    version: '1',
    endpoints: [{ url: 'u' }],
  };
  const worker = { kind: 'Worker', metadata: { name: 'w' }, status: { kind: { case: 'worker', value: status } } };
  const run = shell({
    unary: {
      ListResources: ({ ns }: { ns: string }) => ({ resources: ns === 'system' ? [worker, { kind: 'Worker' }] : [] }),
      DrainWorker: ({ name }: { name: string }) => {
        if (name === 'none') throw new FakeFault('NOT_FOUND', 'WORKER_NOT_FOUND');
        return { worker: { metadata: { name }, status: { phase: 'draining' } } };
      },
    },
  });

  it('lists processes, whatever the namespace', async () => {
    expect((await run('worker', 'list', '-n', 'acme')).out).toMatch(/\nw +ready +5m +4s +1 +u\n +- +- +- +- +-\n$/);
    expect(JSON.parse((await run('worker', 'list', '-o', 'json')).out)).toMatchObject({ kind: 'List' });
    expect((await shell({ unary: { ListResources: () => ({}) } })('worker', 'list')).err).toBe('no workers\n');
  });

  it('shows at a terminal what phases mean by their colours, unless told not to', async () => {
    const resources = ['ready', 'draining', 'lost'].map((phase) => ({
      ...{ kind: 'Worker', metadata: { name: 'w' } },
      status: { kind: { case: 'worker', value: { phase } } },
    }));
    const list = shell({ unary: { ListResources: () => ({ resources }) } }, true);
    const { out } = await list('worker', 'list');
    for (const painted of ['\u001b[32mready\u001b', '\u001b[33mdraining\u001b', '\u001b[31mlost\u001b'])
      expect(out).toContain(painted);
    expect((await list('worker', 'list', '--no-color')).out).not.toContain('\u001b');
  });

  it('drains one', async () => {
    expect((await run('worker', 'drain', 'w')).out).toBe('worker/w draining\n');
    expect(JSON.parse((await run('worker', 'drain', 'w', '-o', 'json')).out)).toMatchObject({ kind: 'Worker' });
    expect(await run('worker', 'drain', 'none')).toMatchObject({ exit: exitCodes.notFound });
  });
});

describe('svc worker claims', () => {
  const claims = [
    {
      kind: 'turn',
      id: 't1',
      ns: 'acme',
      agent: 'clerk',
      sessionId: 's1',
      state: 'RUNNING',
      since: micros(300),
      until: micros(-20),
      tries: 2,
    },
    { kind: 'delivery', id: 'd1', ns: 'acme', name: 'desk', state: 'sending', until: micros(-5), tries: 1 },
  ];
  const run = shell({
    unary: {
      ListWorkerClaims: ({ name, pageToken }: { name: string; pageToken: string }) => {
        if (name === 'none') throw new FakeFault('NOT_FOUND', 'WORKER_NOT_FOUND');
        if (name === 'idle') return {};
        return pageToken === '' ? { claims: claims.slice(0, 1), nextPageToken: 'n' } : { claims: claims.slice(1) };
      },
    },
  });

  it('lists what a process holds, for how long and how often it was tried', async () => {
    const { out } = await run('worker', 'claims', 'w');
    const [head, turn, delivery] = out.split('\n');
    expect(head).toMatch(/^KIND +NAMESPACE +NAME +STATE +FOR +LEFT +TRIES +ID$/);
    expect(turn).toMatch(/^turn +acme +clerk +running +5m +20s +2 +t1$/);
    expect(delivery).toMatch(/^delivery +acme +desk +sending +- +5s +1 +d1$/);
    expect((await run('worker', 'claims', 'w', '-o', 'name')).out).toBe('turn/t1\ndelivery/d1\n');
    expect(JSON.parse((await run('worker', 'claims', 'w', '-o', 'json')).out)).toMatchObject({
      items: [{ id: 't1' }, {}],
    });
    expect((await run('worker', 'claims', 'idle')).err).toBe('it holds nothing now\n');
    expect(await run('worker', 'claims', 'none')).toMatchObject({ exit: exitCodes.notFound });
  });
});

describe('svc logs', () => {
  const lines = [
    {
      id: 'c1',
      timestamp: micros(60),
      level: 'warn',
      message: 'store away',
      fieldsJson: '{"tries":2,"at":"a\\u001b"}',
    },
    { id: 'c2', timestamp: micros(30), level: 'info', message: 'back', fieldsJson: '{}' },
  ];
  const NAMES = ['level', 'contains', 'after', 'since', 'tail', 'keptOnly'];
  /** Answers the first call with `first`, the second with the second line; `asked` holds what was asked. */
  const serving = (first: readonly (object | Error)[]) => {
    const asked: string[] = [];
    const run = shell({
      streams: {
        StreamLogs: (query) => {
          asked.push(
            NAMES.filter((name) => query.has(name))
              .map((name) => `${name}=${query.get(name)}`)
              .join(' '),
          );
          return asked.length === 1 ? first : [lines[1] ?? {}];
        },
      },
    });
    return { run, asked };
  };
  const restart = new FakeFault('UNAVAILABLE', 'SHUTTING_DOWN');

  it('prints what is kept and ends', async () => {
    const { run, asked } = serving(lines);
    const { exit, out } = await run('logs', '--since', '10m', '--tail', '5');
    expect([exit, asked]).toEqual([exitCodes.ok, [`since=${micros(600)} tail=5 keptOnly=true`]]);
    const texts = out.split('\n').map((line) => line.slice('2026-03-01 12:00:00 '.length));
    expect(texts.slice(1)).toEqual(['info  back', '']);
    expect(texts[0]).toMatch(/^warn {2}store away tries=2 at=a/);
    expect(out).not.toContain('\u001b');
  });

  it('prints lines as they come with -f, and continues behind the last one after the connection broke', async () => {
    const { run, asked } = serving([lines[0] ?? {}, restart]);
    const { exit, out } = await run('logs', '-f', '--level', 'info', '--contains', 'a');
    expect([exit, out.match(/store away|back/g)]).toEqual([exitCodes.ok, ['store away', 'back']]);
    expect(asked).toEqual(['level=info contains=a', 'level=info contains=a after=c1']);
  });

  it('misses no new line when the connection breaks before the first one', async () => {
    const { run, asked } = serving([restart]);
    expect((await run('logs', '-f', '--tail', '0')).out).toContain('back');
    expect(asked).toEqual(['tail=0', `since=${micros(0)}`]);
  });

  it.each([
    [['-o', 'yaml'], 'log lines have no form yaml'],
    [['--since', 'soon'], '--since soon is not a time'],
    [['--tail', '-1'], '--tail -1 is not a number of lines'],
    [['--tail', 'all'], '--tail all is not a number of lines'],
    [['--tail', '3000000000'], '--tail 3000000000 is not a number of lines'],
  ])('refuses %j', async (words, reason) => {
    expect(await shell({})('logs', ...words)).toMatchObject({
      exit: exitCodes.refused,
      err: expect.stringContaining(reason),
    });
  });
});

describe('svc events', () => {
  const event = (version: number, changeType: number, secondsAgo: number) => ({
    ...{ namespace: version === 2 ? '' : 'default', resourceKind: 'Agent', name: `a${version}`, changeType },
    ...{ resourceVersion: String(version), timestamp: micros(secondsAgo), changedSections: ['spec'] },
  });
  const kept = [event(2, 1, 900), event(3, 2, 300), event(4, 3, 5), event(9, 2, 0)];
  const withStream = (watch: (query: URLSearchParams) => Iterable<object | Error>) =>
    shell({
      unary: { ListResources: ({ ns }: { ns: string }) => (ns === 'none' ? {} : { resourceVersion: '4' }) },
      streams: { WatchResources: watch },
    });
  const run = withStream(() => kept);

  it('prints the changes that are kept, up to now', async () => {
    const { exit, out } = await run('events');
    expect(exit).toBe(exitCodes.ok);
    expect(out.split('\n').map((line) => line.slice('2026-03-01 12:00:00  '.length))).toEqual([
      'created  Agent                a2',
      'updated  Agent                default/a3  (spec)',
      'deleted  Agent                default/a4',
      '',
    ]);
  });

  it('ends when the server says that everything up to now has come, not at an earlier bookmark', async () => {
    const preferred: (string | null)[] = [];
    const slow = [
      ...[event(2, 1, 1), event(2, 4, 0), event(3, 1, 0), event(3, 4, 0)],
      ...[event(7, 4, 0), new FakeFault('INTERNAL', 'READ_TOO_FAR')],
    ];
    const host = fakeHost({
      handlers: {
        unary: { ListResources: () => ({ resourceVersion: '4' }) },
        streams: {
          WatchResources: (_query, headers) => {
            preferred.push(headers.get('prefer'));
            return slow;
          },
        },
      },
    });
    expect([await host.run('events'), host.err()]).toEqual([exitCodes.ok, '']);
    expect(host.out().match(/created/g)).toHaveLength(2);
    expect(preferred).toEqual(['svc-bookmark']);
  });

  it('goes on with -f, narrows by kind and time, and prints JSON lines', async () => {
    expect((await run('events', '-f', '--since', '10m')).out.trim().split('\n')).toHaveLength(3);
    expect((await run('events', '--since', '2026-03-01T11:59:00Z')).out.trim().split('\n')).toHaveLength(1);
    const queries: string[] = [];
    const narrow = withStream((query) => {
      queries.push(query.toString());
      return [event(4, 4, 0)];
    });
    expect((await narrow('events', '--kind', 'agents', 'ns', '-A', '--recursive')).out).toBe('');
    for (const flag of ['--limit', '--identity', '--operation'])
      expect(await run('events', flag, '3')).toMatchObject({
        exit: exitCodes.refused,
        err: expect.stringContaining(`${flag} goes with --audit`),
      });
    expect(queries[0]).toContain('kinds=Agent&kinds=Namespace&recursive=true');
    const lines = (await run('events', '-o', 'jsonl')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ name: 'a2' }, { name: 'a3' }, { name: 'a4' }]);
  });

  it('begins with the oldest change that is kept', async () => {
    const expired = (metadata: Record<string, string>) =>
      withStream((query) => {
        if (query.get('resourceVersion') === '2') return kept;
        return [new FakeFault('OUT_OF_RANGE', 'VERSION_EXPIRED', { metadata })];
      });
    const { out, err } = await expired({ oldest: '3' })('events');
    expect([out.split('\n').length, err]).toEqual([4, 'older changes are no longer kept\n']);
    expect(await expired({})('events')).toMatchObject({ exit: exitCodes.refused });
  });

  it('opens a broken stream again after the last change', async () => {
    const from: (string | null)[] = [];
    const broken = withStream((query) => {
      from.push(query.get('resourceVersion'));
      return from.length === 1 ? [event(2, 1, 1), new Error('reset')] : [event(3, 1, 0), event(4, 1, 0)];
    });
    const { out, err } = await broken('events');
    expect([out.match(/created/g)?.length, from]).toEqual([3, ['0', '2']]);
    expect(err).toBe('connection lost; trying again\nconnected again\n');
  });

  it('ends with 130 and without words at Ctrl-C', async () => {
    const host = fakeHost({
      handlers: {
        unary: { ListResources: () => ({ resourceVersion: '4' }) },
        streams: {
          WatchResources: async function* () {
            yield event(2, 1, 0);
            host.interrupt();
            await new Promise((resolve) => setImmediate(resolve));
            yield new Error('aborted');
          },
        },
      },
    });
    expect([await host.run('events', '-f'), host.err()]).toEqual([exitCodes.interrupted, '']);
  });

  it.each([
    [['-o', 'yaml'], 'events have no form yaml'],
    [['--since', 'soon'], '--since soon is not a time'],
    [['--kind', 'planets'], 'there is no kind planets'],
    [['--audit', '-f'], 'the audit log is not followed'],
    [['--audit', '--kind', 'agents'], 'operations, not kinds'],
  ])('refuses %j', async (words, reason) => {
    expect((await run('events', ...words)).err).toContain(reason);
  });
});

describe('svc events --audit', () => {
  const requests: ListAuditRecordsRequest[] = [];
  const record = (id: number) => ({
    ...{ id: String(id), time: micros(id), identity: 'ann', operation: 'svc.gateway.GatewayService/CreateAgent' },
    ...{ target: `Agent/default/a${id}`, outcome: 'created', requestId: `r${id}`, hash: 'abcdef0123456789' },
  });
  const run = shell({
    unary: {
      ListAuditRecords: (request: ListAuditRecordsRequest) => {
        requests.push(request);
        return request.identity === 'nobody' ? {} : { records: [record(1), record(2)] };
      },
    },
  });

  it('shows who did what, the oldest of the newest first', async () => {
    const { out } = await run('events', '--audit', '--since', '1h', '-n', 'acme', '--operation', 'x');
    expect(out).toMatch(/^TIME +WHO +OPERATION +TARGET +OUTCOME\n/);
    expect(out.indexOf('default/a2')).toBeLessThan(out.indexOf('default/a1'));
    expect(out).toContain('ann   GatewayService/CreateAgent');
    expect(requests[0]).toMatchObject({ ns: 'acme', operation: 'x', since: micros(3_600), pageSize: 51 });
    expect((await run('events', '--audit', '-o', 'wide')).out).toMatch(/r1 +abcdef012345\n/);
    await run('events', '--audit', '-A', '-n', 'acme', '--limit', '3');
    expect(requests.at(-1)).toMatchObject({ ns: '', pageSize: 4 });
    expect((await run('events', '--audit', '--limit', '1')).err).toBe(
      'there are more than 1: a higher --limit shows them\n',
    );
  });

  it('prints data, or says that there is none', async () => {
    expect(JSON.parse((await run('events', '--audit', '-o', 'json')).out)).toMatchObject({ items: [{ id: '2' }, {}] });
    const lines = (await run('events', '--audit', '-o', 'jsonl')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: '2' }, { id: '1' }]);
    expect((await run('events', '--audit', '--identity', 'nobody')).err).toBe('nothing is recorded\n');
  });
});
