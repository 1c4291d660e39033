import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type CreateFileRequestSchema,
  type FileResponse,
  FileService,
  GatewayService,
  type ListFilesResponse,
  type PrepareUploadRequestSchema,
  type PrepareUploadResponse,
  type ReadFileResponse,
} from '@svc/api/gateway';
import { FileIndexPolicy, FilePurpose, FileRetention, FileSchema, type FileSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, silentLog } from '../../base/index.ts';
import { QueueRunner, RESOURCES_CHANGED, ReconcileLoop } from '../../controllers/index.ts';
import { createLocalBlobs } from '../../store/blobs/local/index.ts';
import type { HttpExchange, HttpRoute } from '../../transport/contract.ts';
import type { Operation } from '../contract.ts';
import { chunkDocument, indexWords, KnowledgeLibrary } from '../knowledge/index.ts';
import { ADMIN, callContext, openResourceWorld } from '../testing/index.ts';
import {
  FileWorker,
  fileContract,
  fileController,
  filesFeature,
  ObjectCollector,
  ObjectLinks,
  StoredObjects,
  UploadSignatures,
  workspacePlaces,
} from './index.ts';

const { method } = FileService;
const DAY_MS = 86_400_000;
const FORM = { chunks: chunkDocument, words: indexWords };
const LIMITS = {
  ...{ namespaceBytes: 0, ephemeralMicros: 2 * DAY_MS * 1_000, inlineBytes: 64 * 1024, objectBytes: 300_000 },
  responseBytes: 1 << 20,
};

const openWorld = async (limits: Partial<typeof LIMITS> = {}) => {
  const all = { ...LIMITS, ...limits };
  const world = await openResourceWorld({ contracts: () => [fileContract(all)] });
  const { store, writer, views, clock, random, ids, feed, bus, authorizer } = world;
  const dir = join(world.dataDir, 'objects');
  const blobs = createLocalBlobs({ dir, random });
  const objects = new StoredObjects({ blobs, clock });
  const links = new ObjectLinks({ key: new Uint8Array(32), clock, blobs });
  const signatures = new UploadSignatures(new Uint8Array(32).fill(7));
  const deps = {
    store,
    writer,
    views,
    blobs,
    objects,
    links,
    signatures,
    ids,
    form: FORM,
    baseUrl: 'http://here',
    limits: all,
  };
  const feature = filesFeature({ ...deps, authorizer });
  (world.operations as Operation[]).push(...feature.operations);
  const runner = new QueueRunner({
    ...{ store, bus, clock, random, log: silentLog, pollMs: 5_000 },
    workers: [new FileWorker(deps)],
  });
  const loop = new ReconcileLoop(fileController(deps), { store, feed, clock, random, log: silentLog });
  await loop.start();
  const collector = new ObjectCollector({ store, blobs, objects });
  return { ...world, dir, blobs, objects, feature, links, files: runner, loop, collector };
};

type World = Awaited<ReturnType<typeof openWorld>>;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** What a route answers: status, headers and the bytes that went out. */
const visit = async (
  route: HttpRoute,
  params: Record<string, string>,
  asked: { readonly query?: string; readonly headers?: Record<string, string>; readonly body?: Uint8Array } = {},
) => {
  const sent = { status: 0, headers: {} as Readonly<Record<string, string>>, body: Buffer.alloc(0), isEnded: false };
  const exchange: HttpExchange = {
    method: route.method,
    path: '',
    query: new URLSearchParams(asked.query ?? ''),
    header: (name) => asked.headers?.[name],
    body: async (limitBytes) => {
      const body = asked.body ?? new Uint8Array(0);
      if (body.length > limitBytes) throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', 'too large');
      return body;
    },
    answer: (status, headers, body = '') =>
      void Object.assign(sent, { status, headers, body: Buffer.from(body as string), isEnded: true }),
    stream: (status, headers) => {
      Object.assign(sent, { status, headers });
      return {
        write: (chunk) => {
          sent.body = Buffer.concat([sent.body, Buffer.from(chunk as Uint8Array)]);
          return true;
        },
        onDrained: () => undefined,
        end: () => {
          sent.isEnded = true;
        },
        writable: true,
      };
    },
  };
  const failure = await route.handle(exchange, params, callContext('', ADMIN)).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { ...sent, failure };
};

