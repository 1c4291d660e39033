import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, type Log, silentLog, systemClock, systemRandom } from '../base/index.ts';
import { hashOf, keyOf } from '../store/blobs/s3/testing/s3-places.ts';
import { S3Server } from '../store/blobs/s3/testing/s3-server.ts';
import { type Config, loadConfig } from './config/index.ts';
import { type RunningServer, startApp } from './server.ts';
import { backupOffline } from './upkeep/offline-backup.ts';
import { restoreBackup } from './upkeep/restore.ts';

const JSON_BODY = { 'content-type': 'application/json' };
/** How often unreferenced objects and uploads are looked for. */
const COLLECT_MS = 600_000;

let bucket: S3Server;

beforeAll(async () => {
  bucket = await S3Server.start();
});
afterAll(() => bucket[Symbol.asyncDispose]());

const tempDir = async (): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-backend-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
};

const inBucket = (more: Readonly<Record<string, string>> = {}) => ({
  'objects.backend': 's3',
  'objects.bucket': bucket.bucket,
  'objects.endpoint': bucket.endpoint,
  'objects.accessKey': bucket.connection.accessKey,
  'objects.secretKey': bucket.connection.secretKey,
  ...more,
});

const configOf = (dataDir: string, settings: Readonly<Record<string, string>>): Config => {
  const flags = { dataDir, 'server.listen': '127.0.0.1:0', 'store.sync': 'off', ...settings };
  return loadConfig({ flags, environment: {}, cwd: dataDir }).config;
};

const start = async (
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  over: { readonly log?: Log; readonly clock?: Clock } = {},
): Promise<RunningServer> => {
  const fatal = (error: unknown): void => {
    throw error;
  };
  const around = { clock: systemClock, random: systemRandom, log: silentLog, environment: {}, ...over };
  return startApp(configOf(dataDir, settings), { ...around, faultPoint: () => undefined, fatal });
};

const started = async (...given: Parameters<typeof start>): Promise<RunningServer> => {
  const server = await start(...given);
  onTestFinished(() => server.close());
  return server;
};

const ready = async ({ url }: RunningServer): Promise<unknown> => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
};

const doctorOf = async ({ url }: RunningServer): Promise<unknown> => {
  const answer = await fetch(`${url}/v1/admin/doctor:run`, { method: 'POST', headers: JSON_BODY, body: '{}' });
  const { checks } = (await answer.json()) as { checks: { name: string; result: string; detail: string }[] };
  const { result, detail } = checks.find(({ name }) => name === 'objects') ?? {};
  return [result, detail];
};

