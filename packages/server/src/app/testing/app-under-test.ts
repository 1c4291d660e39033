import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemRandom } from '../../base/index.ts';
import { loadConfig } from '../config/index.ts';
import { startApp } from '../index.ts';
import type { RunningServer } from '../server.ts';
import { GateClock } from './gate-clock.ts';
import { RestClient } from './rest-client.ts';

/** Configuration by key, laid over that of every test: free port, no fsync, a demo model without pauses. */
type Flags = Readonly<Record<string, string>>;

/** A real server on a temporary directory; `await using` stops it and removes its data. */
export class AppUnderTest implements AsyncDisposable {
  readonly clock: GateClock;
  readonly rest: RestClient;
  readonly dataDir: string;
  readonly #server: RunningServer;
  #closing: Promise<void> | undefined;

  private constructor(server: RunningServer, dataDir: string, clock: GateClock) {
    this.#server = server;
    this.dataDir = dataDir;
    this.clock = clock;
    this.rest = new RestClient(server.url);
  }

  static async start(flags: Flags = {}): Promise<AppUnderTest> {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-app-'));
    const clock = new GateClock();
    const { config } = loadConfig({
      flags: {
        dataDir,
        'server.listen': '127.0.0.1:0',
        'store.sync': 'off',
        // A turn that a test left at a gate is handed over soon.
        'server.drainSeconds': '1',
        'models.providers': JSON.stringify({ demo: { type: 'demo', rate: 0 } }),
        ...flags,
      },
      environment: {},
      cwd: dataDir,
    });
    const server = await startApp(config, {
      clock,
      random: systemRandom,
      log: silentLog,
      environment: {},
      fatal: (error) => {
        throw error;
      },
      faultPoint: () => undefined,
    });
    return new AppUnderTest(server, dataDir, clock);
  }

  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  /** Drains and closes; may be called before the end of the scope to watch the drain. */
  async close(): Promise<void> {
    this.#closing ??= this.#server.close();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
