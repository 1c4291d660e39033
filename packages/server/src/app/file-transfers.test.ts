import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../base/index.ts';
import { loadConfig } from './config/index.ts';
import { type RunningServer, startApp } from './server.ts';

let dataDir: string;
let server: RunningServer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-files-'));
  const flags = { dataDir, 'server.listen': '127.0.0.1:0', 'telemetry.logLevel': 'silent' };
  const { config } = loadConfig({ flags, environment: {}, cwd: dataDir });
  const fatal = (error: unknown): void => {
    throw error;
  };
  const around = { clock: systemClock, random: systemRandom, log: silentLog, environment: {} };
  server = await startApp(config, { ...around, faultPoint: () => undefined, fatal });
});
afterAll(async () => {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

const post = async (
  path: string,
  body: object,
): Promise<Record<string, string> & { file: { metadata: { name: string } } }> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return (await response.json()) as never;
};
/** A link as it was given, which leads to the port that was free. */
const here = (url = ''): string => {
  expect(url.slice(0, server.url.length)).toBe(server.url);
  return url;
};

it('a file goes up by a signed link, is shown once completed, and comes down whole and in part', async () => {
  const bytes = Buffer.alloc(5_000_000).map((_value, index) => (index * 31) % 241);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = { spec: { path: '/data/five.bin', retention: 'FILE_RETENTION_RETAINED' } };
  const prepared = await post('/v1/ns/default/files:prepare', { file, size_bytes: String(bytes.length), sha256 });
  const upload = here(prepared['url']);
  const wrong = await fetch(upload, { method: 'PUT', body: bytes.subarray(1) });
  expect([wrong.status, JSON.stringify(await wrong.json())]).toEqual([400, expect.stringContaining('"cause":"size"')]);
  expect((await fetch(upload, { method: 'PUT', body: bytes })).status).toBe(200);
  const { name } = prepared.file.metadata;
  const uploadId = prepared['uploadId'] ?? prepared['upload_id'];
  await post(`/v1/ns/default/files/${name}:complete`, { upload_id: uploadId });
  const whole = await fetch(`${server.url}/v1/ns/default/files/${name}/content`);
  expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes)).toBe(0);
  expect([whole.headers.get('etag'), whole.headers.get('content-length')]).toEqual([`"${sha256}"`, '5000000']);
  const part = await fetch(`${server.url}/v1/ns/default/files/${name}/content`, {
    headers: { range: 'bytes=4000000-' },
  });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 4000000-4999999/5000000']);
  expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), bytes.subarray(4_000_000))).toBe(0);
  const read = (await (await fetch(`${server.url}/v1/ns/default/files/${name}`)).json()) as Record<string, string>;
  const linked = await fetch(here(read['downloadUrl'] ?? read['download_url']));
  expect(Buffer.compare(Buffer.from(await linked.arrayBuffer()), bytes)).toBe(0);
});

it('a range behind the end is refused with the body of every refusal and the size; so are modes and purposes of no value', async () => {
  const files = '/v1/ns/default/files';
  const path = `/${'n'.repeat(1_023)}`;
  const { file } = await post(files, { path, content: Buffer.from('hello world').toString('base64') });
  const url = `${server.url}${files}/${file.metadata.name}`;
  const refused = await fetch(`${url}/content`, { headers: { range: 'bytes=11-' } });
  expect([refused.status, refused.headers.get('content-range')]).toEqual([416, 'bytes */11']);
  expect(await refused.json()).toMatchObject({ error: { code: 416, status: 'OUT_OF_RANGE' } });
  for (const query of [`/${file.metadata.name}?content=9`, '?purpose=77'])
    expect((await fetch(`${server.url}${files}${query}`)).status).toBe(400);
});
