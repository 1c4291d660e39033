/** A server of this checkout for `resources.mjs`: pinned to CPU 0, its CPU time read from /proc; and a lean JSON client. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../packages/cli/bin/svc.mjs', import.meta.url));
const TICKS_PER_SECOND = 100;
const START_MS = 60_000;
const RETRY_MS = 5;

/** Keeps this process off the server's CPU; machines without taskset share. */
export const pinSelf = () => {
  try {
    execFileSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const freePort = async () => {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One server process after the other on one data directory. */
export class BenchServer {
  #child;
  #isPinned;
  #flags;
  #program;
  #environment;
  #isHeard;

  /** `program`: another than that of the sources, such as a bundle. `environment`: further configuration. `isHeard`: its log is shown. */
  constructor({ dataDir, isPinned, flags, program = MAIN, environment = {}, isHeard = true }) {
    this.dataDir = dataDir;
    this.#environment = environment;
    this.#isHeard = isHeard;
    this.#isPinned = isPinned;
    this.#flags = flags;
    this.#program = program;
  }

  /** Milliseconds from the start of the process to the first answer of `path`. */
  async start(path = '/healthz') {
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    const own = [process.execPath, ...this.#flags, this.#program, 'serve'];
    const [command, ...parameters] = this.#isPinned ? ['taskset', '-c', '0', ...own] : own;
    const began = performance.now();
    this.#child = spawn(command, parameters, {
      cwd: this.dataDir,
      env: {
        ...process.env,
        SVC_SERVER_LISTEN: `127.0.0.1:${this.port}`,
        SVC_DATA_DIR: this.dataDir,
        SVC_TELEMETRY_LOG_LEVEL: 'warn',
        SVC_MODELS_PROVIDERS: '{"demo":{"type":"demo","rate":0}}',
        ...this.#environment,
      },
      stdio: ['ignore', 'ignore', this.#isHeard ? 'inherit' : 'ignore'],
    });
    this.http = new JsonClient(this.port);
    for (;;) {
      const status = await this.http.status(path);
      if (status === 200) return performance.now() - began;
      if (performance.now() - began > START_MS) throw new Error(`no answer to ${path}: ${status}`);
      await pause(RETRY_MS);
    }
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Seconds of CPU this process has used, in user and system mode. */
  cpuSeconds() {
    const [, rest = ''] = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ');
    const fields = rest.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }

  /** Resident memory now, MiB. */
  memoryMiB() {
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  }

  /** Does nothing where no process runs. */
  async stop() {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.http.close();
    child.kill('SIGTERM');
    await ended;
  }
}

/** JSON over kept HTTP/1.1 connections. */
export class JsonClient {
  #agent = new Agent({ keepAlive: true, maxSockets: 128 });
  #port;

  constructor(port) {
    this.#port = port;
  }

  /** The answer as text with its status; `onLine` gets a stream line by line and may end it by answering true. */
  send(method, path, { body, type = 'application/json', more = {}, onLine } = {}) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const sent = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const headers = { ...sent, ...more };
    const call = request(
      { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent },
      (answer) => {
        let text = '';
        let bytes = 0;
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          bytes += chunk.length;
          text += chunk;
          if (onLine === undefined) return;
          const lines = text.split('\n');
          text = lines.pop() ?? '';
          for (const line of lines)
            if (line !== '' && onLine(line) === true) {
              answer.destroy();
              resolve({ status: answer.statusCode, text, bytes });
              return;
            }
        });
        answer.on('end', () => resolve({ status: answer.statusCode, text, bytes }));
        answer.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body);
    return promise;
  }

  async ok(method, path, value) {
    const { status, text } = await this.send(method, path, value === undefined ? {} : { body: JSON.stringify(value) });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  /** Status of a GET; 0 while no one listens. */
  async status(path) {
    const answer = await this.send('GET', path).catch(() => ({ status: 0 }));
    return answer.status;
  }

  close() {
    this.#agent.destroy();
  }
}
