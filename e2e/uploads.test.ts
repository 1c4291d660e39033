import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

const MIB = 1024 * 1024;
/** The largest upload there may be. */
const SIZE = 256 * MIB;
/** What passing it on may cost: buffers of sockets, files and the hash, and garbage of them. */
const ALLOWED = 96 * MIB;

/** Piece `index` of the object; never the same bytes twice, so that nothing can be kept once. */
const pieceOf = (index: number): Buffer => {
  const piece = Buffer.alloc(MIB, index);
  piece.writeUInt32BE(index);
  return piece;
};

async function* pieces(count = SIZE / MIB): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) yield pieceOf(index);
}

/** Most memory that the process ever had resident, in bytes; undefined where the system does not say. */
const peakOf = (pid: number): number | undefined => {
  try {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
};

const filesBelow = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

interface Prepared {
  readonly file: { readonly metadata: { readonly name: string } };
  readonly uploadId: string;
  readonly url: string;
}

it('an object of 256 MiB goes up and down without being held in memory, and half of one leaves nothing', async () => {
  await using server = await ServerProcess.start();
  const rest = new RestCaller(server.url);
  const objects = join(server.dataDir, 'objects');
  const hash = createHash('sha256');
  for await (const piece of pieces()) hash.update(piece);
  const sha256 = hash.digest('hex');
  const file = { spec: { path: '/data/large.bin', retention: 'FILE_RETENTION_RETAINED' } };
  const prepared = await rest.ok<Prepared>('POST /v1/ns/default/files:prepare', {
    ...{ file, size_bytes: String(SIZE), sha256 },
  });
  const { pathname, search } = new URL(prepared.url);
  const open = () => {
    const sent = request(`${server.url}${pathname}${search}`, { method: 'PUT', headers: { 'content-length': SIZE } });
    return { sent, answer: once(sent, 'response') };
  };
  const before = peakOf(server.pid);

  const half = open();
  half.answer.catch(() => undefined);
  for await (const piece of pieces(20)) if (!half.sent.write(piece)) await once(half.sent, 'drain');
  const hasFiles = (wanted: boolean) => async (): Promise<true | undefined> =>
    filesBelow(objects).length > 0 === wanted ? true : undefined;
  await until('the first bytes are on disk', hasFiles(true));
  half.sent.destroy();
  await until('nothing is left of them', hasFiles(false));

  const whole = open();
  await pipeline(pieces(), whole.sent);
  const [response] = (await whole.answer) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(200);
  const { name } = prepared.file.metadata;
  await rest.ok(`POST /v1/ns/default/files/${name}:complete`, { upload_id: prepared.uploadId });
  const content = await fetch(`${server.url}/v1/ns/default/files/${name}/content`);
  const received = createHash('sha256');
  for await (const piece of content.body ?? []) received.update(piece);
  expect(received.digest('hex')).toBe(sha256);
  const after = peakOf(server.pid);
  if (before !== undefined && after !== undefined) expect(after - before).toBeLessThan(ALLOWED);
});
