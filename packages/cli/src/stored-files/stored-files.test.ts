import { createHash } from 'node:crypto';
import type { CreateFileRequest, PrepareUploadRequest, UpdateFileRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, NOW_MS } from '../testing/fake-host.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const LARGE = 'x'.repeat(1_100_000);
const nameOf = (path: string): string => path.slice(1).replaceAll('/', '-');

/** Files of a server in memory; `links` says what the addresses of uploads and downloads answer. */
class Server {
  readonly contents = new Map<string, string>();
  readonly pending = new Map<string, { readonly id: string; readonly sha256: string; received?: string }>();
  readonly requests: object[] = [];
  readonly sent: string[] = [];
  /** Answers instead of taking the bytes; an error is a broken connection. */
  uploads: (Response | Error)[] = [];
  downloads: Record<string, Response | Error> = {};
  isInlineRefused = false;
  isHashWrong = false;

  file(path: string) {
    const content = this.contents.get(path);
    const upload = this.pending.get(path);
    const sha256 = this.isHashWrong ? hashOf('other') : hashOf(content ?? '');
    return {
      metadata: { name: nameOf(path), namespace: 'default' },
      spec: { path, mediaType: 'text/plain', purpose: 2, indexPolicy: 1 },
      status: {
        ...{ phase: 'Ready', updatedAt: BigInt(NOW_MS - 5_000) * 1_000n },
        ...(content === undefined ? {} : { objectRef: { sha256, sizeBytes: BigInt(content.length) } }),
        ...(upload === undefined ? {} : { pendingUpload: { id: upload.id, expectedSha256: upload.sha256 } }),
      },
    };
  }

  pathNamed(name: string): string {
    const path = [...this.contents.keys(), ...this.pending.keys()].find((each) => nameOf(each) === name);
    if (path === undefined) throw new FakeFault('NOT_FOUND', 'FILE_NOT_FOUND');
    return path;
  }

  readonly handlers: FakeHandlers = {
    unary: {
      ListFiles: ({ pathPrefix }: { pathPrefix: string }) => ({
        files: [...new Set([...this.contents.keys(), ...this.pending.keys()])]
          .filter((path) => path.startsWith(pathPrefix))
          .map((path) => this.file(path)),
      }),
      CreateFile: (request: CreateFileRequest) => {
        if (this.isInlineRefused) throw new FakeFault('RESOURCE_EXHAUSTED', 'TOO_LARGE');
        const path = request.file?.spec?.path ?? '';
        this.requests.push(request);
        this.contents.set(path, new TextDecoder().decode(request.content));
        return { file: this.file(path) };
      },
      UpdateFile: (request: UpdateFileRequest) => {
        const path = this.pathNamed(request.name);
        this.requests.push(request);
        if (request.content !== undefined) this.contents.set(path, new TextDecoder().decode(request.content));
        return { file: this.file(path) };
      },
      PrepareUpload: (request: PrepareUploadRequest) => {
        const path = request.file?.spec?.path ?? '';
        this.pending.set(path, { id: `up-${path}`, sha256: request.sha256 });
        const headers = { 'x-signed': 'yes' };
        return {
          file: this.file(path),
          uploadId: `up-${path}`,
          method: 'PUT',
          url: `http://files/up?${path}`,
          headers,
        };
      },
      CompleteUpload: ({ name, uploadId }: { name: string; uploadId: string }) => {
        const path = this.pathNamed(name);
        const upload = this.pending.get(path);
        if (upload?.id !== uploadId || upload.received === undefined || hashOf(upload.received) !== upload.sha256)
          throw new FakeFault('FAILED_PRECONDITION', 'UPLOAD_INVALID');
        this.pending.delete(path);
        this.contents.set(path, upload.received);
        return { file: this.file(path) };
      },
      ReadFile: ({ name, content }: { name: string; content: number }) => {
        const path = this.pathNamed(name);
        const text = this.contents.get(path) ?? '';
        const file = this.file(path);
        if (content === 3) return { file };
        return path in this.downloads
          ? { file, downloadUrl: `http://files${path}` }
          : { file, content: new TextEncoder().encode(text) };
      },
      DeleteFile: ({ name }: { name: string }) => ({ success: this.contents.delete(this.pathNamed(name)) }),
      GetResource: ({ name }: { name: string }) => {
        const { spec, status, metadata } = this.file(this.pathNamed(name));
        return {
          resource: {
            ...{ kind: 'File', metadata, spec: { kind: { case: 'file', value: spec } } },
            status: { kind: { case: 'file', value: status } },
          },
        };
      },
    },
  };

