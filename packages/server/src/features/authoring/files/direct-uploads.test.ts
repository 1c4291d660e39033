import { FileService, type PrepareUploadResponse } from '@svc/api/gateway';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { S3Server } from '../../../store/blobs/s3/testing/s3-server.ts';
import type { DirectUploads } from '../../../store/contracts/index.ts';
import { type FileWorld, openFileWorld, sha256, text } from './testing/file-world.ts';
import { type ObjectPlaces, openBucketPlaces } from './testing/world-objects.ts';

const bytes = new Uint8Array(200_000).map((_value, index) => index % 251);
const MINUTE_MS = 60_000;

describe('uploads into a bucket', () => {
  let places: ObjectPlaces & { readonly server: S3Server };
  let world: FileWorld;
  /** The uploads of the bucket; tests lay their own over them. */
  let real: DirectUploads;
  let laid: Partial<DirectUploads>;

  beforeAll(async () => {
    places = await openBucketPlaces();
  });
  afterAll(() => places.close());
  beforeEach(async () => {
    laid = {};
    world = await openFileWorld({}, (around) => {
      const opened = places.open(around);
      if (opened.direct === undefined) throw new Error('a bucket takes uploads');
      real = opened.direct;
      const direct: DirectUploads = {
        link: (upload) => real.link(upload),
        accept: (upload) => (laid.accept ?? real.accept.bind(real))(upload),
        discard: (upload) => (laid.discard ?? real.discard.bind(real))(upload),
        collect: (before) => real.collect(before),
      };
      return { ...opened, direct };
    });
  });
  afterEach(() => world.shut());

  const causeOf = async (prepared: PrepareUploadResponse): Promise<string> => {
    const failure = await world.complete(prepared).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'UPLOAD_INVALID' });
    return (failure as { metadata: Record<string, string> }).metadata['cause'] ?? '';
  };
  /** How much still lies where the clients of this world send it. */
  const lying = async ({ url }: PrepareUploadResponse): Promise<number> => {
    const [folder = ''] = /[^/]+\/uploads\//.exec(url) ?? [];
    return (await places.server.keys(folder)).length;
  };

  it('go to the bucket itself, are shown once completed, and answer a second completion alike', async () => {
    const prepared = await world.prepare('/video.mp4', bytes);
    expect(prepared.url.startsWith(`${places.server.endpoint}/svc/`)).toBe(true);
    expect(prepared.headers).toEqual({ 'x-amz-checksum-sha256': Buffer.from(sha256(bytes), 'hex').toString('base64') });
    expect(prepared.file?.status).toMatchObject({ phase: 'Pending', pendingUpload: { expectedSizeBytes: 200_000n } });
    expect(await causeOf(prepared)).toBe('empty');
    const sent = await Promise.all([world.put(prepared, bytes), world.put(prepared, bytes)]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    const [one, two] = await Promise.all([world.complete(prepared), world.complete(prepared)]);
    expect(one.file?.status).toMatchObject({
      phase: 'Ready',
      objectRef: { sizeBytes: 200_000n, sha256: sha256(bytes) },
    });
    expect(two.file).toEqual(one.file);
    expect(await world.complete(prepared)).toEqual(one);
    expect(await lying(prepared)).toBe(0);
    expect(Buffer.compare((await world.download(world.nameOf(one))).body, bytes)).toBe(0);
  });

  it('refuse wrong bytes and stay open for the right ones', async () => {
    const prepared = await world.prepare('/a', bytes);
    await world.put(
      prepared,
      bytes.map((value) => value ^ 1),
    );
    expect(await causeOf(prepared)).toBe('hash');
    expect((await world.put(prepared, bytes.subarray(1))).status).toBe(403);
    const url = prepared.url.replace(/Signature=(.)/, (_, digit) => `Signature=${digit === '0' ? '1' : '0'}`);
    expect((await world.put({ ...prepared, url }, bytes)).status).toBe(403);
    expect((await world.readFile('/a', 3)).file?.status?.phase).toBe('Pending');
    expect((await world.put(prepared, bytes)).status).toBe(200);
    expect((await world.complete(prepared)).file?.status?.phase).toBe('Ready');
  });

  it('give nobody bytes by naming their hash, nor by the link of another upload', async () => {
    await world.made('/secret', 'known elsewhere');
    const known = text('known elsewhere');
    const [mine, other] = [await world.prepare('/mine', known), await world.prepare('/other', known)];
    expect(await causeOf(mine)).toBe('empty');
    await world.put(other, known);
    expect(await causeOf(mine)).toBe('empty');
  });

  it('end after 15 minutes, and what was sent by then goes', async () => {
    const [fresh, left] = [await world.prepare('/new', bytes), await world.prepare('/left', bytes)];
    await world.put(fresh, bytes);
    world.clock.advance(5 * MINUTE_MS);
    const replacing = await world.prepare('/left', bytes);
    for (const upload of [left, replacing]) await world.put(upload, bytes);
    expect(await causeOf(left)).toBe('unknown');
    world.clock.advance(10 * MINUTE_MS);
    expect(await causeOf(fresh)).toBe('expired');
    await world.files.tick();
    await expect(world.readFile('/new')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
    expect(await real.collect(world.store.now() + 1)).toBe(2);
    expect((await world.complete(replacing)).file?.status?.phase).toBe('Ready');
    expect(await lying(left)).toBe(0);
  });

  it('are found by a text search once completed', async () => {
    const content = text('a needle in the bucket');
    const spec = { path: '/n.txt', mediaType: 'text/plain', indexPolicy: 3 };
    const prepared = await world.prepare('/n.txt', content, { file: { spec } });
    await world.put(prepared, content);
    await world.complete(prepared);
    expect(await world.search('needle')).toEqual(['/n.txt']);
  });

  it('wait out an outage: nothing is lost, nothing is called damaged, and the same completion works afterwards', async () => {
    const kept = await world.made('/kept', 'kept');
    const prepared = await world.prepare('/a', bytes);
    await world.put(prepared, bytes);
    await places.server.stop();
    const unavailable = { code: 'UNAVAILABLE', reason: 'STORAGE' };
    await expect(world.complete(prepared)).rejects.toMatchObject(unavailable);
    await expect(world.made('/new', 'new')).rejects.toMatchObject(unavailable);
    expect((await world.download(world.nameOf(kept))).failure).toMatchObject(unavailable);
    expect((await world.readFile('/kept', 3)).file?.status?.phase).toBe('Ready');
    await places.server.start();
    expect((await world.complete(prepared)).file?.status?.phase).toBe('Ready');
    expect((await world.download(world.nameOf(kept))).body.toString()).toBe('kept');
    await expect(world.readFile('/new')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
  });

  describe('completions', () => {
    const sent = async (): Promise<PrepareUploadResponse> => {
      const prepared = await world.prepare('/a', bytes);
      await world.put(prepared, bytes);
      return prepared;
    };
    const unavailable = async (): Promise<never> => {
      throw new Error('the service is gone');
    };

    it('that were cut off after the bytes were stored can be repeated', async () => {
      const prepared = await sent();
      laid.discard = unavailable;
      await expect(world.complete(prepared)).rejects.toThrow('the service is gone');
      laid.accept = unavailable;
      expect((await world.complete(prepared)).file?.status?.phase).toBe('Ready');
      laid = {};
      expect(await lying(prepared)).toBe(1);
      expect(await real.collect(Number.MAX_SAFE_INTEGER)).toBe(1);
    });

    it('that another one overtakes answer as it did, before and after they looked at the bytes', async () => {
      for (const isEarly of [true, false]) {
        const prepared = await sent();
        let first: unknown;
        laid.accept = async (upload) => {
          laid = {};
          const early = isEarly ? undefined : await real.accept(upload);
          first = await world.complete(prepared);
          return early ?? real.accept(upload);
        };
        expect(await world.complete(prepared)).toEqual(first);
      }
    });

    it('that another one is about to finish go on with the bytes it took', async () => {
      const prepared = await sent();
      let isFirst = true;
      laid.accept = async (upload) => {
        if (!isFirst) return real.accept(upload);
        isFirst = false;
        laid.discard = async (taken) => {
          await real.discard(taken);
          throw new Error('cut off');
        };
        await expect(world.complete(prepared)).rejects.toThrow('cut off');
        return real.accept(upload);
      };
      expect((await world.complete(prepared)).file?.status?.phase).toBe('Ready');
    });

    it('of a file that is deleted meanwhile are refused, and the bytes are nobody’s', async () => {
      const prepared = await sent();
      laid.accept = async (upload) => {
        await world.call(FileService.method.deleteFile, { ns: 'default', name: world.nameOf(prepared) });
        return real.accept(upload);
      };
      expect(await causeOf(prepared)).toBe('unknown');
      expect(await world.store.direct.objects.hasReference('default', sha256(bytes))).toBe(false);
      expect(await world.collector.sweep()).toBe(1);
      world.clock.advance(25 * 60 * MINUTE_MS);
      expect(await world.collector.tick()).toBe(1);
      expect(await world.blobs.list('', 10)).toEqual([]);
    });
  });
});