describe('files', () => {
  let world: World;

  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(async () => {
    world.loop.close();
    world.files.close();
    await world.close();
  });

  type Spec = MessageInitShape<typeof FileSpecSchema>;
  const made = (
    path: string,
    content = 'hello',
    { ns = 'default', ...spec }: Spec & { ns?: string } = {},
  ): Promise<FileResponse> =>
    world.call(method.createFile, {
      ns,
      file: { spec: { path, mediaType: 'text/plain', ...spec } },
      content: text(content),
    } as MessageInitShape<typeof CreateFileRequestSchema>);
  const readFile = (name: string, content = 0, ns = 'default'): Promise<ReadFileResponse> =>
    world.call(method.readFile, { ns, name, content });
  const conditions = ({ file }: FileResponse | ReadFileResponse): readonly string[] =>
    (file?.status?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  const prepare = (path: string, bytes: Uint8Array, extra: object = {}): Promise<PrepareUploadResponse> =>
    world.call(method.prepareUpload, {
      ns: 'default',
      file: { spec: { path } },
      sizeBytes: BigInt(bytes.length),
      sha256: sha256(bytes),
      ...extra,
    } as MessageInitShape<typeof PrepareUploadRequestSchema>);
  const route = (kind: string): HttpRoute => {
    const found = world.feature.routes.find((each) => each.method === kind);
    if (found === undefined) throw new Error(`no route ${kind}`);
    return found;
  };
  const put = (prepared: PrepareUploadResponse, body: Uint8Array, query = new URL(prepared.url).search) =>
    visit(route('PUT'), { upload_id: prepared.uploadId }, { query, body });
  const complete = (prepared: PrepareUploadResponse, name = prepared.file?.metadata?.name): Promise<FileResponse> =>
    world.call(method.completeUpload, { ns: 'default', name: name ?? '', uploadId: prepared.uploadId });
  const download = (name: string, headers: Record<string, string> = {}) =>
    visit(route('GET'), { ns: 'default', name }, { headers });
  const nameOf = (response: { readonly file?: FileResponse['file'] }): string => response.file?.metadata?.name ?? '';
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      await world.loop.tick();
      await world.files.tick();
    }
  };
  const damage = (hash: string): void => {
    const folder = join(world.dir, 'sha256', hash.slice(0, 2), hash.slice(2, 4));
    const file = join(folder, readdirSync(folder)[0] ?? '');
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  };
  const search = async (query: string, ns = 'default'): Promise<readonly string[]> => {
    const library = new KnowledgeLibrary({ visibleNamespaces: async () => [ns] });
    const found = await world.store.read((tx) => library.search(tx, ns, { query, limit: 10 }));
    return found.map(({ path }) => path);
  };

  it('are created with a name derived from the path, ready to be read', async () => {
    const response = await made('/Notes/Über uns.md');
    expect(nameOf(response)).toMatch(/^notes-ber-uns-md-[0-9a-f]{12}$/);
    expect(response.file?.spec).toMatchObject({ purpose: FilePurpose.ARTIFACT, indexPolicy: FileIndexPolicy.NONE });
    expect(response.file?.status).toMatchObject({
      phase: 'Ready',
      objectRef: { sha256: sha256(text('hello')), sizeBytes: 5n, filename: 'Über uns.md' },
    });
    expect(response.file?.metadata?.annotations).toEqual({});
    expect(Buffer.from((await readFile(nameOf(response))).content).toString()).toBe('hello');
    expect(Buffer.from((await readFile('/Notes/Über uns.md')).content).toString()).toBe('hello');
    await expect(made('/Notes/Über uns.md')).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'PATH_TAKEN' });
  });

  it('refuse paths that leave their folder, other names, and content over the limit', async () => {
    for (const path of ['', '/', 'a', '/a/', '/a//b', '/a/../b', '/./a', '/a\\b', '/a\nb', `/${'a'.repeat(1_024)}`])
      await expect(made(path)).rejects.toMatchObject({ violations: [{ field: 'spec.path', reason: 'FILE_PATH' }] });
    const named = { ns: 'default', file: { metadata: { name: 'mine' }, spec: { path: '/a' } } };
    await expect(world.call(method.createFile, named)).rejects.toMatchObject({
      violations: [{ field: 'metadata.name' }],
    });
    await expect(made('/big', 'x'.repeat(64 * 1024 + 1))).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
    });
  });

  it('replace only what an update gives, never the path', async () => {
    const response = await made('/a.txt', 'one', { retention: FileRetention.RETAINED });
    const update = (file: object, content?: Uint8Array): Promise<FileResponse> =>
      world.call(method.updateFile, {
        ns: 'default',
        name: nameOf(response),
        file,
        ...(content === undefined ? {} : { content }),
      } as never);
    const changed = await update({ spec: { purpose: FilePurpose.MEMORY } }, text('two'));
    expect(changed.file?.spec).toMatchObject({
      path: '/a.txt',
      mediaType: 'text/plain',
      purpose: FilePurpose.MEMORY,
      retention: FileRetention.RETAINED,
    });
    expect(Buffer.from((await readFile('/a.txt')).content).toString()).toBe('two');
    const former = sha256(text('one'));
    expect(await world.store.direct.objects.hasReference('default', former)).toBe(false);
    const same = await update({}, text('two'));
    expect(same.file?.metadata?.resourceVersion).toBe(changed.file?.metadata?.resourceVersion);
    await expect(update({ spec: { path: '/b' } })).rejects.toMatchObject({ violations: [{ field: 'spec.path' }] });
    const stale = { metadata: { resourceVersion: response.file?.metadata?.resourceVersion } };
    await expect(update(stale, text('three'))).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  it('are listed by folder and purpose, and deleted', async () => {
    for (const path of ['/a/1', '/a/2', '/ab/3', '/a']) await made(path);
    await made('/m', 'x', { purpose: FilePurpose.MEMORY });
    const list = async (question: object): Promise<ListFilesResponse> =>
      world.call(method.listFiles, { ns: 'default', ...question } as never);
    const paths = (page: ListFilesResponse) => page.files.map(({ spec }) => spec?.path).sort();
    expect(paths(await list({ pathPrefix: '/a' }))).toEqual(['/a', '/a/1', '/a/2']);
    expect(paths(await list({ pathPrefix: '/a/' }))).toEqual(['/a', '/a/1', '/a/2']);
    expect(paths(await list({ purpose: FilePurpose.MEMORY }))).toEqual(['/m']);
    const first = await list({ pageSize: 3 });
    const second = await list({ pageSize: 3, pageToken: first.nextPageToken });
    expect([first.files.length, second.files.length, second.nextPageToken]).toEqual([3, 2, '']);
    await expect(list({ pageSize: 3, pathPrefix: '/a', pageToken: first.nextPageToken })).rejects.toMatchObject({
      reason: 'PAGE_TOKEN_INVALID',
    });
    await world.call(method.deleteFile, { ns: 'default', name: '/a/1' });
    await expect(readFile('/a/1')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
  });

  describe('uploads', () => {
    const bytes = new Uint8Array(200_000).map((_value, index) => index % 251);

    it('show the bytes once completed, and answer a second completion alike', async () => {
      const prepared = await prepare('/video.mp4', bytes);
      expect(prepared).toMatchObject({
        method: 'PUT',
        file: { status: { phase: 'Pending', pendingUpload: { expectedSizeBytes: 200_000n } } },
      });
      await expect(complete(prepared)).rejects.toMatchObject({
        reason: 'UPLOAD_INVALID',
        metadata: { cause: 'empty' },
      });
      const [first, second] = await Promise.all([put(prepared, bytes), put(prepared, bytes)]);
      expect([first.status, second.status]).toEqual([200, 200]);
      const done = await complete(prepared);
      expect(done.file?.status).toMatchObject({
        phase: 'Ready',
        objectRef: { sizeBytes: 200_000n, sha256: sha256(bytes) },
      });
      expect(done.file?.status?.pendingUpload).toBeUndefined();
      expect(await complete(prepared)).toEqual(done);
      expect((await put(prepared, bytes)).failure).toMatchObject({
        reason: 'UPLOAD_INVALID',
        metadata: { cause: 'unknown' },
      });
    });

    it('refuse wrong bytes, a wrong size and a foreign signature, and stay open', async () => {
      const prepared = await prepare('/a', bytes);
      const other = await prepare('/b', bytes);
      const wrong = bytes.map((value) => value ^ 1);
      const causes = [
        await put(prepared, wrong),
        await put(prepared, bytes.subarray(1)),
        await put(prepared, Buffer.concat([bytes, bytes])),
        await put(prepared, new Uint8Array(0)),
        await put(prepared, bytes, new URL(other.url).search),
        await put(
          prepared,
          bytes,
          `?exp=${Number.MAX_SAFE_INTEGER}&sig=${new URL(prepared.url).searchParams.get('sig')}`,
        ),
      ].map(({ failure }) => (failure as Fault).metadata['cause']);
      expect(causes).toEqual(['hash', 'size', 'size', 'empty', 'signature', 'signature']);
      await expect(complete(prepared)).rejects.toMatchObject({ metadata: { cause: 'empty' } });
      expect((await put(prepared, bytes)).status).toBe(200);
      expect((await complete(prepared)).file?.status?.phase).toBe('Ready');
    });

    it('give nobody bytes by naming their hash', async () => {
      await made('/secret', 'known elsewhere');
      const prepared = await prepare('/mine', text('known elsewhere'));
      await expect(complete(prepared)).rejects.toMatchObject({ metadata: { cause: 'empty' } });
    });

    it('end after 15 minutes: a file without content goes, another keeps its own', async () => {
      await made('/old', 'old');
      const [fresh, replacing] = [await prepare('/new', bytes), await prepare('/old', bytes)];
      await put(fresh, bytes);
      expect((await readFile('/old')).file?.status?.pendingUpload?.id).toBe(replacing.uploadId);
      expect(Buffer.from((await readFile('/old')).content).toString()).toBe('old');
      world.clock.advance(15 * 60_000);
      expect((await put(fresh, bytes)).failure).toMatchObject({ metadata: { cause: 'expired' } });
      await expect(complete(fresh)).rejects.toMatchObject({ metadata: { cause: 'expired' } });
      await world.files.tick();
      await expect(readFile('/new')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
      const kept = await readFile('/old');
      expect([kept.file?.status?.phase, kept.file?.status?.pendingUpload]).toEqual(['Ready', undefined]);
      await expect(complete(replacing, nameOf(kept))).rejects.toMatchObject({ metadata: { cause: 'unknown' } });
      expect(await world.store.direct.objects.hasReference('default', sha256(bytes))).toBe(false);
    });

    it('refuse too many bytes and a malformed hash when announced', async () => {
      await expect(prepare('/a', bytes, { sizeBytes: 300_001n })).rejects.toMatchObject({ reason: 'TOO_LARGE' });
      await expect(prepare('/a', bytes, { sha256: 'x' })).rejects.toMatchObject({ violations: [{ field: 'sha256' }] });
    });
  });

  describe('bytes', () => {
    it('are answered inline up to the limit, else by a link that lives five minutes', async () => {
      const bytes = text('y'.repeat(100_000));
      const prepared = await prepare('/big', bytes);
      await put(prepared, bytes);
      await complete(prepared);
      await expect(readFile('/big', 1)).rejects.toMatchObject({ reason: 'TOO_LARGE' });
      expect((await readFile('/big', 3)).downloadUrl).toBe('');
      const { downloadUrl, expiresAt, content } = await readFile('/big');
      expect([content.length, Number(expiresAt) - world.store.now() <= 300_000_000]).toEqual([0, true]);
      const token = new URL(downloadUrl).pathname.slice('/v1/objects/'.length);
      expect((await visit(world.links.route(), { token })).body.length).toBe(100_000);
      world.clock.advance(301_000);
      expect((await visit(world.links.route(), { token })).failure).toMatchObject({ reason: 'OBJECT_NOT_FOUND' });
    });

    it('are served raw with ranges and the hash as ETag, never to be run', async () => {
      const response = await made('/a b.txt', 'hello world');
      const whole = await download(nameOf(response));
      const etag = `"${sha256(text('hello world'))}"`;
      expect([whole.status, whole.body.toString(), whole.headers['etag']]).toEqual([200, 'hello world', etag]);
      expect(whole.headers).toMatchObject({
        'content-type': 'text/plain',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': "attachment; filename*=UTF-8''a%20b.txt",
      });
      const ranged = async (range: string, more: Record<string, string> = {}) => {
        const { status, body, headers } = await download(nameOf(response), { range, ...more });
        return [status, body.toString(), headers['content-range'] ?? ''];
      };
      expect(await ranged('bytes=0-4')).toEqual([206, 'hello', 'bytes 0-4/11']);
      expect(await ranged('bytes=6-')).toEqual([206, 'world', 'bytes 6-10/11']);
      expect(await ranged('bytes=-3')).toEqual([206, 'rld', 'bytes 8-10/11']);
      expect(await ranged('bytes=2-999')).toEqual([206, 'llo world', 'bytes 2-10/11']);
      expect(await ranged('bytes=11-')).toEqual([416, '', 'bytes */11']);
      expect(await ranged('bytes=0-1,3-4')).toEqual([200, 'hello world', '']);
      expect(await ranged('bytes=0-4', { 'if-range': '"other"' })).toEqual([200, 'hello world', '']);
      expect((await download(nameOf(response), { 'if-none-match': etag })).status).toBe(304);
    });

    it('that are damaged on disk are never shown whole, and the file says so until it gets new ones', async () => {
      const bytes = Buffer.from(Array.from({ length: 150_000 }, (_value, index) => (index * 7) % 253));
      const prepared = await prepare('/a', bytes);
      await put(prepared, bytes);
      const name = nameOf(await complete(prepared));
      damage(sha256(bytes));
      for (const headers of [{}, { range: 'bytes=149990-' }]) {
        const got = await download(name, headers);
        expect([got.isEnded, got.failure]).toMatchObject([false, { code: 'DATA_LOSS', reason: 'OBJECT_DAMAGED' }]);
      }
      const failed = await readFile(name, 3);
      expect(failed.file?.status?.phase).toBe('Failed');
      expect(conditions(failed)).toEqual(
        expect.arrayContaining(['Ready False ObjectDamaged', 'Intact False ObjectDamaged']),
      );
      const again = await prepare('/a', bytes);
      await put(again, bytes);
      expect(conditions(await complete(again))).toContain('Intact True Intact');
      expect((await download(name)).body.length).toBe(150_000);
    });

    it('that damage makes unreadable fail an inline read', async () => {
      const response = await made('/a', 'hello');
      damage(sha256(text('hello')));
      await expect(readFile(nameOf(response))).rejects.toMatchObject({ code: 'DATA_LOSS', reason: 'OBJECT_DAMAGED' });
      expect((await readFile(nameOf(response), 3)).file?.status?.phase).toBe('Failed');
    });

    it('of two namespaces are stored once; deleting one file keeps the other, and keys differ', async () => {
      await world.call(GatewayService.method.createNamespace, { name: 'other' });
      const one = await made('/a', 'shared');
      const two = await made('/b', 'shared', { ns: 'other' });
      expect(await world.blobs.list('', 10)).toEqual([sha256(text('shared'))]);
      expect(one.file?.status?.objectRef?.key).not.toBe(two.file?.status?.objectRef?.key);
      await world.call(method.deleteFile, { ns: 'default', name: nameOf(one) });
      world.clock.advance(3 * DAY_MS);
      expect(await world.collector.tick()).toBe(0);
      expect(Buffer.from((await readFile(nameOf(two), 0, 'other')).content).toString()).toBe('shared');
      await world.call(method.deleteFile, { ns: 'other', name: nameOf(two) });
      expect(await world.collector.tick()).toBe(0);
      world.clock.advance(DAY_MS + 1);
      expect(await world.collector.tick()).toBe(1);
      expect(await world.blobs.list('', 10)).toEqual([]);
    });

    it('that no record ever named go a day after they are noticed', async () => {
      await world.blobs.put(text('left by a crash'));
      await made('/kept', 'kept');
      expect(await world.collector.sweep()).toBe(2);
      world.clock.advance(DAY_MS + 1);
      expect(await world.collector.tick()).toBe(1);
      expect(await world.blobs.list('', 10)).toEqual([sha256(text('kept'))]);
    });
  });

  describe('retention', () => {
    const session = { id: 's1', agent: 'helper' };
    const begin = () =>
      world.store.write((tx) =>
        tx.resources.insert({
          key: { kind: 'Session', namespace: 'default', parent: 'helper', name: 's1' },
          apiVersion: 'svc/v1',
          uid: 'u1',
          generation: 1,
          createdAt: 0,
          labels: {},
          annotations: {},
          owners: [],
          finalizers: [],
          spec: '{}',
          status: '{}',
        }),
      );
    const bySession = (path: string, retention: FileRetention) =>
      world.feature.writes.create(callContext(''), {
        ...{ namespace: 'default', content: text('x'), filename: '', session },
        file: create(FileSchema, { spec: { path, retention } }),
      });

    it('that is not chosen reads back so, with a condition that asks for a choice', async () => {
      const response = await made('/a');
      expect(response.file?.spec?.retention).toBe(FileRetention.UNSPECIFIED);
      expect(conditions(response)).toContain('RetentionSet False RetentionUnset');
      expect(conditions(response)).toContain('Ready True Ready');
      expect(conditions(await made('/b', 'x', { retention: FileRetention.RETAINED }))).toContain(
        'RetentionSet True RetentionSet',
      );
    });

    it('SESSION is refused outside a session and ends with it; RETAINED outlives it', async () => {
      await expect(made('/a', 'x', { retention: FileRetention.SESSION })).rejects.toMatchObject({
        violations: [{ field: 'spec.retention' }],
      });
      const row = await begin();
      await bySession('/mine', FileRetention.SESSION);
      await bySession('/kept', FileRetention.RETAINED);
      await settle();
      expect((await readFile('/mine', 3)).file).toBeDefined();
      await world.store.write((tx) => tx.resources.remove(row.key, row.version));
      world.bus.publish(RESOURCES_CHANGED, { version: Number.MAX_SAFE_INTEGER });
      await settle();
      await expect(readFile('/mine', 3)).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
      world.clock.advance(30 * DAY_MS);
      await settle();
      expect((await readFile('/kept', 3)).file).toBeDefined();
    });

    it('EPHEMERAL ends some days after the last use', async () => {
      await made('/a', 'x', { retention: FileRetention.EPHEMERAL });
      await made('/kept', 'x', { retention: FileRetention.RETAINED });
      world.clock.advance(DAY_MS);
      await readFile('/a');
      world.clock.advance(1.5 * DAY_MS);
      await world.files.tick();
      expect((await readFile('/a', 3)).file).toBeDefined();
      world.clock.advance(0.5 * DAY_MS);
      await world.files.tick();
      await expect(readFile('/a', 3)).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
      expect((await readFile('/kept', 3)).file).toBeDefined();
    });
  });

  describe('text', () => {
    it('of a RETRIEVAL file is found with the knowledge, of a SEARCH file beside it, of others not', async () => {
      const retrieval = await made('/r.md', '# Falcons\n\nnest on cliffs', {
        indexPolicy: FileIndexPolicy.RETRIEVAL,
        mediaType: 'text/markdown',
      });
      await made('/s.md', 'falcons hunt', { indexPolicy: FileIndexPolicy.SEARCH });
      await made('/n.md', 'falcons sleep');
      expect(conditions(retrieval)).toContain('Indexed True Indexed');
      expect(await search('falcons')).toEqual(['/r.md']);
      const beside = await world.store.read((tx) =>
        tx.search.match({ namespaces: workspacePlaces('default'), terms: ['falcons'], limit: 9 }),
      );
      expect(beside.map(({ path }) => path).sort()).toEqual(['/r.md', '/s.md']);
    });

    it('follows new bytes at once and another policy soon', async () => {
      const name = nameOf(await made('/a.md', 'falcon', { indexPolicy: FileIndexPolicy.RETRIEVAL }));
      const update = (file: object, content?: string): Promise<FileResponse> =>
        world.call(method.updateFile, {
          ns: 'default',
          name,
          file,
          ...(content === undefined ? {} : { content: text(content) }),
        } as never);
      await update({}, 'heron');
      expect([await search('falcon'), await search('heron')]).toEqual([[], ['/a.md']]);
      await update({ spec: { indexPolicy: FileIndexPolicy.NONE } });
      expect(await search('heron')).toEqual([]);
      const asked = await update({ spec: { indexPolicy: FileIndexPolicy.RETRIEVAL } });
      expect(conditions(asked)).toContain('Indexed Unknown Indexing');
      await world.files.tick();
      expect(await search('heron')).toEqual(['/a.md']);
      expect(conditions(await readFile(name))).toContain('Indexed True Indexed');
      await world.call(method.deleteFile, { ns: 'default', name });
      expect(await search('heron')).toEqual([]);
    });

    it('of HTML is what a reader sees; other types are found by their path only', async () => {
      await made('/page.html', '<h1>Owls</h1><script>var hidden</script><p>see &amp; hear at <b>night</b></p>', {
        indexPolicy: FileIndexPolicy.RETRIEVAL,
        mediaType: 'text/html',
      });
      const image = await made('/heron.png', 'nothing', {
        indexPolicy: FileIndexPolicy.RETRIEVAL,
        mediaType: 'image/png',
      });
      expect([await search('night'), await search('hidden'), await search('heron')]).toEqual([
        ['/page.html'],
        [],
        ['/heron.png'],
      ]);
      expect(conditions(image)).toContain('Indexed False UnsupportedMediaType');
    });

    it('of an upload is found in the moment it is completed', async () => {
      const bytes = text('kingfisher '.repeat(5_000));
      const file = { spec: { path: '/k.txt', mediaType: 'text/plain', indexPolicy: FileIndexPolicy.RETRIEVAL } };
      const prepared = await prepare('/k.txt', bytes, { file });
      await put(prepared, bytes);
      expect(await search('kingfisher')).toEqual([]);
      await complete(prepared);
      expect(await search('kingfisher')).toEqual(['/k.txt']);
    });
  });
});

it('files of a namespace stay within its budget', async () => {
  const world = await openWorld({ namespaceBytes: 10 });
  const make = (path: string, content: string): Promise<FileResponse> =>
    world.call(method.createFile, { ns: 'default', file: { spec: { path } }, content: text(content) } as never);
  const name = (await make('/a', '12345678')).file?.metadata?.name ?? '';
  const full = { code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_QUOTA' };
  await expect(make('/b', '123')).rejects.toMatchObject(full);
  await expect(make('/b', '12345678')).rejects.toMatchObject(full);
  const prepared = { ns: 'default', file: { spec: { path: '/b' } }, sizeBytes: 3n, sha256: 'a'.repeat(64) };
  await expect(world.call(method.prepareUpload, prepared)).rejects.toMatchObject(full);
  await make('/b', '12');
  await world.call(method.updateFile, { ns: 'default', name, content: text('1') } as never);
  await make('/c', '1234567');
  world.loop.close();
  await world.close();
});