  run = async (words: readonly string[], options: FakeOptions = {}) => {
    const fake = fakeHost({ handlers: this.handlers, ...options });
    const { fetch } = fake.host;
    const links: typeof globalThis.fetch = async (input, init) => {
      const url = new URL(String(input));
      const download = this.downloads[url.pathname];
      if (download instanceof Error) throw download;
      if (download !== undefined) return download;
      if (url.pathname !== '/up') return fetch(input, init);
      const planned = this.uploads.shift();
      if (planned instanceof Error) throw planned;
      if (planned !== undefined) return planned;
      const text = await new Response(init?.body as ReadableStream).text();
      expect(new Headers(init?.headers).get('content-length')).toBe(String(text.length));
      this.sent.push(text);
      const path = url.search.slice(1);
      const upload = this.pending.get(path);
      if (upload !== undefined) this.pending.set(path, { ...upload, received: text });
      return new Response('');
    };
    const host = { ...fake.host, fetch: links };
    const { runCommandLine } = await import('../program/index.ts');
    const exit = await runCommandLine([...words], host);
    return { exit, out: fake.out(), err: fake.err(), files: fake.files };
  };
}

const files = {
  '/work/a.md': { text: '# hello', mode: 0o644 },
  '/work/large.bin': { text: LARGE, mode: 0o644 },
  '/work/sub': { text: '', mode: 0o755, isDirectory: true },
};

describe('svc file put', () => {
  it('stores a small file at the path that was meant, with its media type', async () => {
    const server = new Server();
    expect((await server.run(['file', 'put', 'a.md'], { files })).out).toBe('/a.md created (7 B)\n');
    await server.run(['file', 'put', 'a.md', 'notes/', '--purpose', 'memory', '--index', 'RETRIEVAL'], { files });
    await server.run(['file', 'put', '-', 'piped.txt'], { pipedBytes: new TextEncoder().encode('bytes') });
    expect(server.requests).toMatchObject([
      { ns: 'default', filename: 'a.md', file: { spec: { path: '/a.md', mediaType: 'text/markdown', purpose: 0 } } },
      { file: { spec: { path: '/notes/a.md', purpose: 1, indexPolicy: 3 } } },
      { filename: 'piped.txt', file: { spec: { path: '/piped.txt' } } },
    ]);
    expect(server.contents.get('/piped.txt')).toBe('bytes');
  });

  it('sends nothing when the same bytes are stored already', async () => {
    const server = new Server();
    await server.run(['file', 'put', 'a.md'], { files });
    const again = await server.run(['file', 'put', 'a.md'], { files });
    expect(again).toMatchObject({ exit: exitCodes.ok, out: '/a.md unchanged (7 B)\n' });
    expect(again.err).toContain('nothing is sent');
    expect(server.requests).toHaveLength(1);
    const described = await server.run(['file', 'put', 'a.md', '--retention', 'retained'], { files });
    expect(described.out).toBe('/a.md updated (7 B)\n');
    expect(server.requests[1]).toMatchObject({ name: 'a.md', file: { spec: { retention: 1 } } });
    expect(server.requests[1]).not.toHaveProperty('content');
    const changed = { '/work/a.md': { text: '# other', mode: 0o644 } };
    expect((await server.run(['file', 'put', 'a.md'], { files: changed })).out).toBe('/a.md replaced (7 B)\n');
    expect(server.contents.get('/a.md')).toBe('# other');
  });

  it('announces, sends and completes what is large, or what the server does not take inline', async () => {
    const server = new Server();
    const shown = await server.run(['file', 'put', 'large.bin'], { files, isErrorTerminal: true });
    expect(shown.out).toBe('/large.bin created (1.0 MiB)\n');
    expect(shown.err).toMatch(/sending large\.bin {2}\d+ % {2}.* of 1\.0 MiB/);
    expect(server.sent).toEqual([LARGE]);
    server.isInlineRefused = true;
    expect((await server.run(['file', 'put', 'a.md'], { files })).err).toBe('');
    expect(server.contents.get('/a.md')).toBe('# hello');
  });

  it('tries a broken connection again, and completes what an earlier run had sent', async () => {
    const server = new Server();
    server.uploads = [new TypeError('fetch failed'), new TypeError('fetch failed')];
    expect((await server.run(['file', 'put', 'large.bin'], { files })).exit).toBe(exitCodes.ok);
    expect(server.sent).toHaveLength(1);
    const interrupted = new Server();
    interrupted.pending.set('/large.bin', { id: 'earlier', sha256: hashOf(LARGE), received: LARGE });
    const resumed = await interrupted.run(['file', 'put', 'large.bin'], { files });
    expect([resumed.exit, resumed.err, interrupted.sent]).toEqual([
      exitCodes.ok,
      'an earlier run had sent these bytes: nothing is sent again\n',
      [],
    ]);
    const empty = new Server();
    empty.pending.set('/large.bin', { id: 'earlier', sha256: hashOf(LARGE) });
    expect((await empty.run(['file', 'put', 'large.bin'], { files })).exit).toBe(exitCodes.ok);
    expect(empty.sent).toHaveLength(1);
  });

  it('gives up on a link that refuses, and on one that never answers', async () => {
    const server = new Server();
    server.uploads = [new Response('no room', { status: 507 })];
    const refused = await server.run(['file', 'put', 'large.bin'], { files });
    expect([refused.exit, refused.err]).toEqual([exitCodes.refused, expect.stringContaining('507: no room')]);
    server.uploads = [1, 2, 3].map(() => new TypeError('fetch failed'));
    const broken = await server.run(['file', 'put', 'large.bin'], { files });
    expect([broken.exit, broken.err]).toEqual([
      exitCodes.connection,
      expect.stringContaining('http://files broke off'),
    ]);
  });

  it.each([
    [['put', 'none.md'], 'there is no file none.md'],
    [['put', 'sub'], 'sub is a directory'],
    [['put', '-'], 'which path is it to have?'],
    [['put', 'a.md', '--purpose', 'fun'], '--purpose fun is not known'],
    [['put', 'a.md', '--retention', 'unspecified'], 'one of retained, session, ephemeral'],
  ])('refuses %j', async (words, reason) => {
    const server = new Server();
    expect((await server.run(['file', ...words], { files })).err).toContain(reason);
    expect(server.contents.size).toBe(0);
  });

  it('prints the resource with -o', async () => {
    const { out } = await new Server().run(['file', 'put', 'a.md', '-o', 'json'], { files });
    expect(JSON.parse(out)).toMatchObject({ kind: 'File', spec: { path: '/a.md' } });
  });
});

