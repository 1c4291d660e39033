import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';

const READY_MS = 30_000;
const START_TRIES = 3;
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'max_connections=200',
  'shared_buffers=64MB',
  // What a server that lives for minutes has no use for takes processor time from its tests.
  'autovacuum=off',
  'jit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
].flatMap((setting) => ['-c', setting]);
/** Users that a program started by root may become; PostgreSQL refuses to run as root. */
const UNPRIVILEGED = ['postgres', 'nobody'];

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PEM texts. */
interface ServerTls {
  readonly key: string;
  readonly cert: string;
}

export interface PostgresServerOptions {
  /** Syncs to disk, as tests of crashes want; without it the server is several times faster. */
  readonly isDurable?: boolean;
  /** Offers TLS with this certificate. */
  readonly tls?: ServerTls;
}

const FOLDERS = ['/usr/lib/postgresql', '/opt/homebrew/opt'];

const candidates = (): readonly string[] => {
  const named = process.env['SVC_SERVICE_POSTGRESQL'];
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'postgres'));
  const installed = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .reverse()
      .map((version) => join(folder, version, 'bin', 'postgres')),
  );
  return [...(named === undefined ? [] : [named]), ...onPath, ...installed];
};

/**
 * Absolute path of the `postgres` program, next to which `initdb` is; undefined on a machine without it. Throws there when
 * CI=true, where no test may be left out.
 */
export const postgresProgram = (): string | undefined => {
  for (const candidate of candidates()) {
    if (!existsSync(candidate)) continue;
    const program = realpathSync(candidate);
    if (existsSync(join(dirname(program), 'initdb'))) return program;
  }
  if (process.env['CI'] === 'true')
    throw new Error('PostgreSQL is not installed, and with CI=true no test is left out');
  process.stderr.write('PostgreSQL is not installed: its tests are left out\n');
  return undefined;
};

const unprivileged = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of UNPRIVILEGED) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error(`none of the users ${UNPRIVILEGED.join(', ')} exists, and PostgreSQL does not run as root`);
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });

/**
 * A PostgreSQL server of one test file, on a port of the loopback interface, open to everybody on this machine while the test
 * runs, in a temporary folder, or where SVC_TEST_MEMORY says in one that the checks keep in memory. Ends with the test process.
 */
export class PostgresServer implements AsyncDisposable {
  readonly #program: string;
  readonly #dir: string;
  readonly #account: Account | undefined;
  readonly #settings: readonly string[];
  #port = 0;
  #child: ChildProcess | undefined;
  #log = '';
  readonly #onExit = (): void => {
    this.#child?.kill('SIGQUIT');
  };

  private constructor(program: string, { isDurable = false, tls }: PostgresServerOptions) {
    this.#program = program;
    this.#account = unprivileged();
    this.#dir = mkdtempSync(join(process.env['SVC_TEST_MEMORY'] ?? tmpdir(), 'svc-pg-'));
    if (this.#account !== undefined) chownSync(this.#dir, this.#account.uid, this.#account.gid);
    const sync = isDurable ? [] : ['fsync=off', 'full_page_writes=off'];
    const encryption =
      tls === undefined
        ? []
        : [
            'ssl=on',
            `ssl_cert_file=${this.#own('cert.pem', tls.cert)}`,
            `ssl_key_file=${this.#own('key.pem', tls.key)}`,
          ];
    this.#settings = [...sync, ...encryption].flatMap((setting) => ['-c', setting]);
  }

  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const program = postgresProgram();
    if (program === undefined) throw new Error('PostgreSQL is not installed');
    const server = new PostgresServer(program, options);
    process.once('exit', server.#onExit);
    server.#makeData();
    for (let tries = 1; ; tries++) {
      server.#port = await freePort();
      try {
        await server.up();
        return server;
      } catch (error) {
        if (tries >= START_TRIES) throw error;
      }
    }
  }

  /** Where a database of the server is reached. */
  url(database: string): string {
    return `postgres://svc@127.0.0.1:${this.#port}/${database}`;
  }

  get log(): string {
    return this.#log;
  }

  /** Starts it again on the same port. */
  async up(): Promise<void> {
    const child = spawn(
      this.#program,
      ['-D', this.#data, '-p', String(this.#port), '-k', this.#dir, ...SETTINGS, ...this.#settings],
      { ...this.#account, cwd: this.#dir, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LC_ALL: 'C' } },
    );
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`PostgreSQL did not start\n${this.#log}`)), READY_MS);
      const hear = (chunk: Buffer): void => {
        this.#log = `${this.#log}${chunk.toString()}`.slice(-20_000);
        if (!chunk.toString().includes('ready to accept connections')) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`PostgreSQL ended with ${code}\n${this.#log}`));
      });
    });
  }

  /** `fast` ends the sessions and shuts down in order; `immediate` is a crash. */
  async down(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down('immediate');
    process.removeListener('exit', this.#onExit);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#dir, 'data');
  }

  /** A file that only the server reads; its path. */
  #own(name: string, text: string): string {
    const path = join(this.#dir, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (this.#account !== undefined) chownSync(path, this.#account.uid, this.#account.gid);
    return path;
  }

  /** In a run of the checks `initdb`, which takes ten times as long as a copy, makes one directory for all servers of the run. */
  #makeData(): void {
    const shared = process.env['SVC_TEST_MEMORY'];
    if (shared === undefined) return this.#initialise(this.#data);
    const first = join(shared, 'postgres-data');
    if (!existsSync(first)) {
      const made = join(this.#dir, 'made');
      this.#initialise(made);
      try {
        renameSync(made, first);
      } catch (error) {
        // Another test made it meanwhile.
        if (!existsSync(first)) throw error;
        rmSync(made, { recursive: true });
      }
    }
    this.#run('cp', ['-a', first, this.#data]);
  }

  #initialise(folder: string): void {
    const options = ['-U', 'svc', '-E', 'UTF8', '--locale=C', '-A', 'trust', '--no-sync'];
    this.#run(join(dirname(this.#program), 'initdb'), ['-D', folder, ...options]);
  }

  #run(program: string, options: readonly string[]): void {
    const done = spawnSync(program, options, {
      ...this.#account,
      cwd: this.#dir,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}${done.error ?? ''}`);
  }
}
