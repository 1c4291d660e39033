import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('s3-server-program.mjs', import.meta.url));
/** Its continuation tokens need a cipher that OpenSSL 3 keeps among the old ones. */
const nodeFlags = ['--openssl-legacy-provider'];

/** The one account that the server knows. */
const ACCOUNT = { accessKey: 'S3RVER', secretKey: 'S3RVER' } as const;

/**
 * s3rver as a process of its own on a free loopback port, with its objects as files of a temporary folder. It checks
 * signatures, knows links and ranges, and neither computes nor checks SHA-256. Port and contents survive `stop` and `start`.
 */
export class S3Server implements AsyncDisposable {
  readonly bucket = 'svc';
  readonly #dir = mkdtempSync(join(tmpdir(), 'svc-s3-'));
  #port = 0;
  #child: ChildProcess | undefined;

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    await server.start();
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What `openS3Objects` needs to find it. */
  get connection() {
    return { ...ACCOUNT, endpoint: this.endpoint, bucket: this.bucket, region: 'us-east-1' };
  }

  async start(): Promise<void> {
    const words = [...nodeFlags, program, this.#dir, String(this.#port), this.bucket];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child = child;
    const ended = once(child, 'exit').then(() => {
      throw new Error('the S3 server ended while it started');
    });
    const [port] = (await Promise.race([once(child, 'message'), ended])) as [number];
    this.#port = port;
  }

  /** SIGKILL: connections break in the middle. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Keys in the bucket that begin with `prefix`, sorted. */
  async keys(prefix = ''): Promise<readonly string[]> {
    const folder = join(this.#dir, this.bucket);
    const found = await readdir(folder, { recursive: true });
    const keys = found.flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []));
    return keys.filter((key) => key.startsWith(prefix)).sort();
  }

  /** Changes what lies under a key behind the server's back. */
  async change(key: string, change: (bytes: Buffer) => Buffer): Promise<void> {
    const file = join(this.#dir, this.bucket, `${key}${SUFFIX}`);
    await writeFile(file, change(await readFile(file)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

const SUFFIX = '._S3rver_object';

/** The same bytes with the last bit turned. */
export const flipLastBit = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  const last = copy.length - 1;
  copy[last] = (copy[last] ?? 0) ^ 1;
  return copy;
};