describe('svc file get', () => {
  const stored = () => {
    const server = new Server();
    server.contents.set('/a.md', '# hello');
    return server;
  };

  it('writes to standard output or a file, by path or name, inline or from a link', async () => {
    expect((await stored().run(['file', 'get', '/a.md'])).out).toBe('# hello');
    expect((await stored().run(['file', 'get', 'a.md', '-'])).out).toBe('# hello');
    const server = stored();
    server.downloads['/a.md'] = new Response('# hello');
    const got = await server.run(['file', 'get', '/a.md', 'b.md'], { isErrorTerminal: true });
    expect(got.files.get('/work/b.md')?.text).toBe('# hello');
    expect(got.err).toContain('b.md written (7 B)');
    server.downloads['/a.md'] = new Response(null);
    server.contents.set('/a.md', '');
    expect((await server.run(['file', 'get', '/a.md'])).out).toBe('');
  });

  it('fetches nothing that the file has already', async () => {
    const got = await stored().run(['file', 'get', '/a.md', 'b.md'], {
      files: { '/work/b.md': { text: '# hello', mode: 0o600 } },
    });
    expect([got.err, got.files.get('/work/b.md')?.mode]).toEqual(['b.md is up to date\n', 0o600]);
  });

  it('keeps nothing of bytes that are not those that are stored', async () => {
    const server = stored();
    server.isHashWrong = true;
    const got = await server.run(['file', 'get', '/a.md', 'b.md']);
    expect([got.exit, got.files.has('/work/b.md')]).toEqual([exitCodes.refused, false]);
    expect(got.err).toContain('nothing is kept');
  });

  it('tells what is known of it with -o', async () => {
    expect(JSON.parse((await stored().run(['file', 'get', '/a.md', '-o', 'json'])).out)).toMatchObject({
      kind: 'File',
      status: { objectRef: { sizeBytes: '7' } },
    });
  });

  it('names what stands in the way', async () => {
    const server = stored();
    server.pending.set('/new', { id: 'u', sha256: 'x' });
    server.contents.set('/bin', 'a\0b');
    expect(await server.run(['file', 'get', 'none'])).toMatchObject({ exit: exitCodes.notFound });
    expect((await server.run(['file', 'get', '/new'])).err).toContain('its upload is not finished');
    expect((await server.run(['file', 'get', '/bin'], { isTerminal: true })).err).toContain('/bin is not text');
    expect((await server.run(['file', 'get', '/a.md', 'sub'], { files })).err).toContain('sub is a directory');
    server.downloads['/a.md'] = new Response('', { status: 403 });
    expect((await server.run(['file', 'get', '/a.md'])).err).toContain('refused with 403');
    server.downloads['/a.md'] = new TypeError('fetch failed');
    expect(await server.run(['file', 'get', '/a.md'])).toMatchObject({ exit: exitCodes.connection });
  });
});