describe('a server with objects in a bucket', () => {
  it.each([
    [{ 'objects.bucket': 'missing' }, 'objects.bucket: the object store has no such bucket'],
    [
      { 'objects.secretKey': 'wrong' },
      'the object store refuses access: check objects.accessKey and objects.secretKey',
    ],
  ])('refuses to start with %j, names the key to mend, and leaves nothing open', async (settings, named) => {
    const dataDir = await tempDir();
    await expect(start(dataDir, inBucket(settings))).rejects.toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'OBJECTS_UNUSABLE' },
      message: expect.stringContaining(named),
    });
    expect(await ready(await started(dataDir, {}))).toEqual([200, { status: 'ok', failing: [] }]);
  });

  it('starts before the service does, and is ready while that answers', async () => {
    await bucket.stop();
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (message: string, fields?: object) => void warnings.push([message, fields]) };
    const server = await started(await tempDir(), inBucket(), { log });
    expect(warnings).toEqual([
      ['the object store does not answer yet', { problem: 'the object store cannot be reached' }],
    ]);
    expect(await ready(server)).toEqual([503, { status: 'failing', failing: ['objects'] }]);
    expect(await doctorOf(server)).toEqual(['fail', 'the object store cannot be reached']);
    await bucket.start();
    expect(await ready(server)).toEqual([200, { status: 'ok', failing: [] }]);
    expect(await doctorOf(server)).toEqual(['ok', 'answer']);
  });

  it('removes what was sent and never completed, once its link ended', async () => {
    const passes: (() => void)[] = [];
    let lateMs = 0;
    const after: Clock['after'] = (delayMs, fire) => {
      if (delayMs !== COLLECT_MS) return systemClock.after(delayMs, fire);
      passes.push(fire);
      return () => undefined;
    };
    const clock: Clock = {
      nowMicros: () => systemClock.nowMicros() + lateMs * 1_000,
      monotonicMs: () => systemClock.monotonicMs() + lateMs,
      after,
    };
    const server = await started(await tempDir(), inBucket({ 'objects.prefix': 'two/' }), { clock });
    const bytes = Buffer.from('never completed');
    const file = { spec: { path: '/b.txt' } };
    const body = JSON.stringify({ file, sizeBytes: String(bytes.length), sha256: hashOf(bytes) });
    const asked = await fetch(`${server.url}/v1/ns/default/files:prepare`, {
      method: 'POST',
      headers: JSON_BODY,
      body,
    });
    const { url, method, headers } = (await asked.json()) as {
      url: string;
      method: string;
      headers: Record<string, string>;
    };
    expect((await fetch(url, { method, headers, body: bytes })).status).toBe(200);
    expect(await bucket.keys('two/uploads/')).toHaveLength(1);
    lateMs = 16 * 60_000;
    while ((await bucket.keys('two/uploads/')).length > 0) for (const pass of passes.splice(0)) pass();
    expect(await bucket.keys('two/')).toEqual([]);
  });

  it('keeps what messages carry there, below its prefix, and serves it again after a restart', async () => {
    const dataDir = await tempDir();
    const settings = inBucket({ 'objects.prefix': 'one/' });
    const first = await start(dataDir, settings);
    const content = Buffer.from('bytes of a file');
    const file = { spec: { path: '/a.txt', mediaType: 'text/plain' } };
    const body = JSON.stringify({ file, content: content.toString('base64') });
    const made = await fetch(`${first.url}/v1/ns/default/files`, { method: 'POST', headers: JSON_BODY, body });
    const { name } = ((await made.json()) as { file: { metadata: { name: string } } }).file.metadata;
    await first.close();
    expect(await bucket.keys('one/')).toEqual([keyOf('one/', hashOf(content))]);
    const second = await started(dataDir, settings);
    const read = await fetch(`${second.url}/v1/ns/default/files/${name}/content`);
    expect(await read.text()).toBe('bytes of a file');
  });
});

it('a backup takes objects out of a bucket, and its restore puts them behind another prefix', async () => {
  const [from, to] = [await tempDir(), await tempDir()];
  const content = Buffer.from('bytes to be saved');
  const first = await start(from, inBucket({ 'objects.prefix': 'from/' }));
  const file = { spec: { path: '/saved.txt', mediaType: 'text/plain' } };
  const body = JSON.stringify({ file, content: content.toString('base64') });
  const made = await fetch(`${first.url}/v1/ns/default/files`, { method: 'POST', headers: JSON_BODY, body });
  const { name } = ((await made.json()) as { file: { metadata: { name: string } } }).file.metadata;
  await first.close();
  const archive = join(from, 'backup.tar.zst');
  const around = { clock: systemClock, random: systemRandom, log: silentLog, faultPoint: () => undefined };
  const restored = inBucket({ 'objects.prefix': 'to/' });
  await backupOffline(configOf(from, inBucket({ 'objects.prefix': 'from/' })), around, { file: archive });
  await restoreBackup(configOf(to, restored), around, { file: archive, isReplacing: false });
  expect(await bucket.keys('to/')).toEqual([keyOf('to/', hashOf(content))]);
  const second = await started(to, restored);
  expect(await (await fetch(`${second.url}/v1/ns/default/files/${name}/content`)).text()).toBe('bytes to be saved');
});

describe('a server with objects of its own', () => {
  it('answers for them in its readiness and its doctor', async () => {
    const server = await started(await tempDir(), {});
    expect(await ready(server)).toEqual([200, { status: 'ok', failing: [] }]);
    expect(await doctorOf(server)).toEqual(['ok', 'answer']);
  });
});
