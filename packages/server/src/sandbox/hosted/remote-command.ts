import { PassThrough } from 'node:stream';
import { type Clock, Fault, type Log } from '../../base/index.ts';
import { BoundedOutput } from '../bounded-output.ts';
import type { SandboxCommand, SandboxEnd, SandboxPlan, SandboxProcess, SandboxResult } from '../contract.ts';
import { chunksOf, NO_PIPES, STOPPED } from '../process-pipes.ts';
import { type HostedSandbox, LIFE_MS, type RemoteProgram } from './contract.ts';
import { LaunchLines } from './launch-lines.ts';
import { END_OF_INPUT, endingScript, inputLines, LAUNCH, type LaunchEvent, launchLine } from './remote-script-rules.ts';

export interface RemoteCommand {
  readonly sandbox: HostedSandbox;
  readonly plan: SandboxPlan;
  readonly command: SandboxCommand;
  /** Names the command among all of its sandbox. */
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/** How long ending a command may take. */
const END_MS = 30_000;
const AGAIN_MS = 200;
/** Most that a started program may write in all, in characters; then it is stopped. */
const PROGRAM_CHARS = 64 * 1_048_576;
/** Next to the output that is wanted: the lines around it, and what a login shell says. */
const SLACK_CHARS = 262_144;
/** Twice within the life of a sandbox, so that one failure does not end it. */
const EXTEND_MS = LIFE_MS / 3;

const outputBytesOf = ({ command, plan }: RemoteCommand): number => command.outputBytes ?? plan.limits.outputBytes;

/** Runs a command to its end. */
export const runRemote = async (run: RemoteCommand): Promise<SandboxResult> => {
  if (run.signal.aborted) return STOPPED;
  const limitBytes = outputBytesOf(run);
  const output = new BoundedOutput(limitBytes);
  // Both streams in base64.
  const mostChars = limitBytes * 4 + SLACK_CHARS;
  const take = (bytes: Uint8Array): void => output.add('stdout', bytes);
  const { program, ended } = await begin(run, { output, take, outputBytes: limitBytes, mostChars });
  // The command may end before it has read everything.
  program.send(inputLines(run.command.stdin ?? new Uint8Array()) + END_OF_INPUT).catch(() => undefined);
  return ended;
};

/** As `runRemote`, for a command that runs on: resolves when it has begun. */
export const startRemote = async (run: RemoteCommand): Promise<SandboxProcess> => {
  if (run.signal.aborted) return { ...NO_PIPES, ended: Promise.resolve(STOPPED) };
  const stdout = new PassThrough();
  const take = async (bytes: Uint8Array): Promise<void> => {
    if (stdout.destroyed || stdout.write(bytes)) return;
    await new Promise<void>((resolve) => {
      stdout.once('drain', resolve);
      stdout.once('close', resolve);
    });
  };
  // The output of a stopped command is not read any more: waiting for its reader would hold back the end.
  const letGo = (): void => void stdout.destroy();
  run.signal.addEventListener('abort', letGo, { once: true });
  const output = new BoundedOutput(outputBytesOf(run));
  const by = { output, take, outputBytes: 0, mostChars: PROGRAM_CHARS };
  const { program, ended } = await begin(run, by);
  const over = ended.then(
    (result) => {
      if (result.endedBy === 'exit') stdout.end();
      else stdout.destroy();
      return result;
    },
    (error: unknown) => {
      stdout.destroy();
      throw error;
    },
  );
  over.catch(() => undefined);
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    run.signal.removeEventListener('abort', letGo);
  };
  over.then(finish, finish);
  const send = async (text: string): Promise<void> => {
    if (isOver) return;
    // What does not arrive because the command ends is dropped; a broken connection ends it.
    await Promise.race([program.send(text), over]).catch(() => undefined);
  };
  let isClosed = false;
  return {
    stdout: chunksOf(stdout),
    write: (bytes) => (isClosed ? Promise.resolve() : send(inputLines(bytes))),
    closeInput: () => {
      if (!isClosed) void send(END_OF_INPUT);
      isClosed = true;
    },
    ended: over,
  };
};

interface Begun {
  readonly program: RemoteProgram;
  /** Resolves once none of its processes is left. */
  readonly ended: Promise<SandboxResult>;
}

