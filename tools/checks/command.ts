import { spawn } from 'node:child_process';
import process from 'node:process';

/** How a program ended: exit code 0 is success; `timedOut` when it was killed at its limit. Output is both streams in order. */
export interface CommandOutcome {
  readonly exitCode: number;
  readonly output: string;
  readonly timedOut: boolean;
}

/** Where and how to run; `show` passes the output through at once, otherwise it is only collected. */
export interface CommandOptions {
  readonly directory: string;
  readonly limitMs: number;
  readonly show?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a program without input. A program that cannot be started is an outcome too (exit code 127), so that one missing
 * tool does not hide the results of the other checks. At the limit it is killed, and when it ends so are the processes
 * it left behind.
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
    let timedOut = false;
    const collect = (chunk: Buffer): void => {
      chunks.push(chunk);
      if (options.show) process.stdout.write(chunk);
    };
    const stop = (): void => killGroup(child.pid);
    const limit = setTimeout(() => {
      timedOut = true;
      stop();
      finish(1);
    }, options.limitMs);
    const finish = (exitCode: number): void => {
      clearTimeout(limit);
      process.off('exit', stop);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ exitCode, output: Buffer.concat(chunks).toString('utf8'), timedOut });
    };
    process.once('exit', stop);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => {
      collect(Buffer.from(`${error.message}\n`));
      finish(127);
    });
    child.on('exit', stop);
    child.on('close', (code) => finish(code ?? 1));
  });
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
