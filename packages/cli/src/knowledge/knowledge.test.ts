import type { CreateNamespaceKnowledgeRequest, SearchKnowledgeRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, ScriptedTerminal } from '../testing/fake-host.ts';

interface Document {
  readonly path: string;
  readonly content: string;
  readonly annotations: Record<string, string>;
}

class Server {
  /** By name. */
  readonly documents = new Map<string, Document>();
  agents = ['helper'];
  readonly searches: SearchKnowledgeRequest[] = [];

  knowledge(name: string) {
    const document = this.documents.get(name);
    if (document === undefined) throw new FakeFault('NOT_FOUND', 'KNOWLEDGE_NOT_FOUND');
    const { path, content, annotations } = document;
    return { metadata: { name, namespace: 'default', annotations, resourceVersion: '4' }, spec: { path, content } };
  }

  readonly handlers: FakeHandlers = {
    unary: {
      ListNamespaceKnowledge: () => ({ knowledge: [...this.documents.keys()].map((name) => this.knowledge(name)) }),
      GetNamespaceKnowledge: ({ name }: { name: string }) => ({ knowledge: this.knowledge(name) }),
      CreateNamespaceKnowledge: ({ knowledge }: CreateNamespaceKnowledgeRequest) => {
        const { path = '', content = '' } = knowledge?.spec ?? {};
        const { name = '', annotations = {} } = knowledge?.metadata ?? {};
        if (path.includes('(')) throw new FakeFault('INVALID_ARGUMENT', 'FIELD_INVALID', { message: 'no name' });
        if (path.includes('locked')) throw new FakeFault('PERMISSION_DENIED', 'ROLE');
        this.documents.set(name, { path, content, annotations });
        return { knowledge: this.knowledge(name) };
      },
      DeleteNamespaceKnowledge: ({ name }: { name: string }) => ({ success: this.documents.delete(name) }),
      GetKnowledge: ({ agent, path }: { agent: string; path: string }) => ({
        modules: [{ path, content: `${path} for ${agent}` }],
      }),
      ListAgents: () => ({ agents: this.agents.map((name) => ({ metadata: { name } })) }),
      SearchKnowledge: (request: SearchKnowledgeRequest) => {
        this.searches.push(request);
        const hit = { path: 'a/b.md', namespace: 'default', snippet: 'one\n two', score: 0.5, timestamp: 1n };
        return { results: request.query === 'nothing' ? [] : [hit] };
      },
    },
  };

  set(name: string, [path, content]: readonly [string, string], annotations: Record<string, string> = {}): this {
    this.documents.set(name, { path, content, annotations });
    return this;
  }

  run = async (words: readonly string[], options: FakeOptions = {}) => {
    const shell = fakeHost({ handlers: this.handlers, ...options });
    return { exit: await shell.run('knowledge', ...words), out: shell.out(), err: shell.err() };
  };
}

let server: Server;
beforeEach(() => {
  server = new Server();
});

