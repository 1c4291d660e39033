import { create } from '@bufbuild/protobuf';
import { type FileResponse, FileService, type ListFilesResponse } from '@svc/api/gateway';
import { FileIndexPolicy, FilePurpose, FileRetention, FileSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESOURCES_CHANGED } from '../../../controllers/index.ts';
import { callContext } from '../../testing/index.ts';
import { DAY_MS, type FileWorld, openFileWorld, sha256, text } from './testing/file-world.ts';
import { pdfDocument } from './testing/pdf-document.ts';

const { method } = FileService;
const pick = (metadata: { readonly name: string; readonly uid: string } | undefined) => ({
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
});

describe('files', () => {
  let world: FileWorld;

  beforeEach(async () => {
    world = await openFileWorld();
  });
  afterEach(async () => {
    await world.shut();
  });

  it('are created with a name derived from the path, ready to be read', async () => {
    const response = await world.made('/Notes/Über uns.md');
    expect(world.nameOf(response)).toMatch(/^notes-ber-uns-md-[0-9a-f]{12}$/);
    expect(response.file?.spec).toMatchObject({ purpose: FilePurpose.ARTIFACT, indexPolicy: FileIndexPolicy.NONE });
    expect(response.file?.status).toMatchObject({
      phase: 'Ready',
      objectRef: { sha256: sha256(text('hello')), sizeBytes: 5n, filename: 'Über uns.md' },
    });
    expect(response.file?.metadata?.annotations).toEqual({});
    expect(Buffer.from((await world.readFile(world.nameOf(response))).content).toString()).toBe('hello');
    expect(Buffer.from((await world.readFile('/Notes/Über uns.md')).content).toString()).toBe('hello');
    await expect(world.made('/Notes/Über uns.md')).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'PATH_TAKEN',
    });
  });

  it('take owners and finalizers, at their creation, in an update and with an upload', async () => {
    const owner = (await world.made('/owner')).file?.metadata;
    const ownerReferences = [{ apiVersion: 'svc/v1', kind: 'File', namespace: 'default', ...pick(owner) }];
    const file = { metadata: { ownerReferences, finalizers: ['test/hold'] }, spec: { path: '/owned' } };
    const made: FileResponse = await world.call(method.createFile, { ns: 'default', file });
    expect(made.file?.metadata).toMatchObject({ ownerReferences: [pick(owner)], finalizers: ['test/hold'] });
    const name = made.file?.metadata?.name ?? '';
    const kept: FileResponse = await world.call(method.updateFile, { ns: 'default', name, file: { spec: {} } });
    expect(kept.file?.metadata?.finalizers).toEqual(['test/hold']);
    const changed = { metadata: { finalizers: ['test/other'] } };
    const updated: FileResponse = await world.call(method.updateFile, { ns: 'default', name, file: changed });
    expect(updated.file?.metadata).toMatchObject({ ownerReferences: [pick(owner)], finalizers: ['test/other'] });
    const metadata = { finalizers: ['test/third'] };
    const prepared = await world.prepare('/owned', text('bytes'), { file: { metadata, spec: { path: '/owned' } } });
    expect(prepared.file?.metadata?.finalizers).toEqual(['test/other']);
    await world.put(prepared, text('bytes'));
    expect((await world.complete(prepared)).file?.metadata).toMatchObject({
      ...metadata,
      ownerReferences: [pick(owner)],
    });
    const fresh = await world.prepare('/fresh', text('bytes'), { file: { metadata, spec: { path: '/fresh' } } });
    expect(fresh.file?.metadata?.finalizers).toEqual(['test/third']);
  });

  it('refuse paths that leave their folder, other names, and content over the limit', async () => {
    for (const path of ['', '/', 'a', '/a/', '/a//b', '/a/../b', '/./a', '/a\\b', '/a\nb', `/${'a'.repeat(1_024)}`])
      await expect(world.made(path)).rejects.toMatchObject({
        violations: [{ field: 'spec.path', reason: 'FILE_PATH' }],
      });
    const named = { ns: 'default', file: { metadata: { name: 'mine' }, spec: { path: '/a' } } };
    await expect(world.call(method.createFile, named)).rejects.toMatchObject({
      violations: [{ field: 'metadata.name' }],
    });
    await expect(world.made('/big', 'x'.repeat(64 * 1024 + 1))).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
    });
  });

  it('name every fault of a request at once, and store no byte of it', async () => {
    const file = {
      metadata: { labels: { 'svc/x': '1' }, annotations: { 'option.svc/none': '1' } },
      spec: { path: 'a', mediaType: 'x', retention: FileRetention.SESSION },
    };
    const expected = [
      'spec.path',
      'spec.mediaType',
      'spec.retention',
      'filename',
      'metadata.labels[svc/x]',
      'metadata.annotations[option.svc/none]',
    ];
    const content = text('never stored');
    const faultsOf = (work: Promise<unknown>): Promise<readonly string[]> =>
      work.then(
        () => [],
        (error: { violations: readonly { field: string }[] }) => error.violations.map(({ field }) => field),
      );
    const create = { ns: 'default', file, content, filename: 'a/b' };
    expect(await faultsOf(world.call(method.createFile, create as never))).toEqual(expected);
    const prepare = { ns: 'default', file, filename: '..', sizeBytes: 1n, sha256: 'x' };
    expect(await faultsOf(world.call(method.prepareUpload, prepare as never))).toEqual(['sha256', ...expected]);
    const { retention: _, ...spec } = file.spec;
    const update = { ...create, file: { ...file, spec }, name: world.nameOf(await world.made('/a')) };
    expect(await faultsOf(world.call(method.updateFile, update as never))).toEqual(
      expected.filter((field) => field !== 'spec.retention'),
    );
    expect(await world.blobs.stat(sha256(content))).toBeUndefined();
  });

  it('have paths of up to 1,024 characters, with the end of the path as their name', async () => {
    const path = `/${'\u{1f600}'.repeat(1_023)}`;
    expect((await world.made(path)).file?.status?.objectRef?.filename).toBe(path.slice(1));
    await expect(world.made(`${path}x`)).rejects.toMatchObject({ violations: [{ field: 'spec.path' }] });
  });

  it('take another name and another type while their bytes stay', async () => {
    const name = world.nameOf(await world.made('/a.txt'));
    const changed = (await world.call(method.updateFile, {
      ...{ ns: 'default', name, filename: 'b.md', file: { spec: { mediaType: 'text/markdown' } } },
    } as never)) as FileResponse;
    const shown = { filename: 'b.md', mediaType: 'text/markdown', sha256: sha256(text('hello')) };
    expect(changed.file?.status?.objectRef).toMatchObject(shown);
    expect((await world.download(name)).headers).toMatchObject({
      'content-type': 'text/markdown',
      'content-disposition': "attachment; filename*=UTF-8''b.md",
    });
  });

  it('replace only what an update gives, never the path', async () => {
    const response = await world.made('/a.txt', 'one', { retention: FileRetention.RETAINED });
    const update = (file: object, content?: Uint8Array): Promise<FileResponse> =>
      world.call(method.updateFile, {
        ns: 'default',
        name: world.nameOf(response),
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
    expect(Buffer.from((await world.readFile('/a.txt')).content).toString()).toBe('two');
    const former = sha256(text('one'));
    expect(await world.store.direct.objects.hasReference('default', former)).toBe(false);
    const same = await update({}, text('two'));
    expect(same.file?.metadata?.resourceVersion).toBe(changed.file?.metadata?.resourceVersion);
    await expect(update({ spec: { path: '/b' } })).rejects.toMatchObject({ violations: [{ field: 'spec.path' }] });
    const stale = { metadata: { resourceVersion: response.file?.metadata?.resourceVersion } };
    await expect(update(stale, text('three'))).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  it('are listed by folder and purpose, and deleted', async () => {
    for (const path of ['/a/1', '/a/2', '/ab/3', '/a']) await world.made(path);
    await world.made('/m', 'x', { purpose: FilePurpose.MEMORY });
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
    await expect(world.readFile('/a/1')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
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
      const response = await world.made('/a');
      expect(response.file?.spec?.retention).toBe(FileRetention.UNSPECIFIED);
      expect(world.conditions(response)).toContain('RetentionSet False RetentionUnset');
      expect(world.conditions(response)).toContain('Ready True Ready');
      expect(world.conditions(await world.made('/b', 'x', { retention: FileRetention.RETAINED }))).toContain(
        'RetentionSet True RetentionSet',
      );
    });

    it('SESSION is refused outside a session and ends with it; RETAINED outlives it', async () => {
      await expect(world.made('/a', 'x', { retention: FileRetention.SESSION })).rejects.toMatchObject({
        violations: [{ field: 'spec.retention' }],
      });
      const row = await begin();
      await bySession('/mine', FileRetention.SESSION);
      await bySession('/kept', FileRetention.RETAINED);
      await world.settle();
      expect((await world.readFile('/mine', 3)).file).toBeDefined();
      await world.store.write((tx) => tx.resources.remove(row.key, row.version));
      world.bus.publish(RESOURCES_CHANGED, { version: Number.MAX_SAFE_INTEGER });
      await world.settle();
      await expect(world.readFile('/mine', 3)).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
      world.clock.advance(30 * DAY_MS);
      await world.settle();
      expect((await world.readFile('/kept', 3)).file).toBeDefined();
    });

    it('EPHEMERAL ends some days after the last use', async () => {
      await world.made('/a', 'x', { retention: FileRetention.EPHEMERAL });
      await world.made('/kept', 'x', { retention: FileRetention.RETAINED });
      world.clock.advance(DAY_MS);
      await world.readFile('/a');
      world.clock.advance(1.5 * DAY_MS);
      await world.files.tick();
      expect((await world.readFile('/a', 3)).file).toBeDefined();
      world.clock.advance(0.5 * DAY_MS);
      await world.files.tick();
      await expect(world.readFile('/a', 3)).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
      expect((await world.readFile('/kept', 3)).file).toBeDefined();
    });
  });

  describe('text', () => {
    it('of a RETRIEVAL file is found with the knowledge, of a SEARCH file beside it, of others not', async () => {
      const retrieval = await world.made('/r.md', '# Falcons\n\nnest on cliffs', {
        indexPolicy: FileIndexPolicy.RETRIEVAL,
        mediaType: 'text/markdown',
      });
      await world.made('/s.md', 'falcons hunt', { indexPolicy: FileIndexPolicy.SEARCH });
      await world.made('/n.md', 'falcons sleep');
      expect(world.conditions(retrieval)).toContain('Indexed True Indexed');
      expect(await world.search('falcons')).toEqual(['/r.md']);
      const beside = await world.store.read((tx) =>
        tx.search.match({ namespaces: ['default', '~default'], terms: ['falcons'], limit: 9 }),
      );
      expect(beside.map(({ path }) => path).sort()).toEqual(['/r.md', '/s.md']);
    });

    it('follows new bytes at once and another policy soon', async () => {
      const name = world.nameOf(await world.made('/a.md', 'falcon', { indexPolicy: FileIndexPolicy.RETRIEVAL }));
      const update = (file: object, content?: string): Promise<FileResponse> =>
        world.call(method.updateFile, {
          ns: 'default',
          name,
          file,
          ...(content === undefined ? {} : { content: text(content) }),
        } as never);
      await update({}, 'heron');
      expect([await world.search('falcon'), await world.search('heron')]).toEqual([[], ['/a.md']]);
      await update({ spec: { indexPolicy: FileIndexPolicy.NONE } });
      expect(await world.search('heron')).toEqual([]);
      const asked = await update({ spec: { indexPolicy: FileIndexPolicy.RETRIEVAL } });
      expect(world.conditions(asked)).toContain('Indexed Unknown Indexing');
      await world.files.tick();
      expect(await world.search('heron')).toEqual(['/a.md']);
      expect(world.conditions(await world.readFile(name))).toContain('Indexed True Indexed');
      await world.call(method.deleteFile, { ns: 'default', name });
      expect(await world.search('heron')).toEqual([]);
    });

    it('of HTML is what a reader sees; other types are found by their path only', async () => {
      await world.made('/page.html', '<h1>Owls</h1><script>var hidden</script><p>see &amp; hear at <b>night</b></p>', {
        indexPolicy: FileIndexPolicy.RETRIEVAL,
        mediaType: 'text/html',
      });
      const image = await world.made('/heron.png', 'nothing', {
        indexPolicy: FileIndexPolicy.RETRIEVAL,
        mediaType: 'image/png',
      });
      expect([await world.search('night'), await world.search('hidden'), await world.search('heron')]).toEqual([
        ['/page.html'],
        [],
        ['/heron.png'],
      ]);
      expect(world.conditions(image)).toContain('Indexed False UnsupportedMediaType');
    });

    it('of PDFs is found as they are stored, replaced, uploaded, or asked to be found later', async () => {
      const pdf = { mediaType: 'application/pdf', indexPolicy: FileIndexPolicy.RETRIEVAL };
      const ascii = (line: string): string => new TextDecoder().decode(pdfDocument(line));
      const first = await world.made('/a.pdf', ascii('the bittern'), pdf);
      expect(world.conditions(first)).toContain('Indexed True Indexed');
      expect(await world.search('bittern')).toEqual(['/a.pdf']);
      const replaced = { ns: 'default', name: world.nameOf(first), content: pdfDocument('the dipper') };
      await world.call(method.updateFile, replaced as never);
      expect([await world.search('bittern'), await world.search('dipper')]).toEqual([[], ['/a.pdf']]);
      const bytes = pdfDocument('the avocet');
      const prepared = await world.prepare('/b.pdf', bytes, { file: { spec: { path: '/b.pdf', ...pdf } } });
      await world.put(prepared, bytes);
      await world.complete(prepared);
      expect(await world.search('avocet')).toEqual(['/b.pdf']);
      const hidden = await world.made('/c.pdf', ascii('the curlew'), { mediaType: 'application/pdf' });
      const file = { spec: { indexPolicy: FileIndexPolicy.RETRIEVAL } };
      await world.call(method.updateFile, { ns: 'default', name: world.nameOf(hidden), file } as never);
      await world.files.tick();
      expect(await world.search('curlew')).toEqual(['/c.pdf']);
    });

    it('that cannot be read is missing with a condition that says so, until there are other bytes', async () => {
      const pdf = { mediaType: 'application/pdf', indexPolicy: FileIndexPolicy.RETRIEVAL };
      const broken = await world.made('/broken.pdf', 'no document', pdf);
      expect(world.conditions(broken)).toContain('Indexed False Unreadable');
      expect([await world.search('document'), await world.search('broken')]).toEqual([[], ['/broken.pdf']]);
      const name = world.nameOf(broken);
      const whole = { ns: 'default', name, content: pdfDocument('a document') };
      const mended = (await world.call(method.updateFile, whole as never)) as FileResponse;
      expect(world.conditions(mended)).toContain('Indexed True Indexed');
      const later = await world.made('/later.pdf', 'no document either', { mediaType: 'application/pdf' });
      const found = { spec: { indexPolicy: FileIndexPolicy.RETRIEVAL } };
      await world.call(method.updateFile, { ns: 'default', name: world.nameOf(later), file: found } as never);
      await world.files.tick();
      expect(world.conditions(await world.readFile(world.nameOf(later)))).toContain('Indexed False Unreadable');
    });

    it('of an upload is found in the moment it is completed', async () => {
      const bytes = text('kingfisher '.repeat(5_000));
      const file = { spec: { path: '/k.txt', mediaType: 'text/plain', indexPolicy: FileIndexPolicy.RETRIEVAL } };
      const prepared = await world.prepare('/k.txt', bytes, { file });
      await world.put(prepared, bytes);
      expect(await world.search('kingfisher')).toEqual([]);
      await world.complete(prepared);
      expect(await world.search('kingfisher')).toEqual(['/k.txt']);
    });
  });
});

it('files of a namespace stay within its budget', async () => {
  const world = await openFileWorld({ namespaceBytes: 10 });
  const make = (path: string, content: string): Promise<FileResponse> =>
    world.call(method.createFile, { ns: 'default', file: { spec: { path } }, content: text(content) } as never);
  const name = (await make('/a', '12345678')).file?.metadata?.name ?? '';
  const full = { code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_QUOTA' };
  await expect(make('/b', '123')).rejects.toMatchObject(full);
  await expect(make('/b', '12345678')).rejects.toMatchObject(full);
  const prepared = { ns: 'default', file: { spec: { path: '/b' } }, sizeBytes: 3n, sha256: 'a'.repeat(64) };
  await expect(world.call(method.prepareUpload, prepared)).rejects.toMatchObject(full);
  await make('/b', '12');
  const sameSize = { ns: 'default', file: { spec: { path: '/a' } }, sizeBytes: 8n, sha256: 'a'.repeat(64) };
  await world.call(method.prepareUpload, sameSize);
  await world.call(method.updateFile, { ns: 'default', name, content: text('1') } as never);
  await make('/c', '1234567');
  await world.shut();
});
