import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { ObjectService } from './object-service/index.ts';
import { ServerProcess } from './server-process/index.ts';

interface FileAnswer {
  readonly file: {
    readonly metadata: { readonly name: string };
    readonly status: { readonly phase: string; readonly conditions: readonly { type: string; status: string }[] };
  };
}

interface Prepared extends FileAnswer {
  readonly uploadId: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const bytes = new Uint8Array(5_000_000).map((_value, index) => (index * 31) % 241);
const sha256 = createHash('sha256').update(bytes).digest('hex');

it('bytes go straight to the bucket, come back whole and in part, and are never wrong', async () => {
  await using service = await ObjectService.start();
  await using server = await ServerProcess.start({ environment: service.environment });
  const rest = new RestCaller(server.url);
  const file = { spec: { path: '/data/five.bin', retention: 'FILE_RETENTION_RETAINED' } };
  const prepared = await rest.ok<Prepared>('POST /v1/ns/default/files:prepare', {
    ...{ file, size_bytes: String(bytes.length), sha256 },
  });
  const { name } = prepared.file.metadata;
  expect([prepared.method, new URL(prepared.url).origin]).toEqual(['PUT', service.url]);
  const send = async (body: Uint8Array<ArrayBuffer>, headers = prepared.headers): Promise<number> =>
    (await fetch(prepared.url, { method: prepared.method, headers, body })).status;
  const complete = () => rest.call(`POST /v1/ns/default/files/${name}:complete`, { upload_id: prepared.uploadId });
  const content = (headers: Record<string, string> = {}) =>
    fetch(`${server.url}/v1/ns/default/files/${name}/content`, { headers });

  expect([await send(bytes.subarray(1)), await send(bytes, {})]).toEqual([403, 403]);
  expect(JSON.stringify((await complete()).body)).toContain('"cause":"empty"');
  expect(await send(bytes.map((value) => value ^ 1))).toBe(200);
  const refused = await complete();
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('"cause":"hash"')]);
  expect((await content()).status).toBe(204);

  expect(await send(bytes)).toBe(200);
  const done = await complete();
  expect(done.status).toBe(200);
  const key = `objects/sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
  expect(await service.keys()).toEqual([key]);

  await server.kill();
  await server.restart();
  expect((await complete()).body).toEqual(done.body);
  expect(Buffer.compare(Buffer.from(await (await content()).arrayBuffer()), bytes)).toBe(0);
  const part = await content({ range: 'bytes=4000000-4000099' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 4000000-4000099/5000000']);
  expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), bytes.subarray(4_000_000, 4_000_100))).toBe(0);

  await service.damage(key);
  const broken = content().then((answer) => answer.arrayBuffer());
  await expect(broken).rejects.toThrow();
  const { file: marked } = await rest.ok<FileAnswer>(`GET /v1/ns/default/files/${name}?content=CONTENT_MODE_NONE`);
  expect(marked.status.phase).toBe('Failed');
  expect(marked.status.conditions).toContainEqual(expect.objectContaining({ type: 'Intact', status: 'False' }));
});

it('a server whose bucket is missing says so and ends', async () => {
  await using service = await ObjectService.start();
  const environment = { ...service.environment, SVC_OBJECTS_BUCKET: 'missing' };
  const { code, log } = await ServerProcess.refusal({ environment });
  expect(code).toBe(1);
  expect(log).toContain('objects.bucket: the object store has no such bucket');
  expect(log).not.toContain('    at ');
});
