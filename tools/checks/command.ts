import { spawn } from 'node:child_process';
import process from 'node:process';

/** How a program ended: exit code 0 is success; `killed` says why it was not left to end. Output is both streams in order. */
export interface CommandOutcome {
  readonly exitCode: number;
  readonly output: string;
  readonly killed?: string;
}

/** Asked every `everyMs` while a program runs, which is killed when there is an answer: the reason. */
export interface CommandWatch {
  readonly everyMs: number;
  readonly look: () => string | undefined;
}

/** Where and how to run; `show` passes the output through at once, otherwise it is only collected. */
interface CommandOptions {
  readonly directory: string;
  readonly limitMs: number;
  readonly show?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly watch?: CommandWatch;
}

/**
 * Runs a program without input. A program that cannot be started is an outcome too (exit code 127), so that one missing
 * tool does not hide the results of the other checks. At the limit, or when its watch says so, it is killed, and when it
 * ends so are the processes it left behind.
 */
export function runCommand(
  program: string,
  parameters: readonly string[],
  options: CommandOptions,
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd: options.directory,
      env: { ...process.env, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const chunks: Buffer[] = [];
    const collect = (chunk: Buffer): void => {
      chunks.push(chunk);
      if (options.show) process.stdout.write(chunk);
    };
    const stop = (): void => killGroup(child.pid);
    const kill = (killed: string): void => {
      stop();
      finish({ exitCode: 1, killed });
    };
    const limit = setTimeout(() => kill('stopped at its time limit'), options.limitMs);
    const watch = startWatch(options.watch, kill);
    const finish = (end: Omit<CommandOutcome, 'output'>): void => {
      clearTimeout(limit);
      clearInterval(watch);
      process.off('exit', stop);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ...end, output: Buffer.concat(chunks).toString('utf8') });
    };
    // Before whatever else this process does at its end, such as removing the folders of the program.
    process.prependOnceListener('exit', stop);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => {
      collect(Buffer.from(`${error.message}\n`));
      finish({ exitCode: 127 });
    });
    child.on('exit', stop);
    child.on('close', (code) => finish({ exitCode: code ?? 1 }));
  });
}

function startWatch(watch: CommandWatch | undefined, kill: (reason: string) => void): NodeJS.Timeout | undefined {
  if (watch === undefined) return undefined;
  return setInterval(() => {
    try {
      const reason = watch.look();
      if (reason !== undefined) kill(reason);
    } catch (error) {
      kill(`stopped: ${String(error)}`);
    }
  }, watch.everyMs);
}

/** The group has the child's id because it was started detached; it may have ended by itself in the meantime. */
function killGroup(processId: number | undefined): void {
  if (processId === undefined) return;
  try {
    process.kill(-processId, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
