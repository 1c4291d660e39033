import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Starts s3rver and sends the port to its parent; the tests of the store use it too. */
const program = fileURLToPath(
  new URL('../../packages/server/src/store/blobs/s3/testing/s3-server-program.mjs', import.meta.url),
);
const nodeFlags = ['--openssl-legacy-provider'];
const BUCKET = 'objects';
const SUFFIX = '._S3rver_object';

/** One bucket behind signatures on a free loopback port; `await using` stops it and removes its contents. */
export class ObjectService implements AsyncDisposable {
  readonly #dir: string;
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(dir: string, child: ChildProcess, port: number) {
    this.#dir = dir;
    this.#child = child;
    this.#port = port;
  }

  static async start(): Promise<ObjectService> {
    const dir = mkdtempSync(join(tmpdir(), 'svc-e2e-s3-'));
    const child = spawn(process.execPath, [...nodeFlags, program, dir, '0', BUCKET], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error('the object service ended while it started');
    });
    const [port] = (await Promise.race([once(child, 'message'), ended])) as [number];
    return new ObjectService(dir, child, port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Configuration of a server that keeps its objects here. */
  get environment(): Readonly<Record<string, string>> {
    return {
      SVC_OBJECTS_BACKEND: 's3',
      SVC_OBJECTS_BUCKET: BUCKET,
      SVC_OBJECTS_ENDPOINT: this.url,
      SVC_OBJECTS_ACCESS_KEY: 'S3RVER',
      SVC_OBJECTS_SECRET_KEY: 'S3RVER',
    };
  }

  /** Keys in the bucket, sorted. */
  async keys(): Promise<readonly string[]> {
    const names = await readdir(join(this.#dir, BUCKET), { recursive: true });
    return names.flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : [])).sort();
  }

  /** Turns the last bit of what lies under a key. */
  async damage(key: string): Promise<void> {
    const file = join(this.#dir, BUCKET, `${key}${SUFFIX}`);
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    await writeFile(file, bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
