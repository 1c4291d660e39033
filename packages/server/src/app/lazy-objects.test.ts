import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const main = new URL('../main.ts', import.meta.url).href;
const s3 = new URL('../store/blobs/s3/index.ts', import.meta.url).href;

/**
 * Starts and stops a server in a process of its own, since this one has loaded what other tests needed; prints how many files
 * of the S3 client the process had loaded then, and after the client was asked for.
 */
const program = (dataDir: string) => `
  import { createRequire } from 'node:module';
  import { startServer } from ${JSON.stringify(main)};
  const { cache } = createRequire(import.meta.url);
  const loaded = () => Object.keys(cache).filter((file) => file.includes('@aws-sdk')).length;
  const server = await startServer({ environment: {}, flags: { dataDir: ${JSON.stringify(dataDir)}, 'server.listen': '127.0.0.1:0' } });
  const first = loaded();
  await server.close();
  await import(${JSON.stringify(s3)});
  console.log(JSON.stringify([first, loaded() > 0]));`;

it('a server with local objects loads nothing of the S3 client', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-lazy-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(dataDir)]);
  expect(JSON.parse(stdout)).toEqual([0, true]);
});