describe('svc knowledge', () => {
  it('writes a document new or in place of what is there, from a file or a pipe', async () => {
    const files = { '/work/t.md': { text: 'text', mode: 0o644 } };
    expect((await server.run(['set', '/a/b.md', '-f', 't.md'], { files })).out).toBe('a/b.md created (4 B)\n');
    expect((await server.run(['set', 'a/b.md'], { piped: 'text' })).out).toBe('a/b.md unchanged\n');
    expect((await server.run(['set', 'a/b.md'], { piped: 'more' })).out).toBe('a/b.md changed (4 B)\n');
    server.set('other-name', ['c', 'x'], { mine: 'y' });
    await server.run(['set', 'c'], { piped: 'z' });
    expect(server.documents.get('other-name')).toEqual({ path: 'c', content: 'z', annotations: { mine: 'y' } });
    expect((await server.run(['set', 'd'])).err).toContain('there is no text');
    expect((await server.run(['set', 'c'], { piped: '' })).err).toContain('standard input is empty');
    expect(
      (await server.run(['set', 'e', '-f', 't.md'], { files: { '/work/t.md': { text: '', mode: 0o600 } } })).out,
    ).toBe('e created (0 B)\n');
    expect((await server.run(['set', 'd', '-f', 'none'])).err).toContain('there is no file none');
  });

  it('prints a document by its path or name, as an agent sees it, or as data', async () => {
    server.set('n', ['a/b.md', 'text\n']);
    expect((await server.run(['get', '/a/b.md'])).out).toBe('text\n');
    expect((await server.run(['get', 'n'])).out).toBe('text\n');
    expect((await server.run(['get', 'n'], { isTerminal: true })).out).toBe('text\n');
    expect((await server.run(['get', 'b.md', '--agent', 'helper'])).out).toBe('b.md for helper');
    expect(JSON.parse((await server.run(['get', 'n', '-o', 'json'])).out)).toMatchObject({ kind: 'Knowledge' });
    expect(await server.run(['get', 'none'])).toMatchObject({ exit: exitCodes.notFound });
  });

  it('lists documents below a prefix', async () => {
    expect((await server.run(['list'])).err).toBe('no knowledge in namespace default\n');
    server.set('2', ['b/two', '22']).set('1', ['a/one', '1']).set('3', ['ab', '']);
    expect((await server.run(['list'])).out).toBe(
      'PATH    SIZE   NAME\na/one   1 B    1\nab      0 B    3\nb/two   2 B    2\n',
    );
    expect((await server.run(['list', '/a/'])).out).not.toContain('ab');
    expect(JSON.parse((await server.run(['list', 'b', '-o', 'json'])).out).items).toHaveLength(1);
  });

  it('deletes documents, with exit code 2 when only some were there', async () => {
    server.set('1', ['a', '']).set('2', ['b', '']);
    expect((await server.run(['delete', 'a', 'b'])).out).toBe('a deleted\nb deleted\n');
    server.set('1', ['a', '']);
    expect(await server.run(['delete', 'a', 'none'])).toMatchObject({ exit: exitCodes.partial });
    expect(await server.run(['delete', 'none'])).toMatchObject({ exit: exitCodes.notFound });
  });

  it('searches for the only agent, or for the one that is named', async () => {
    expect((await server.run(['search', 'how', 'to'])).out).toMatch(/^a\/b\.md {2}default {2}0\.50 .*\n {2}one two\n$/);
    await server.run(['search', 'x', '--agent', 'other', '--limit', '7']);
    expect(server.searches).toMatchObject([
      { agent: 'helper', query: 'how to', limit: 5 },
      { agent: 'other', limit: 7 },
    ]);
    expect((await server.run(['search', 'nothing'])).err).toBe('nothing is found\n');
    expect(JSON.parse((await server.run(['search', 'x', '-o', 'json'])).out)).toMatchObject({
      items: [{ path: 'a/b.md', timestamp: '1' }],
    });
    server.agents = ['a', 'b'];
    expect((await server.run(['search', 'x'])).err).toContain('--agent, such as a, b');
    server.agents = [];
    expect((await server.run(['search', 'x'])).err).toContain('svc create agent');
  });
});

const directory = { text: '', mode: 0o755, isDirectory: true };
const tree = (texts: Record<string, string>) => ({
  '/work/docs': directory,
  '/work/docs/sub': directory,
  '/work/docs/.git': directory,
  '/work/docs/.git/x.md': { text: 'hidden', mode: 0o644 },
  '/work/docs/notes.txt': { text: 'no Markdown', mode: 0o644 },
  ...Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [`/work/docs/${path}`, { text, mode: 0o644 }] as const),
  ),
});

