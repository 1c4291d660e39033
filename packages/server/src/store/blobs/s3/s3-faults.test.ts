import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, Fault, ManualClock } from '../../../base/index.ts';
import { selfSigned } from '../../../transport/testing/self-signed.ts';
import { toStartFault, toStorageFault } from './s3-faults.ts';
import { AttestingServer, type Disturbance } from './testing/attesting-server.ts';
import { collect, hashOf, openForTest } from './testing/s3-places.ts';
import { S3Server } from './testing/s3-server.ts';

let server: AttestingServer;

beforeAll(async () => {
  server = await AttestingServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.disturb = () => undefined;
  server.objects.clear();
});

/** Disturbs so many requests, then none. */
const times = (count: number, disturbance: Disturbance): (() => Disturbance | undefined) => {
  let left = count;
  return () => (left-- > 0 ? disturbance : undefined);
};

/** Waits of the sender pass at once, and are written down. */
const hastyClock = (): { readonly clock: Clock; readonly waits: number[] } => {
  const waits: number[] = [];
  const manual = new ManualClock();
  const after = (delayMs: number, fire: () => void) => {
    waits.push(delayMs);
    setImmediate(fire);
    return () => undefined;
  };
  return { clock: { nowMicros: () => manual.nowMicros(), monotonicMs: () => manual.monotonicMs(), after }, waits };
};

const bytes = Buffer.from('some bytes');
async function* piecewise(): AsyncGenerator<Uint8Array> {
  for (const byte of bytes) yield Buffer.from([byte]);
}

const failure = async (work: Promise<unknown>): Promise<Fault> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: Fault) => error,
  );

/** A machine on which no AWS program finds credentials. */
const withoutCredentials = (): void => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
};

describe('a server that starts with objects in a bucket', () => {
  it.each([
    [404, 'objects.bucket: the object store has no such bucket'],
    [403, 'check objects.accessKey and objects.secretKey'],
    [401, 'check objects.accessKey and objects.secretKey'],
    [301, 'objects.region: the bucket lies in another region'],
  ])('is told at HTTP %i what to mend', async (status, text) => {
    const { reach } = await openForTest(server);
    server.disturb = () => status;
    const fault = await failure(reach());
    expect(fault).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'OBJECTS_UNUSABLE' });
    expect(fault.message).toContain(text);
  });

  it('is told that there are no credentials', async () => {
    withoutCredentials();
    const { reach } = await openForTest(server, { accessKey: undefined, secretKey: undefined });
    const fault = await failure(reach());
    expect(fault).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'OBJECTS_UNUSABLE' });
    expect(fault.message).toContain('no credentials for the object store');
  });

  it('is told that the certificate of the service is not trusted', async () => {
    const stranger = createServer(selfSigned(), (_request, response) => void response.end());
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    const { reach } = await openForTest(server, { endpoint: `https://127.0.0.1:${port}` });
    const fault = await failure(reach());
    expect(fault).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'OBJECTS_UNUSABLE' });
    expect(fault.message).toContain('objects.endpoint: the certificate of the object store is not valid');
  });

  it('is told that the service answers nothing of use, which passes', async () => {
    const { reach } = await openForTest(server);
    server.disturb = () => 503;
    expect(await failure(reach())).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'the object store answered HTTP 503 instead of doing what it was asked',
    });
    server.disturb = () => 'silence';
    const { reach: reachSoon } = await openForTest(server, { connectMs: 50 });
    expect(await failure(reachSoon())).toMatchObject({ message: 'the object store cannot be reached' });
    server.disturb = () => undefined;
    await reach();
  });

  it('is told by a real service that its key or its bucket is wrong', async () => {
    await using real = await S3Server.start();
    for (const [options, text] of [
      [{ secretKey: 'wrong' }, 'refuses access: check objects.accessKey and objects.secretKey'],
      [{ accessKey: 'unknown' }, 'refuses access: check objects.accessKey and objects.secretKey'],
      [{ bucket: 'missing' }, 'objects.bucket: the object store has no such bucket'],
    ] as const) {
      const { reach } = await openForTest(real, options);
      const fault = await failure(reach());
      expect(fault).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'OBJECTS_UNUSABLE' });
      expect(fault.message).toContain(text);
    }
  });
});

