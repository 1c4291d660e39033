import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll } from 'vitest';
import { silentLog, systemRandom } from '../../base/index.ts';
import { type GivenDatabase, givenDatabase } from '../../store/postgres/testing/given-database.ts';
import { runSql } from '../../store/postgres/testing/test-store.ts';
import { placeEmptyDatabase } from '../../store/sqlite/testing/empty-database.ts';
import { loadConfig } from '../config/index.ts';
import { startApp } from '../index.ts';
import type { RunningServer } from '../server.ts';
import { GateClock } from './gate-clock.ts';
import { RestClient } from './rest-client.ts';

/** Configuration by key, which overrides that of every test: free port, no fsync, a demo model without pauses. */
type Flags = Readonly<Record<string, string>>;

/** A real server on a temporary directory; `await using` stops it and removes its data. */
export class AppUnderTest implements AsyncDisposable {
  readonly clock = new GateClock();
  readonly rest: RestClient;
  readonly #flags: Flags;
  #dataDir = '';
  /** In the run that repeats the suites on PostgreSQL. */
  #database: GivenDatabase | undefined;
  #server: RunningServer | undefined;
  #closing: Promise<void> | undefined;

  private constructor(flags: Flags) {
    this.#flags = flags;
    this.rest = new RestClient(() => this.url);
  }

  static async start(flags: Flags = {}): Promise<AppUnderTest> {
    const app = new AppUnderTest(flags);
    await app.#start();
    return app;
  }

  /** One server for all tests of the file or block that calls this; it runs from its first `beforeAll` on. */
  static ofSuite(flags: Flags = {}): AppUnderTest {
    const app = new AppUnderTest(flags);
    beforeAll(() => app.#start());
    afterAll(() => app[Symbol.asyncDispose]());
    return app;
  }

  async #start(): Promise<void> {
    const { dataDir, 'store.url': url } = this.#flags;
    this.#dataDir = dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-app-')));
    this.#database = url === undefined ? await givenDatabase() : undefined;
    try {
      // A directory or a database that the test named stays as the test made it.
      if (dataDir === undefined && url === undefined && this.#database === undefined)
        await placeEmptyDatabase(this.#dataDir);
      await this.#open();
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const dataDir = this.#dataDir;
    const { config } = loadConfig({
      flags: {
        dataDir,
        'server.listen': '127.0.0.1:0',
        'store.sync': 'off',
        // A turn that a test left at a gate is handed over soon.
        'server.drainSeconds': '1',
        ...(this.#database === undefined ? {} : { 'store.url': this.#database.url }),
        'models.providers': JSON.stringify({ demo: { type: 'demo', rate: 0 } }),
        ...this.#flags,
      },
      environment: {},
      cwd: dataDir,
    });
    this.#server = await startApp(config, {
      clock: this.clock,
      random: systemRandom,
      log: silentLog,
      environment: {},
      fatal: (error) => {
        throw error;
      },
      faultPoint: () => undefined,
    });
  }

  get url(): string {
    return this.#running.url;
  }

  get port(): number {
    return this.#running.port;
  }

  /** Every operation as it was declared. */
  get operations(): RunningServer['operations'] {
    return this.#running.operations;
  }

  get #running(): RunningServer {
    if (this.#server === undefined) throw new Error('the server was not started');
    return this.#server;
  }

  /** Removes the folders of all sandboxes, as the loss of their disk does. */
  async loseSandboxes(): Promise<void> {
    await rm(join(this.#dataDir, 'sandboxes', 'backends'), { recursive: true, force: true });
  }

  /** Drains and closes; may be called before the end of the scope to watch the drain. */
  async close(): Promise<void> {
    this.#closing ??= this.#server?.close();
    await this.#closing;
  }

  /** Reads the files of `server.tls.*` again. */
  renewTls(): void {
    this.#running.renewTls();
  }

  /** Stops the server and starts another one on the same data; the port changes. */
  async restart(): Promise<void> {
    await this.close();
    this.#closing = undefined;
    await this.#open();
  }

  /** Restarts once the clocks of machine and store were moved on: what was due in the meantime is due at the start. */
  async restartLater(ms: number): Promise<void> {
    await this.close();
    this.clock.setBy(ms);
    await this.sql(
      `UPDATE instance SET value = CAST(CAST(value AS bigint) + ${ms * 1000} AS text) WHERE name = 'clock'`,
    );
    this.#closing = undefined;
    await this.#open();
  }

  /** One statement on the server's database, on either engine. */
  async sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    if (this.#database !== undefined) return runSql(this.#database.url, text);
    const beside = new DatabaseSync(join(this.#dataDir, 'svc.db'), { timeout: 5_000 });
    try {
      return beside.prepare(text).all();
    } finally {
      beside.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#database?.drop();
    // A directory that the test named is the test's.
    if (this.#flags['dataDir'] === undefined) await rm(this.#dataDir, { recursive: true, force: true });
  }
}