describe('svc file list and svc file rm', () => {
  it('list files by path, narrow and wide, and as data', async () => {
    const server = new Server();
    expect((await server.run(['file', 'list', 'x'])).err).toBe('no files below /x in namespace default\n');
    server.contents.set('/a', 'text');
    server.pending.set('/b', { id: 'u', sha256: '' });
    expect((await server.run(['file', 'list'])).out).toMatch(
      /^PATH +SIZE +TYPE +PURPOSE +UPDATED\n\/a +4 B +text\/plain +artifact +5s\n\/b +- /,
    );
    expect((await server.run(['file', 'list', '-o', 'wide'])).out).toMatch(/\/a .*Ready +none +- +a +\w{12}/);
    expect((await server.run(['file', 'list', '-o', 'name'])).out).toBe('file/a\nfile/b\n');
    expect(JSON.parse((await server.run(['file', 'list', '-o', 'json'])).out)).toMatchObject({ kind: 'List' });
  });

  it('remove files, with exit code 2 when only some were there', async () => {
    const server = new Server();
    server.contents.set('/a', '1').set('/b', '2');
    expect(await server.run(['file', 'rm', '/a', 'b'])).toMatchObject({ out: '/a removed\n/b removed\n' });
    server.contents.set('/a', '1');
    expect(await server.run(['file', 'rm', '/a', '/none'])).toMatchObject({ exit: exitCodes.partial });
    expect(await server.run(['file', 'rm', '/none'])).toMatchObject({ exit: exitCodes.notFound });
  });
});

describe('svc artifact', () => {
  const artifact = {
    ...{ id: 'a1', title: 'plot.png', mediaType: 'image/png', createdAt: BigInt(NOW_MS - 60_000) * 1_000n },
    objectRef: { sha256: hashOf('png'), sizeBytes: 3n, filename: '' },
  };
  const promoted: object[] = [];
  const handlers: FakeHandlers = {
    unary: {
      GetResource: ({ name }: { name: string }) => {
        if (name !== 's1') throw new FakeFault('NOT_FOUND', 'SESSION_NOT_FOUND');
        return { resource: { kind: 'Session', spec: { kind: { case: 'session', value: { agent: 'helper' } } } } };
      },
      ListArtifacts: ({ sessionId }: { sessionId: string }) => ({ artifacts: sessionId === 's1' ? [artifact] : [] }),
      ReadArtifact: ({ artifactId, content }: { artifactId: string; content: number }) => {
        if (artifactId === 'none') return {};
        const title = artifactId === 'untitled' ? '' : artifact.title;
        return {
          artifact: { ...artifact, title },
          ...(content === 3 ? {} : { content: new TextEncoder().encode('png') }),
        };
      },
      PromoteArtifact: (request: object) => {
        promoted.push(request);
        return { file: { metadata: { name: 'f' }, spec: { path: '/plot.png' } } };
      },
    },
  };
  const run = async (...words: string[]) => {
    const shell = fakeHost({ handlers });
    return { exit: await shell.run('artifact', ...words), out: shell.out(), err: shell.err(), files: shell.files };
  };

  it('lists, gets and promotes what agents made', async () => {
    expect((await run('list', 's1')).out).toMatch(/^ID +TITLE +SIZE +TYPE +AGE\na1 +plot.png +3 B +image\/png +60s\n$/);
    expect(JSON.parse((await run('list', 's1', '-o', 'json')).out)).toMatchObject({ items: [{ id: 'a1' }] });
    expect((await run('get', 's1', 'a1', 'p.png')).files.get('/work/p.png')?.text).toBe('png');
    expect((await run('get', 'artifact://default/helper/s1/a1')).out).toBe('png');
    expect(JSON.parse((await run('get', 's1', 'a1', '-o', 'json')).out)).toMatchObject({ title: 'plot.png' });
    expect((await run('promote', 's1', 'a1')).out).toBe('/plot.png created (0 B)\n');
    await run('promote', 's1', 'a1', 'plots/x.png', '--media-type', 'image/x', '--purpose', 'artifact');
    expect(promoted).toMatchObject([
      { agent: 'helper', sessionId: 's1', artifactId: 'a1', file: { spec: { path: '/plot.png' } } },
      { file: { spec: { path: '/plots/x.png', mediaType: 'image/x', purpose: 2 } } },
    ]);
  });

  it('says what is missing', async () => {
    expect((await run('get', 's1')).err).toContain('which artifact?');
    expect((await run('list', 's2')).exit).toBe(exitCodes.notFound);
    expect((await run('get', 's1', 'none')).err).toContain('answered no artifact');
    expect((await run('promote', 's1', 'untitled')).err).toContain('the artifact has no title');
    expect((await run('promote', 's1', 'none')).err).toContain('the artifact has no title');
  });
});
