import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/index.ts';
import { BoundedOutput } from '../bounded-output.ts';
import { checkTexts } from '../command-texts.ts';
import type { SandboxEnd, SandboxProcess, SandboxResult } from '../contract.ts';
import { chunksOf, NO_PIPES, STOPPED, written } from '../process-pipes.ts';
import { type Watch, watched } from '../watched.ts';

export interface JailRun {
  /** Path of bwrap. */
  readonly program: string;
  readonly options: readonly string[];
  readonly command: readonly string[];
  readonly stdin?: Uint8Array | undefined;
  readonly outputBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after'>;
  /** Runs before the command begins, such as to put the process into its control group. */
  readonly admit: (pid: number) => Promise<void>;
  readonly watch?: Watch;
}

/** What of bubblewrap's own complaints is shown. */
const COMPLAINT_CHARS = 500;
/** Becomes bubblewrap once it may begin: the first process of the jail is held to the limits from its start. */
const OUTER_GATE = 'read -r begin <&4 && exec "$0" --args 3 -- "$@"';
/** Runs in the finished jail: says so, and waits until it may continue. */
const INNER_GATE = 'echo ready >&5; read -r go <&4 || exit 125; exec 4<&- 5>&-; exec "$@"';

/**
 * Runs bubblewrap to the end of all processes inside. Killing its one process on this side ends them: it is the parent of the first
 * process of their process namespace, which takes all others with it. That holds once the jail is finished, so the command begins
 * only then, and what has to end before never begins. The options go through a pipe, since the jail sees the command
 * line. Rejects when it could not be started; Fault INVALID_ARGUMENT SANDBOX_COMMAND for texts that no process can be given.
 */
export const runJail = async (run: JailRun): Promise<SandboxResult> => {
  if (isStoppedBefore(run)) return STOPPED;
  const child = spawnJail(run);
  const output = collected(run, child, ['stdout', 'stderr']);
  const closed = ending(child);
  const why = await supervised(run, child, closed);
  child.stdin?.end(run.stdin);
  return resultOf({ closed, why, output });
};

/** As `runJail`, for a command that runs on: resolves when it may begin. */
export const startJail = async (run: JailRun): Promise<SandboxProcess> => {
  if (isStoppedBefore(run)) return { ...NO_PIPES, ended: Promise.resolve(STOPPED) };
  const child = spawnJail(run);
  const output = collected(run, child, ['stderr']);
  const closed = ending(child);
  const why = await supervised(run, child, closed);
  const [stdin, stdout] = [child.stdin as Writable, child.stdout as Readable];
  child.once('exit', () => {
    // Of a command that was ended no one takes the rest, which would keep its pipe open.
    if (why() !== 'exit') stdout.destroy();
  });
  return {
    stdout: chunksOf(stdout),
    write: (bytes) => written(stdin, bytes),
    closeInput: () => stdin.end(),
    ended: resultOf({ closed, why, output }),
  };
};

const isStoppedBefore = (run: JailRun): boolean => {
  checkTexts([...run.options, ...run.command]);
  return run.signal.aborted;
};

const spawnJail = ({ program, command }: JailRun): ChildProcess =>
  spawn('/bin/sh', ['-c', OUTER_GATE, program, '/bin/sh', '-c', INNER_GATE, 'sh', ...command], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });

const collected = (
  { outputBytes }: JailRun,
  child: ChildProcess,
  names: readonly ('stdout' | 'stderr')[],
): BoundedOutput => {
  const output = new BoundedOutput(outputBytes);
  for (const name of names) child[name]?.on('data', (chunk: Buffer) => output.add(name, chunk));
  return output;
};

const resultOf = async (ended: {
  readonly closed: Promise<Ending>;
  readonly why: () => SandboxEnd;
  readonly output: BoundedOutput;
}): Promise<SandboxResult> => {
  const { code, signal } = await ended.closed;
  const exitCode = code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
  return { exitCode, ...ended.output.get(), endedBy: ended.why() };
};

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const ending = (child: ChildProcess): Promise<Ending> =>
  new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });

/** Starts the command and ends it when it has to; answers how to find out why it ended. */
const supervised = async (run: JailRun, child: ChildProcess, closed: Promise<Ending>): Promise<() => SandboxEnd> => {
  let endedBy: SandboxEnd = 'exit';
  let isBegun = false;
  const gate = child.stdio[4] as Writable;
  const end = (why: SandboxEnd): void => {
    if (endedBy !== 'exit' || child.exitCode !== null) return;
    endedBy = why;
    if (isBegun) child.kill('SIGKILL');
    else gate.end();
  };
  ((child.stdio as readonly unknown[])[5] as Readable).once('data', () => {
    if (endedBy !== 'exit') return;
    isBegun = true;
    gate.end('go\n');
  });
  const stop = (): void => end('stopped');
  run.signal.addEventListener('abort', stop);
  const cancelTime = run.clock.after(run.timeoutMs, () => end('timeout'));
  const cancelWatch = watched(run, end);
  closed
    .finally(() => {
      run.signal.removeEventListener('abort', stop);
      cancelTime();
      cancelWatch();
    })
    .catch(() => undefined);
  try {
    if (child.pid !== undefined) await run.admit(child.pid);
    feed(child, run);
  } catch (error) {
    gate.end();
    throw error;
  }
  return () => endedBy;
};

const feed = (child: ChildProcess, { options }: JailRun): void => {
  const pipe = (index: number): Writable => child.stdio[index] as Writable;
  for (const index of [0, 3, 4]) {
    // The command may end before it has read everything.
    pipe(index).on('error', () => undefined);
  }
  pipe(3).end(options.map((option) => `${option}\0`).join(''));
  pipe(4).write('begin\n');
};

/** First line of what bubblewrap complained of. */
export const complaintOf = (stderr: Uint8Array): string =>
  Buffer.from(stderr).toString('utf8').trim().split('\n')[0]?.slice(0, COMPLAINT_CHARS) ?? '';
