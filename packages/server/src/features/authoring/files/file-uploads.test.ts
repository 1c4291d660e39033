import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../base/index.ts';
import { type FileWorld, openFileWorld, sha256, text } from './testing/file-world.ts';

describe('files', () => {
  let world: FileWorld;

  beforeEach(async () => {
    world = await openFileWorld();
  });
  afterEach(async () => {
    await world.shut();
  });

  describe('uploads', () => {
    const bytes = new Uint8Array(200_000).map((_value, index) => index % 251);

    it('show the bytes once completed, and answer a second completion alike', async () => {
      const prepared = await world.prepare('/video.mp4', bytes);
      expect(prepared).toMatchObject({
        method: 'PUT',
        file: { status: { phase: 'Pending', pendingUpload: { expectedSizeBytes: 200_000n } } },
      });
      await expect(world.complete(prepared)).rejects.toMatchObject({
        reason: 'UPLOAD_INVALID',
        metadata: { cause: 'empty' },
      });
      const [first, second] = await Promise.all([world.put(prepared, bytes), world.put(prepared, bytes)]);
      expect([first.status, second.status]).toEqual([200, 200]);
      const done = await world.complete(prepared);
      expect(done.file?.status).toMatchObject({
        phase: 'Ready',
        objectRef: { sizeBytes: 200_000n, sha256: sha256(bytes) },
      });
      expect(done.file?.status?.pendingUpload).toBeUndefined();
      expect(await world.complete(prepared)).toEqual(done);
      expect((await world.put(prepared, bytes)).failure).toMatchObject({
        reason: 'UPLOAD_INVALID',
        metadata: { cause: 'unknown' },
      });
    });

    it('announce their hash in digits of either case', async () => {
      const prepared = await world.prepare('/a', bytes, { sha256: sha256(bytes).toUpperCase() });
      expect(prepared.file?.status?.pendingUpload?.expectedSha256).toBe(sha256(bytes));
      expect((await world.put(prepared, bytes)).status).toBe(200);
      expect((await world.complete(prepared)).file?.status?.phase).toBe('Ready');
    });

    it('change labels, annotations and spec of a stored file together with its bytes', async () => {
      await world.made('/a.txt', 'old');
      const file = {
        metadata: { labels: { a: 'b' }, annotations: { note: 'c' } },
        spec: { path: '/a.txt', mediaType: 'text/csv' },
      };
      const prepared = await world.prepare('/a.txt', bytes, { file });
      expect(prepared.file).toMatchObject({ metadata: { labels: {} }, spec: { mediaType: 'text/plain' } });
      await world.put(prepared, bytes);
      const done = await world.complete(prepared);
      expect(done.file).toMatchObject({ metadata: file.metadata, spec: { mediaType: 'text/csv' } });
      const silent = await world.prepare('/a.txt', text('new'));
      await world.put(silent, text('new'));
      expect((await world.complete(silent)).file?.metadata).toMatchObject(file.metadata);
    });

    it('refuse wrong bytes, a wrong size and a foreign signature, and stay open', async () => {
      const prepared = await world.prepare('/a', bytes);
      const other = await world.prepare('/b', bytes);
      const wrong = bytes.map((value) => value ^ 1);
      const causes = [
        await world.put(prepared, wrong),
        await world.put(prepared, bytes.subarray(1)),
        await world.put(prepared, Buffer.concat([bytes, bytes])),
        await world.put(prepared, new Uint8Array(0)),
        await world.put(prepared, bytes, new URL(other.url).search),
        await world.put(
          prepared,
          bytes,
          `?exp=${Number.MAX_SAFE_INTEGER}&sig=${new URL(prepared.url).searchParams.get('sig')}`,
        ),
      ].map(({ failure }) => (failure as Fault).metadata['cause']);
      expect(causes).toEqual(['hash', 'size', 'size', 'empty', 'signature', 'signature']);
      await expect(world.complete(prepared)).rejects.toMatchObject({ metadata: { cause: 'empty' } });
      expect((await world.put(prepared, bytes)).status).toBe(200);
      expect((await world.complete(prepared)).file?.status?.phase).toBe('Ready');
    });

    it('give nobody bytes by naming their hash', async () => {
      await world.made('/secret', 'known elsewhere');
      const prepared = await world.prepare('/mine', text('known elsewhere'));
      await expect(world.complete(prepared)).rejects.toMatchObject({ metadata: { cause: 'empty' } });
    });

    it('end after 15 minutes: a file without content goes, another keeps its own', async () => {
      await world.made('/old', 'old');
      const [fresh, replacing] = [await world.prepare('/new', bytes), await world.prepare('/old', bytes)];
      await world.put(fresh, bytes);
      expect((await world.readFile('/old')).file?.status?.pendingUpload?.id).toBe(replacing.uploadId);
      expect(Buffer.from((await world.readFile('/old')).content).toString()).toBe('old');
      world.clock.advance(15 * 60_000);
      expect((await world.put(fresh, bytes)).failure).toMatchObject({ metadata: { cause: 'expired' } });
      await expect(world.complete(fresh)).rejects.toMatchObject({ metadata: { cause: 'expired' } });
      await world.files.tick();
      await expect(world.readFile('/new')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
      const kept = await world.readFile('/old');
      expect([kept.file?.status?.phase, kept.file?.status?.pendingUpload]).toEqual(['Ready', undefined]);
      await expect(world.complete(replacing, world.nameOf(kept))).rejects.toMatchObject({
        metadata: { cause: 'unknown' },
      });
      expect(await world.store.direct.objects.hasReference('default', sha256(bytes))).toBe(false);
    });

    it('refuse too many bytes and a malformed hash when announced', async () => {
      await expect(world.prepare('/a', bytes, { sizeBytes: 300_001n })).rejects.toMatchObject({ reason: 'TOO_LARGE' });
      await expect(world.prepare('/a', bytes, { sha256: 'x' })).rejects.toMatchObject({
        violations: [{ field: 'sha256' }],
      });
    });
  });
});
