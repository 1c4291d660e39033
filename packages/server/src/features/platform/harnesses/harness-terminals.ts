import { Fault } from '../../../base/index.ts';
import type { TerminalRequest } from '../../../protocols/acp/contract.ts';
import type { SandboxCommand, SandboxProcess } from '../../../sandbox/contract.ts';

/** Terminals that are open at a time, and output of one that is kept. */
const OPEN_MAX = 16;
const OUTPUT_BYTES = 1_048_576;
const RUN_MS = 3_600_000;

interface Terminal {
  readonly stop: AbortController;
  readonly exited: Promise<{ readonly exitCode: number | undefined }>;
  output: Buffer;
  isCut: boolean;
  exit: { readonly exitCode: number | undefined } | undefined;
}

/** Commands that a harness has its client run, in the same sandbox. The newest output is kept. */
export class HarnessTerminals {
  readonly #start: (command: SandboxCommand, signal: AbortSignal) => Promise<SandboxProcess>;
  readonly #open = new Map<string, Terminal>();
  /** Ends of the commands that run, those of released terminals included. */
  readonly #running = new Set<Terminal['exited']>();
  #made = 0;

  constructor(start: (command: SandboxCommand, signal: AbortSignal) => Promise<SandboxProcess>) {
    this.#start = start;
  }

  async create(request: TerminalRequest): Promise<string> {
    if (this.#open.size >= OPEN_MAX)
      throw new Fault('RESOURCE_EXHAUSTED', 'TERMINALS', `at most ${OPEN_MAX} terminals may be open`);
    const { command, args, cwd, env, outputBytes = OUTPUT_BYTES } = request;
    // Some harnesses send a whole command line as the command.
    const isLine = args.length === 0 && /\s/.test(command);
    const argv = isLine
      ? ['/bin/sh', '-c', `exec 2>&1; ${command}`]
      : ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', command, ...args];
    const stop = new AbortController();
    const begun = this.#start({ argv, cwd, env, timeoutMs: RUN_MS }, stop.signal);
    const exited = this.#follow(begun);
    const terminal: Terminal = { stop, exited, output: Buffer.alloc(0), isCut: false, exit: undefined };
    this.#made += 1;
    const id = `terminal-${this.#made}`;
    // From now on, so that starts that come together count against the limit, and `close` waits for them.
    this.#open.set(id, terminal);
    this.#running.add(exited);
    void exited.then(() => this.#running.delete(exited));
    try {
      void this.#collect(terminal, await begun, Math.min(outputBytes, OUTPUT_BYTES));
      return id;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  output(id: string): {
    readonly output: string;
    readonly isCut: boolean;
    readonly exit?: { readonly exitCode: number | undefined };
  } {
    const { output, isCut, exit } = this.#find(id);
    return { output: output.toString('utf8'), isCut, ...(exit === undefined ? {} : { exit }) };
  }

  exit(id: string): Promise<{ readonly exitCode: number | undefined }> {
    return this.#find(id).exited;
  }

  kill(id: string): void {
    this.#find(id).stop.abort();
  }

  release(id: string): void {
    this.kill(id);
    this.#open.delete(id);
  }

  /** Ends all of them, and waits until no command of any runs. */
  async close(): Promise<void> {
    for (const { stop } of this.#open.values()) stop.abort();
    await Promise.all(this.#running);
  }

  #find(id: string): Terminal {
    const found = this.#open.get(id);
    if (found === undefined) throw new Fault('NOT_FOUND', 'TERMINAL', `there is no terminal ${id}`);
    return found;
  }

  /** A command that could not be followed to its end has no code. */
  async #follow(begun: Promise<SandboxProcess>): Promise<{ readonly exitCode: number | undefined }> {
    try {
      const { ended } = await begun;
      const { exitCode } = await ended;
      return { exitCode };
    } catch {
      return { exitCode: undefined };
    }
  }

  async #collect(terminal: Terminal, process: SandboxProcess, limitBytes: number): Promise<void> {
    process.closeInput();
    try {
      for await (const chunk of process.stdout) {
        const all = Buffer.concat([terminal.output, chunk]);
        if (all.length > limitBytes) terminal.isCut = true;
        terminal.output = all.subarray(Math.max(0, all.length - limitBytes));
      }
    } catch {
      // The rest of the output is lost, such as that of a container whose engine went away.
      terminal.isCut = true;
    }
    terminal.exit = await terminal.exited;
  }
}
