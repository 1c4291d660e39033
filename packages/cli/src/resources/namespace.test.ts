import type { CreateNamespaceRequest, DeleteNamespaceRequest, DeleteResourceRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { interrupt } from '../host.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, ScriptedTerminal } from '../testing/fake-host.ts';

const requests: (CreateNamespaceRequest | DeleteNamespaceRequest | DeleteResourceRequest)[] = [];
beforeEach(() => {
  requests.length = 0;
});

const note = (request: CreateNamespaceRequest | DeleteNamespaceRequest | DeleteResourceRequest) => {
  requests.push(request);
  return {};
};
const run = async (words: readonly string[], options: FakeOptions = {}) => {
  const shell = fakeHost({
    handlers: {
      unary: {
        GetNamespace: ({ name }: { name: string }) => {
          if (name === 'none') throw new FakeFault('NOT_FOUND', 'NAMESPACE_NOT_FOUND');
          if (name === 'odd') return {};
          const annotations = { mine: 'x', 'svc/deleted-with': 'y' };
          const metadata = { name, labels: { tier: 'gold' }, annotations };
          return { namespace: { metadata, spec: { parent: 'top' }, status: { isDeleted: name === 'gone' } } };
        },
        CreateNamespace: note,
        DeleteNamespace: note,
        DeleteResource: (request: DeleteResourceRequest) => ({ ...note(request), pending: request.name === 'live' }),
        ListResources: ({ labelSelector }: { labelSelector: string }) => ({
          resources: labelSelector === 'a=b' ? ['t1', 't2'].map((name) => ({ kind: 'Task', metadata: { name } })) : [],
        }),
      },
    },
    ...options,
  });
  return { exit: await shell.run(...words), out: shell.out(), err: shell.err() };
};

describe('svc namespace', () => {
  it('restores a deleted namespace with the labels it had', async () => {
    expect((await run(['namespace', 'restore', 'gone'])).out).toBe('namespace/gone restored\n');
    expect(requests).toMatchObject([
      { name: 'gone', parent: 'top', labels: { tier: 'gold' }, annotations: { mine: 'x' } },
    ]);
    expect(Object.keys((requests[0] as CreateNamespaceRequest).annotations)).toEqual(['mine']);
    expect((await run(['namespace', 'restore', 'there'])).err).toContain('namespace there is not deleted');
    expect(await run(['namespace', 'restore', 'none'])).toMatchObject({ exit: exitCodes.notFound });
  });

  it('purges only after its name was typed, or with --yes', async () => {
    const terminal = new ScriptedTerminal(['yes']);
    expect((await run(['namespace', 'purge', 'acme'], { terminal })).err).toContain('nothing was deleted');
    expect(terminal.prompts[0]).toContain('type its name');
    const interrupted = new ScriptedTerminal([interrupt]);
    expect((await run(['namespace', 'purge', 'acme'], { terminal: interrupted })).exit).toBe(exitCodes.interrupted);
    expect((await run(['namespace', 'purge', 'acme'], { piped: 'acme\n' })).err).toContain('--yes');
    expect(requests).toEqual([]);
    expect((await run(['namespace', 'purge', 'acme'], { terminal: new ScriptedTerminal(['acme']) })).out).toBe(
      'namespace/acme is being purged\n',
    );
    await run(['namespace', 'purge', 'acme', '--yes']);
    expect(requests).toMatchObject([
      { name: 'acme', purge: true },
      { name: 'acme', purge: true },
    ]);
    expect(await run(['namespace', 'purge', 'none'])).toMatchObject({ exit: exitCodes.notFound });
  });
});

describe('svc delete', () => {
  it('chooses what becomes of dependants, and strips finalizers with --force', async () => {
    await run(['delete', 'task', 't', '--cascade', 'orphan', '--force']);
    await run(['delete', 'agent', 'a', '--cascade', 'foreground']);
    expect(requests).toMatchObject([
      { kind: 'Task', propagation: 3, force: true },
      { kind: 'Agent', propagation: 2, force: false },
    ]);
    expect((await run(['delete', 'task', 't', '--cascade', 'all'])).err).toContain('--cascade all is not known');
    expect((await run(['delete', 'namespace', 'n', '--cascade', 'orphan'])).err).toContain('not for a Namespace');
    expect((await run(['delete', 'session', 's', '--cascade', 'orphan'])).err).toContain('not for a Session');
  });

  it('strips the finalizers of a namespace that holds back its purge', async () => {
    expect((await run(['delete', 'namespace', 'n', '--force'])).out).toBe(
      'namespace/n deleted, its finalizers are stripped\n',
    );
    expect(requests).toMatchObject([{ ns: 'n', kind: 'Namespace', name: 'n', force: true }]);
    expect((await run(['delete', 'namespace', 'live', '--force'])).out).toContain('within the grace period');
    const both = await run(['delete', 'namespace', 'n', '--force', '--purge']);
    expect([both.err, requests.length]).toEqual([expect.stringContaining('--purge and --force are two steps'), 2]);
  });

  it('deletes what has the labels, after a yes', async () => {
    expect((await run(['delete', 'tasks', '-l', 'a=b'], { piped: '' })).err).toContain('task/t1\n  task/t2');
    expect(requests).toEqual([]);
    expect((await run(['delete', 'tasks', '-l', 'a=b', '--yes'])).out).toBe('task/t1 deleted\ntask/t2 deleted\n');
    expect((await run(['delete', 'tasks', '-l', 'a=c'])).err).toBe('no tasks are selected\n');
  });

  it('leaves none of them out, however many there are', async () => {
    const PAGES = 6;
    const pageOf = (page: number) => ({
      resources: Array.from({ length: 200 }, (_, index) => ({ kind: 'Task', metadata: { name: `t${page}-${index}` } })),
      nextPageToken: page < PAGES ? String(page) : '',
    });
    const unary = {
      ListResources: ({ pageToken }: { pageToken: string }) => pageOf(Number(pageToken) + 1),
      DeleteResource: () => ({}),
    };
    const shell = fakeHost({ handlers: { unary } });
    expect(await shell.run('delete', 'tasks', '-l', 'a=b', '--yes')).toBe(exitCodes.ok);
    expect(shell.out().match(/ deleted$/gm)).toHaveLength(1_200);
  });
});

describe('svc describe', () => {
  it('lists the agents that were made from a template', async () => {
    const agents = [
      { kind: 'Agent', metadata: { name: 'a', namespace: 'acme', annotations: { 'svc/template': 'base' } } },
      { kind: 'Agent', metadata: { name: 'b', namespace: 'acme', annotations: { 'svc/template': 'other' } } },
    ];
    const describing = async (found: readonly object[]) => {
      const shell = fakeHost({
        handlers: {
          unary: {
            GetResource: () => ({ resource: { kind: 'Template', metadata: { name: 'base', namespace: 'system' } } }),
            ListResources: () => ({ resources: [...found] }),
          },
        },
      });
      await shell.run('describe', 'template', 'base', '-n', 'system');
      return shell.out();
    };
    expect(await describing(agents)).toMatch(/users\n +AGENT +TEMPLATE VERSION\n +acme\/a +-\n$/);
    expect(await describing([])).not.toContain('users');
  });
});
