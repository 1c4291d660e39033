import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { inject } from 'vitest';
import { until } from '../server-process/index.ts';

/** A started command whose output can be waited for. */
export class Command {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  /** Standard output; at a terminal everything that is shown. */
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Types into it, or pipes into it. */
  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Resolves with what was shown since `from` once it holds the text. */
  async shows(text: string | RegExp, from = 0): Promise<string> {
    return until(`the command shows ${text}`, async () => {
      const shown = (this.stdout + this.stderr).slice(from);
      return (typeof text === 'string' ? shown.includes(text) : text.test(shown)) ? shown : undefined;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.stdout}\n${this.stderr}`);
    });
  }

  /** Exit code; closes its input first. */
  async ended(): Promise<number | null> {
    this.#child.stdin?.end();
    return this.#ended;
  }

  /** Ctrl-C, without waiting for what comes of it. */
  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }
}

/** Somebody's machine: an empty home directory and nothing configured. */
export class Home implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'svc-home-'));
  readonly #commands: Command[] = [];
  readonly #main: string;

  /** `program`: path of the `svc` to run; the one that `npm start` runs unless given. */
  constructor(program = inject('svcProgram')) {
    this.#main = program;
  }

  /** Runs `svc` with pipes. */
  run(parameters: readonly string[], environment: Readonly<Record<string, string>> = {}): Command {
    return this.#start([process.execPath, this.#main, ...parameters], environment);
  }

  /** Runs `svc` at a pseudo terminal of 120 columns. */
  runAtTerminal(parameters: readonly string[]): Command {
    const line = [process.execPath, this.#main, ...parameters].map((word) => `'${word}'`).join(' ');
    return this.#start(
      ['script', '--quiet', '--flush', '--return', '--command', `stty cols 120; ${line}`, '/dev/null'],
      {},
    );
  }

  /** Runs a shell at a pseudo terminal of 120 columns, with `svc` on its search path. */
  runShell(command: string, environment: Readonly<Record<string, string>>): Command {
    const bin = join(this.path, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${this.#main}' "$@"\n`, { mode: 0o755 });
    const line = `stty cols 120; ${command}`;
    return this.#start(['script', '--quiet', '--flush', '--return', '--command', line, '/dev/null'], {
      ...environment,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#commands.map((command) => command.stop('SIGKILL')));
    rmSync(this.path, { recursive: true, force: true });
  }

  #start([program = '', ...parameters]: readonly string[], environment: Readonly<Record<string, string>>): Command {
    const { PATH = '' } = process.env;
    const own = { PATH, HOME: this.path, TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '1' };
    const child = spawn(program, parameters, { cwd: this.path, env: { ...own, ...environment } });
    const command = new Command(child);
    this.#commands.push(command);
    return command;
  }
}