describe('svc knowledge sync', () => {
  it('names the document that is refused', async () => {
    const refused = await server.run(['set', 'a (1).md'], { piped: 'x' });
    expect([refused.exit, refused.err]).toEqual([exitCodes.refused, 'svc: document a (1).md: no name\n']);
    expect((await server.run(['set', 'locked.md'], { piped: 'x' })).exit).toBe(exitCodes.connection);
  });

  it('writes every Markdown file under its path, and again only what changed', async () => {
    const files = tree({ 'one.md': '1', 'sub/two.MARKDOWN': '2' });
    const first = await server.run(['sync', 'docs', '--prefix', '/book/'], { files });
    expect(first.out).toBe('created  book/one.md\ncreated  book/sub/two.MARKDOWN\n');
    expect(first.err).toBe('2 written, 0 deleted, 0 unchanged\n');
    expect((await server.run(['sync', 'docs', '--prefix', 'book'], { files })).err).toBe(
      '0 written, 0 deleted, 2 unchanged\n',
    );
    const changed = await server.run(['sync', 'docs', '--prefix', 'book'], { files: tree({ 'one.md': '1b' }) });
    expect([changed.out, server.documents.size]).toEqual(['changed  book/one.md\n', 2]);
  });

  it('takes over a document that was written otherwise, and only says so with --dry-run', async () => {
    server.set('n', ['one.md', '1']);
    const files = tree({ 'one.md': '1', 'two.md': '2' });
    const dry = await server.run(['sync', 'docs', '--dry-run'], { files });
    expect(dry.out).toBe('would be changed  one.md\nwould be created  two.md\n');
    expect(server.documents.size).toBe(1);
    await server.run(['sync', 'docs'], { files });
    expect(server.documents.get('n')?.annotations).toEqual({ 'knowledge-sync': '/' });
  });

  it('prunes only what a sync with the same prefix wrote, after a yes', async () => {
    server.set('own', ['one.md', '1'], { 'knowledge-sync': '/' });
    server.set('mine', ['mine.md', 'x']).set('book', ['book/x.md', 'x'], { 'knowledge-sync': '/book' });
    const files = tree({ 'two.md': '2' });
    const refused = await server.run(['sync', 'docs', '--prune'], { files, piped: '' });
    expect([refused.exit, refused.err]).toEqual([
      exitCodes.refused,
      expect.stringContaining('nothing was changed: confirm with --yes'),
    ]);
    const no = await server.run(['sync', 'docs', '--prune'], { files, terminal: new ScriptedTerminal(['n']) });
    expect([no.err, server.documents.size]).toEqual([expect.stringContaining('nothing was changed'), 3]);
    expect((await server.run(['sync', 'docs', '--prune', '--dry-run'], { files })).out).toContain(
      'would be deleted  one.md',
    );
    const yes = await server.run(['sync', 'docs', '--prune'], { files, terminal: new ScriptedTerminal(['yes']) });
    expect(yes.out).toBe('created  two.md\ndeleted  one.md\n');
    expect([...server.documents.keys()].sort()).toEqual(['book', 'mine', 'two.md']);
  });

  it('refuses what is no directory, and to prune everything by the way', async () => {
    expect((await server.run(['sync', 'docs'])).err).toContain('docs is not a directory');
    const empty = await server.run(['sync', 'docs', '--prune'], { files: tree({}) });
    expect(empty.err).toContain('--allow-empty');
    expect(await server.run(['sync', 'docs', '--prune', '--allow-empty'], { files: tree({}) })).toMatchObject({
      exit: exitCodes.ok,
    });
  });

  it('leaves out a file that goes while the directory is read', async () => {
    const fake = fakeHost({ handlers: server.handlers, files: tree({ 'gone.md': '1', 'one.md': '1' }) });
    const { runCommandLine } = await import('../program/index.ts');
    const { files } = fake.host;
    const readText = (path: string) => (path.endsWith('gone.md') ? undefined : files.readText(path));
    const host = { ...fake.host, files: { ...files, readText } };
    expect(await runCommandLine(['knowledge', 'sync', 'docs'], host)).toBe(exitCodes.ok);
    expect(fake.out()).toBe('created  one.md\n');
  });

  it('goes on with every change with --watch until Ctrl-C', async () => {
    const fake = fakeHost({ handlers: server.handlers, files: tree({ 'one.md': '1' }) });
    const { runCommandLine } = await import('../program/index.ts');
    let looks = 0;
    const host = {
      ...fake.host,
      sleep: () => {
        looks += 1;
        if (looks === 2) fake.files.set('/work/docs/one.md', { text: '2', mode: 0o644 });
        if (looks === 3) fake.files.delete('/work/docs/one.md');
        if (looks === 4) fake.interrupt();
        return Promise.resolve();
      },
    };
    const words = ['knowledge', 'sync', 'docs', '--watch', '--prune', '--allow-empty'];
    expect(await runCommandLine(words, host)).toBe(exitCodes.interrupted);
    expect(fake.out()).toBe('created  one.md\nchanged  one.md\ndeleted  one.md\n');
    expect(fake.calls.filter((name) => name === 'ListNamespaceKnowledge')).toHaveLength(3);
  });

  it('deletes nothing with --watch --prune while the directory is empty', async () => {
    const fake = fakeHost({ handlers: server.handlers, files: tree({ 'one.md': '1' }) });
    const { runCommandLine } = await import('../program/index.ts');
    let looks = 0;
    const host = {
      ...fake.host,
      sleep: () => {
        looks += 1;
        if (looks === 2) fake.files.delete('/work/docs/one.md');
        if (looks === 4) fake.files.set('/work/docs/one.md', { text: '2', mode: 0o644 });
        if (looks === 5) fake.interrupt();
        return Promise.resolve();
      },
    };
    expect(await runCommandLine(['knowledge', 'sync', 'docs', '--watch', '--prune'], host)).toBe(exitCodes.interrupted);
    expect(fake.out()).toBe('created  one.md\nchanged  one.md\n');
    expect(fake.err().match(/has no Markdown now: nothing was deleted/g)).toHaveLength(1);
  });
});