describe('a failing service', () => {
  it.each<[string, Disturbance, string]>([
    ['refuses', { status: 403, code: 'AccessDenied' }, 'the object store refuses access'],
    ['lost the bucket', { status: 404, code: 'NoSuchBucket' }, 'objects.bucket'],
    ['moved', { status: 301, code: 'PermanentRedirect' }, 'objects.region'],
    ['is broken itself', { status: 500, code: 'InternalError' }, 'HTTP 500'],
    ['breaks connections', 'break', 'cannot be reached'],
    ['says nothing', 'silence', 'cannot be reached'],
  ])('that %s is UNAVAILABLE, in words of ours', async (_name, disturbance, text) => {
    const { blobs } = await openForTest(server, { idleMs: 50, clock: hastyClock().clock });
    server.disturb = () => disturbance;
    const works: readonly (() => Promise<unknown>)[] = [
      () => blobs.put(bytes),
      () => blobs.put(piecewise()),
      () => blobs.read(hashOf(bytes)),
      () => blobs.list('', 1),
    ];
    for (const work of works) {
      const fault = await failure(work());
      expect(fault).toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
      expect(fault.message).toContain(text);
      expect(fault.message).not.toContain('key-of-the-test');
    }
  });

  it('is not believed that bytes are gone before it says so by name', async () => {
    const { blobs } = await openForTest(server);
    const { sha256 } = await blobs.put(bytes);
    server.disturb = ({ method }) => (method === 'GET' ? 404 : undefined);
    await expect(blobs.read(sha256)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    server.disturb = () => ({ status: 404, code: 'NoSuchKey' });
    await expect(blobs.read(sha256)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'OBJECT_NOT_FOUND' });
  });

  it('is asked three times and no more', async () => {
    const { blobs } = await openForTest(server);
    const { sha256 } = await blobs.put(bytes);
    server.disturb = times(2, 503);
    expect(Buffer.compare(await blobs.read(sha256), bytes)).toBe(0);
    server.disturb = times(3, 'break');
    await expect(blobs.read(sha256)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(Buffer.compare(await blobs.read(sha256), bytes)).toBe(0);
  });

  it('gets bytes of a stream again, from their beginning, after longer and longer waits', async () => {
    const { clock, waits } = hastyClock();
    const { blobs } = await openForTest(server, { clock });
    server.disturb = times(2, 503);
    const { sha256 } = await blobs.put(piecewise());
    expect(Buffer.compare(await blobs.read(sha256), bytes)).toBe(0);
    expect(waits.length).toBe(2);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
    server.disturb = times(3, 503);
    await expect(blobs.put(piecewise())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    server.disturb = times(1, { status: 403, code: 'AccessDenied' });
    await expect(blobs.put(piecewise())).rejects.toMatchObject({ message: expect.stringContaining('refuses access') });
    expect(waits.length).toBe(4);
  });

  it('that breaks off in the middle of an object ends the read, never as a whole object', async () => {
    const { blobs } = await openForTest(server);
    const { sha256 } = await blobs.put(bytes);
    server.disturb = ({ method }) => (method === 'GET' ? 'break-body' : undefined);
    await expect(collect(blobs.stream(sha256))).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
  });

  it('that sends the whole instead of a range is cut to the range', async () => {
    const { blobs } = await openForTest(server);
    const { sha256 } = await blobs.put(bytes);
    server.disturb = ({ headers }) => {
      delete headers.range;
      return undefined;
    };
    expect((await collect(blobs.stream(sha256, { start: 2, end: 5 }))).toString()).toBe('me ');
  });

  it('that lost the object between two looks is missing it', async () => {
    const { blobs } = await openForTest(server);
    const { sha256 } = await blobs.put(bytes);
    server.disturb = ({ method }) => {
      if (method === 'GET') server.objects.clear();
      return undefined;
    };
    await expect(collect(blobs.stream(sha256, { start: 2, end: 5 }))).rejects.toMatchObject({
      reason: 'OBJECT_NOT_FOUND',
    });
  });
});

describe('links', () => {
  it('are not signed without credentials, and say so', async () => {
    withoutCredentials();
    const { uploads } = await openForTest(server, { accessKey: undefined, secretKey: undefined });
    const times = { createdAt: 0, expiresAt: 60_000_000 };
    const fault = await failure(uploads.link({ id: 'a', sizeBytes: 1, sha256: hashOf(bytes), ...times }));
    expect(fault).toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    expect(fault.message).toContain('no credentials for the object store');
  });
});

describe('errors that are none of the service', () => {
  const noFile = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', path: '/spool/1' });
  it.each([new TypeError('a mistake of ours'), new Fault('ABORTED', 'CONFLICT', 'x'), noFile, 'no error at all'])(
    'pass unchanged: %s',
    (error) => {
      expect(toStorageFault(error)).toBe(error);
      expect(toStartFault(error)).toBe(error);
    },
  );
});