/** Runs the launcher; what the command writes is `take`n, what it says of errors is kept in `output`. */
const begin = async (
  run: RemoteCommand,
  by: {
    readonly output: BoundedOutput;
    readonly take: (bytes: Uint8Array) => void | Promise<void>;
    readonly outputBytes: number;
    readonly mostChars: number;
  },
): Promise<Begun> => {
  const { plan, command, mark, sandbox } = run;
  const { output, mostChars } = by;
  const ends = ending(run);
  let exitCode: number | undefined;
  let chars = 0;
  const takeEvent = (event: LaunchEvent): void | Promise<void> => {
    if (event.kind === 'exit') exitCode = event.code;
    if (event.kind === 'bytes') return by.take(event.bytes);
  };
  const lines = {
    stdout: new LaunchLines('o', takeEvent),
    stderr: new LaunchLines('e', (event) => {
      if (event.kind === 'bytes') output.add('stderr', event.bytes);
    }),
  };
  let program: RemoteProgram | undefined;
  try {
    const begun = await sandbox.run(LAUNCH, async (stream, text) => {
      chars += text.length;
      // More than the launcher lets through: something in the sandbox writes past it.
      if (chars > mostChars) ends.end('stopped');
      else await lines[stream].add(text);
    });
    program = begun;
    ends.started(begun);
    const errorBytes = outputBytesOf(run);
    await begun.send(launchLine({ plan, command, mark, outputBytes: by.outputBytes, errorBytes }));
    const result = async (): Promise<SandboxResult> => {
      await Promise.race([begun.over, ends.hasFailed]);
      const endedBy = ends.why();
      if (endedBy === 'exit' && exitCode === undefined) throw broken('the command broke off without an exit code');
      return { exitCode: endedBy === 'exit' ? (exitCode ?? 0) : 137, ...output.get(), endedBy };
    };
    const ended = result().finally(ends.close);
    // Its caller awaits it too; one that never does must not end the server.
    ended.catch(() => undefined);
    return { program: begun, ended };
  } catch (error) {
    ends.close();
    await program?.kill();
    throw error;
  }
};

/** What ends a command before it does so itself, and what keeps its sandbox awake meanwhile. */
const ending = ({ sandbox, mark, signal, command, clock, log }: RemoteCommand) => {
  const { promise: hasFailed, reject: fail } = Promise.withResolvers<never>();
  // Nothing awaits what fails after the end.
  hasFailed.catch(() => undefined);
  const cancels = new Set<() => void>();
  let endedBy: SandboxEnd = 'exit';
  let isOver = false;
  let program: RemoteProgram | undefined;
  /** Ends the processes one by one inside; the launcher then ends by itself. */
  const kill = async (begun: RemoteProgram): Promise<void> => {
    cancels.add(
      clock.after(END_MS, () => {
        begun
          .kill()
          .catch((error: unknown) => log.warn('a hosted command could not be given up', { reason: String(error) }));
        fail(broken(`the command did not end within ${END_MS / 1_000} s`));
      }),
    );
    // Again and again: the launcher may be about to begin what has to end.
    while (!isOver) {
      const ender = await sandbox.run(endingScript(mark), () => undefined);
      await ender.over;
      await Promise.race([begun.over, pause(clock, AGAIN_MS)]);
    }
  };
  const end = (why: SandboxEnd): void => {
    if (endedBy !== 'exit') return;
    endedBy = why;
    if (program !== undefined) kill(program).catch(fail);
  };
  const stop = (): void => end('stopped');
  signal.addEventListener('abort', stop);
  cancels.add(clock.after(command.timeoutMs, () => end('timeout')));
  const extendLater = (): void => {
    const cancel = clock.after(EXTEND_MS, () => {
      cancels.delete(cancel);
      extendLater();
      sandbox
        .extend()
        .catch((error: unknown) =>
          log.warn('the life of a hosted sandbox could not be extended', { reason: String(error) }),
        );
    });
    cancels.add(cancel);
  };
  extendLater();
  return {
    hasFailed,
    end,
    why: () => endedBy,
    started: (begun: RemoteProgram) => {
      program = begun;
      if (endedBy !== 'exit') kill(begun).catch(fail);
    },
    close: () => {
      isOver = true;
      signal.removeEventListener('abort', stop);
      for (const cancel of cancels) cancel();
    },
  };
};

const pause = (clock: Pick<Clock, 'after'>, ms: number): Promise<void> =>
  new Promise((resolve) => clock.after(ms, () => resolve()));

const broken = (message: string): Fault => new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', message);
