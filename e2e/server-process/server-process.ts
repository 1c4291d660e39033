import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { freePort } from './free-port.ts';
import { givenStore, returnStore } from './given-store.ts';
import { until } from './until.ts';

/** Absolute path of the checkout. */
const root = fileURLToPath(new URL('../..', import.meta.url));
/** Far longer than a start takes: on a machine that does much else it takes seconds. */
const START_MS = 60_000;
/** A stop waits for the drain of the server, so it must outlast `server.drainSeconds` of the tests. */
const STOP_MS = 20_000;
const LOG_CHARACTERS = 20_000;
/** What `svc serve` says once its port is open. */
const OPEN = 'svc listens on ';

/** A shell that limits itself and becomes the process: the same process id. */
const limitedTo = (openFiles: number | undefined): readonly string[] =>
  openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" "$@"`];

export interface ServerOptions {
  /** Configuration variables, which override those of every test (quiet log, fast demo model). */
  readonly environment?: Readonly<Record<string, string>>;
  /** Kept after `remove` when given; otherwise a fresh temporary folder. */
  readonly dataDir?: string;
  /** Plans for `arm` may name points of the store. */
  readonly armsStore?: boolean;
  /** How many files and connections the process may have open; otherwise as many as the test itself. */
  readonly openFiles?: number;
}

/** How the process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * One server with one data directory and one address, which both survive `kill` and `restart`. `await using` stops it and
 * removes its data. Its standard error is kept and becomes part of every failure message.
 */
export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly dataDir: string;
  readonly #ownsDataDir: boolean;
  readonly #openFiles: number | undefined;
  readonly #armsStore: boolean;
  #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #ended: Promise<ProcessEnd> | undefined;
  /** Resolves when the process says that its port is open, or is gone. */
  #opened: Promise<unknown> | undefined;
  #log = '';

  private constructor(port: number, options: ServerOptions) {
    this.port = port;
    this.#ownsDataDir = options.dataDir === undefined;
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-e2e-'));
    this.#openFiles = options.openFiles;
    this.#armsStore = options.armsStore === true;
    this.#environment = options.environment ?? {};
  }

  static async #prepare(options: ServerOptions): Promise<ServerProcess> {
    const server = new ServerProcess(await freePort(), options);
    server.#environment = { ...(await givenStore(server.dataDir, server.#environment)), ...server.#environment };
    return server;
  }

  /** Starts a server and waits until it is ready. */
  static async start(options: ServerOptions = {}): Promise<ServerProcess> {
    const server = await ServerProcess.#prepare(options);
    await server.restart();
    return server;
  }

  /** Starts a server that is expected to refuse; resolves with its end and what it said. */
  static async refusal(options: ServerOptions): Promise<ProcessEnd & { readonly log: string }> {
    const server = await ServerProcess.#prepare(options);
    server.#spawn();
    const end = await server.ended();
    server.remove();
    return { ...end, log: server.log };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Newest characters of standard output and error of all its runs. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('the server was not started');
    return pid;
  }

  /** Starts the process again on the same data and address; `environment` overrides the former one. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#environment = { ...this.#environment, ...environment };
    await this.restartOnce({});
  }

  /** As `restart`, but `environment` is that of this one process. */
  async restartOnce(environment: Readonly<Record<string, string>>): Promise<void> {
    this.#spawn(environment);
    // Asked before, every 10 ms, it would be refused some fifty times a start.
    await Promise.race([this.#opened, pause(START_MS, undefined, { ref: false })]);
    await until('the server is ready', () => this.#readiness(), START_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.log}`);
    });
  }

  /** Whether the process has ended, or was never started. */
  get isGone(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when the process is gone, for whatever reason. */
  async ended(): Promise<ProcessEnd> {
    if (this.#ended === undefined) throw new Error('the server was not started');
    return this.#ended;
  }

  /** SIGTERM without waiting: the drain can be watched. */
  terminate(): void {
    this.#child?.kill('SIGTERM');
  }

  /** Ends it as an operator would; rejects when it does not leave. */
  async stop(): Promise<ProcessEnd> {
    this.terminate();
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_MS);
    const end = await this.ended();
    clearTimeout(timer);
    if (end.signal === 'SIGKILL') throw new Error(`the server did not stop within ${STOP_MS} ms\n${this.log}`);
    return end;
  }

  /** Sends a signal and waits until the process says on standard error what it says to it. */
  async told(signal: NodeJS.Signals, answer: string): Promise<void> {
    if (!(await this.#answers(signal, answer))) throw new Error(`the server ended at ${signal}\n${this.log}`);
  }

  /**
   * From now on the process counts towards the plan, such as `after-tool:2` (packages/server/src/app/fault-point.ts), and no longer
   * towards the former one; an empty one is none. False when it was gone before. For servers without SVC_FAULT_POINT of their own.
   */
  async arm(plan: string): Promise<boolean> {
    writeFileSync(this.#planFile, plan);
    return this.#answers('SIGUSR2', `counting the passings of ${plan || 'nothing'}`);
  }

  async #answers(signal: NodeJS.Signals, answer: string): Promise<boolean> {
    const said = this.#says(answer);
    this.#child?.kill(signal);
    return Promise.race([said, this.ended().then(() => false)]);
  }

  /** Resolves with true when the process says this on standard error from now on, whole in one line. */
  #says(answer: string): Promise<boolean> {
    const stderr = this.#child?.stderr;
    return new Promise<boolean>((resolve) => {
      const look = (text: string): void => {
        if (!text.includes(answer)) return;
        stderr?.off('data', look);
        resolve(true);
      };
      stderr?.on('data', look);
    });
  }

  get #planFile(): string {
    return `${this.dataDir}-plan`;
  }

  /** SIGKILL: no code of the process runs any more. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.ended();
  }

  remove(): void {
    rmSync(this.#planFile, { force: true });
    if (this.#ownsDataDir) rmSync(this.dataDir, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended !== undefined) await this.kill();
    if (this.#ownsDataDir) await returnStore(this.dataDir);
    this.remove();
  }

  #spawn(ofThisProcess: Readonly<Record<string, string>> = {}): void {
    const environment = {
      ...process.env,
      SVC_SERVER_LISTEN: `127.0.0.1:${this.port}`,
      SVC_DATA_DIR: this.dataDir,
      SVC_TELEMETRY_LOG_LEVEL: 'warn',
      SVC_MODELS_PROVIDERS: JSON.stringify({ demo: { type: 'demo', rate: 0 } }),
      SVC_SERVER_DRAIN_SECONDS: '5',
      SVC_FAULT_POINT: `${this.#armsStore ? 'store.' : ''}@${this.#planFile}`,
      ...this.#environment,
      ...ofThisProcess,
    };
    const [command, ...args] = [...limitedTo(this.#openFiles), process.execPath, inject('svcProgram'), 'serve'];
    const child = spawn(command as string, args, { cwd: root, env: environment });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    const keep = (text: string): void => {
      this.#log = (this.#log + text).slice(-LOG_CHARACTERS);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    this.#opened = Promise.race([this.#says(OPEN), this.#ended]);
  }

  async #readiness(): Promise<true | undefined> {
    if (this.isGone) throw new Error('the server ended');
    const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 200 ? true : undefined;
  }
}
