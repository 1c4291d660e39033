import { FileService, GatewayService } from '@svc/api/gateway';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, type FileWorld, openFileWorld, sha256, text, visit } from './testing/file-world.ts';
import { OBJECT_ENGINES, type ObjectPlaces } from './testing/world-objects.ts';

const { method } = FileService;

describe.each(OBJECT_ENGINES)('bytes %s', (_engine, openPlaces) => {
  let places: ObjectPlaces;
  let world: FileWorld;

  beforeAll(async () => {
    places = await openPlaces();
  });
  afterAll(() => places.close());
  beforeEach(async () => {
    world = await openFileWorld({}, places.open);
  });
  afterEach(async () => {
    await world.shut();
  });

  it('are answered inline up to the limit, else by a link that lives five minutes', async () => {
    const bytes = text('y'.repeat(100_000));
    const prepared = await world.prepare('/big', bytes);
    await world.put(prepared, bytes);
    await world.complete(prepared);
    await expect(world.readFile('/big', 1)).rejects.toMatchObject({ reason: 'TOO_LARGE' });
    expect((await world.readFile('/big', 3)).downloadUrl).toBe('');
    const { downloadUrl, expiresAt, content } = await world.readFile('/big');
    expect([content.length, Number(expiresAt) - world.store.now() <= 300_000_000]).toEqual([0, true]);
    const token = new URL(downloadUrl).pathname.slice('/v1/objects/'.length);
    expect((await visit(world.links.route(), { token })).body.length).toBe(100_000);
    world.clock.advance(301_000);
    expect((await visit(world.links.route(), { token })).failure).toMatchObject({ reason: 'OBJECT_NOT_FOUND' });
  });

  it('are served raw with ranges and the hash as ETag, never to be run', async () => {
    const response = await world.made('/a b.txt', 'hello world');
    const whole = await world.download(world.nameOf(response));
    const etag = `"${sha256(text('hello world'))}"`;
    expect([whole.status, whole.body.toString(), whole.headers['etag']]).toEqual([200, 'hello world', etag]);
    expect(whole.headers).toMatchObject({
      'content-type': 'text/plain',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': "attachment; filename*=UTF-8''a%20b.txt",
    });
    const ranged = async (range: string, more: Record<string, string> = {}) => {
      const { status, body, headers } = await world.download(world.nameOf(response), { range, ...more });
      return [status, body.toString(), headers['content-range'] ?? ''];
    };
    expect(await ranged('bytes=0-4')).toEqual([206, 'hello', 'bytes 0-4/11']);
    expect(await ranged('bytes=6-')).toEqual([206, 'world', 'bytes 6-10/11']);
    expect(await ranged('bytes=-3')).toEqual([206, 'rld', 'bytes 8-10/11']);
    expect(await ranged('bytes=2-999')).toEqual([206, 'llo world', 'bytes 2-10/11']);
    const behind = await world.download(world.nameOf(response), { range: 'bytes=11-' });
    expect(behind.failure).toMatchObject({ reason: 'RANGE_INVALID', metadata: { content_range: 'bytes */11' } });
    expect(await ranged('bytes=0-1,3-4')).toEqual([200, 'hello world', '']);
    expect(await ranged('bytes=0-4', { 'if-range': '"other"' })).toEqual([200, 'hello world', '']);
    expect(await ranged('Bytes= 0-4')).toEqual([206, 'hello', 'bytes 0-4/11']);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect((await world.download(world.nameOf(response), { 'if-none-match': known })).status).toBe(304);
    expect((await world.download(world.nameOf(response), { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('have names that every reader of the header understands, and types that a header can carry', async () => {
    const named = await world.made("/it's (1)*.txt");
    const { headers } = await world.download(world.nameOf(named));
    expect(headers['content-disposition']).toBe("attachment; filename*=UTF-8''it%27s%20%281%29%2A.txt");
    for (const mediaType of ['text/plain; name=\u65e5', 'text/plain; \u0001', 'text/plain; caf\u00e9'])
      await expect(world.made('/typed', 'x', { mediaType })).rejects.toMatchObject({
        violations: [{ field: 'spec.mediaType', reason: 'FILE_MEDIA_TYPE' }],
      });
    const object = { key: 'k', sha256: sha256(text('hello')), filename: 'a', sizeBytes: 5 };
    const { path } = world.links.grant({ ...object, mediaType: 'text/plain; name=\u65e5' });
    const sent = await visit(world.links.route(), { token: path.slice('/v1/objects/'.length) });
    expect(sent.headers['content-type']).toBe('application/octet-stream');
  });

  it('that are damaged on disk are never shown whole, and the file says so until it gets new ones', async () => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_value, index) => (index * 7) % 253));
    const prepared = await world.prepare('/a', bytes);
    await world.put(prepared, bytes);
    const name = world.nameOf(await world.complete(prepared));
    await world.damage(sha256(bytes));
    for (const headers of [{}, { range: 'bytes=149990-' }]) {
      const got = await world.download(name, headers);
      expect([got.isEnded, got.failure]).toMatchObject([false, { code: 'DATA_LOSS', reason: 'OBJECT_DAMAGED' }]);
    }
    const failed = await world.readFile(name, 3);
    expect(failed.file?.status?.phase).toBe('Failed');
    expect(world.conditions(failed)).toEqual(
      expect.arrayContaining(['Ready False ObjectDamaged', 'Intact False ObjectDamaged']),
    );
    const again = await world.prepare('/a', bytes);
    await world.put(again, bytes);
    expect(world.conditions(await world.complete(again))).toContain('Intact True Intact');
    expect((await world.download(name)).body.length).toBe(150_000);
  });

  it('that damage makes unreadable fail an inline read', async () => {
    const response = await world.made('/a', 'hello');
    await world.damage(sha256(text('hello')));
    await expect(world.readFile(world.nameOf(response))).rejects.toMatchObject({
      code: 'DATA_LOSS',
      reason: 'OBJECT_DAMAGED',
    });
    expect((await world.readFile(world.nameOf(response), 3)).file?.status?.phase).toBe('Failed');
  });

  it('of two namespaces are stored once; deleting one file keeps the other, and keys differ', async () => {
    await world.call(GatewayService.method.createNamespace, { name: 'other' });
    const one = await world.made('/a', 'shared');
    const two = await world.made('/b', 'shared', { ns: 'other' });
    expect(await world.blobs.list('', 10)).toEqual([sha256(text('shared'))]);
    expect(one.file?.status?.objectRef?.key).not.toBe(two.file?.status?.objectRef?.key);
    await world.call(method.deleteFile, { ns: 'default', name: world.nameOf(one) });
    world.clock.advance(3 * DAY_MS);
    expect(await world.collector.tick()).toBe(0);
    expect(Buffer.from((await world.readFile(world.nameOf(two), 0, 'other')).content).toString()).toBe('shared');
    await world.call(method.deleteFile, { ns: 'other', name: world.nameOf(two) });
    expect(await world.collector.tick()).toBe(0);
    world.clock.advance(DAY_MS + 1);
    expect(await world.collector.tick()).toBe(1);
    expect(await world.blobs.list('', 10)).toEqual([]);
  });

  it('are not opened by their key, which is no capability', async () => {
    const { file } = await world.made('/a', 'private');
    const key = file?.status?.objectRef?.key ?? '';
    expect(key).not.toBe('');
    for (const token of [key, sha256(text('private'))]) {
      const { failure } = await visit(world.links.route(), { token });
      expect(failure).toMatchObject({ code: 'NOT_FOUND', reason: 'OBJECT_NOT_FOUND' });
    }
  });

  it('that no record ever named go a day after they are noticed', async () => {
    await world.blobs.put(text('left by a crash'));
    await world.made('/kept', 'kept');
    expect(await world.collector.sweep()).toBe(2);
    world.clock.advance(DAY_MS + 1);
    expect(await world.collector.tick()).toBe(1);
    expect(await world.blobs.list('', 10)).toEqual([sha256(text('kept'))]);
  });
});
