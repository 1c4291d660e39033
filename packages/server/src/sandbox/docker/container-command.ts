import { type Duplex, PassThrough } from 'node:stream';
import { type Clock, Fault } from '../../base/index.ts';
import { BoundedOutput } from '../bounded-output.ts';
import type { SandboxEnd, SandboxProcess, SandboxResult } from '../contract.ts';
import { chunksOf, NO_PIPES, STOPPED, written } from '../process-pipes.ts';
import { type Watch, watched } from '../watched.ts';
import type { ContainerBody } from './container-rules.ts';
import { ContainerStreams } from './container-streams.ts';
import type { DockerEngine } from './docker-engine.ts';

export interface ContainerCommand {
  readonly engine: DockerEngine;
  readonly body: ContainerBody;
  readonly stdin?: Uint8Array | undefined;
  readonly outputBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after'>;
  readonly watch?: Watch;
  /** Called when the container of a command that ended could not be removed; it is found as left over later. */
  readonly failedRemoval: (error: unknown) => void;
}

/** How long an engine may take to end what it is to end, and to hand over the last of its output. */
const END_MS = 30_000;

/** Runs the command of a container to the end of all its processes, and removes the container. */
export const runContainer = async (run: ContainerCommand): Promise<SandboxResult> => {
  if (run.signal.aborted) return STOPPED;
  const output = new BoundedOutput(run.outputBytes);
  const { streams, ended } = await begin(run, output, (chunk) => output.add('stdout', chunk));
  // The command may end before it has read everything.
  streams.end(run.stdin);
  return ended;
};

/** As `runContainer`, for a command that runs on: resolves when it has begun. */
export const startContainer = async (run: ContainerCommand): Promise<SandboxProcess> => {
  if (run.signal.aborted) return { ...NO_PIPES, ended: Promise.resolve(STOPPED) };
  const stdout = new PassThrough();
  const { streams, ended } = await begin(run, new BoundedOutput(run.outputBytes), (chunk) => {
    if (stdout.destroyed || stdout.write(chunk)) return;
    streams.pause();
    stdout.once('drain', () => streams.resume());
  });
  const letGo = (): void => {
    // Of a command that was ended no one takes the rest, which would hold back the end.
    stdout.destroy();
    streams.resume();
  };
  run.signal.addEventListener('abort', letGo, { once: true });
  const over = ended
    .then((result) => {
      if (result.endedBy === 'exit') stdout.end();
      else letGo();
      return result;
    })
    .catch((error: unknown) => {
      letGo();
      throw error;
    })
    .finally(() => run.signal.removeEventListener('abort', letGo));
  return {
    stdout: chunksOf(stdout),
    write: (bytes) => written(streams, bytes),
    closeInput: () => streams.end(),
    ended: over,
  };
};

interface Begun {
  readonly streams: Duplex;
  /** Resolves once the container is over and removed. */
  readonly ended: Promise<SandboxResult>;
}

/** Makes and starts the container; its standard output is `take`n, what it says of errors is kept in `output`. */
const begin = async (
  run: ContainerCommand,
  output: BoundedOutput,
  take: (chunk: Uint8Array) => void,
): Promise<Begun> => {
  const { engine } = run;
  const id = await engine.createContainer(run.body);
  const ends = ending(run, id);
  let streams: Duplex | undefined;
  const close = async (): Promise<void> => {
    ends.close();
    streams?.destroy();
    await engine.removeContainer(id).catch(run.failedRemoval);
  };
  try {
    streams = await engine.attach(id);
    const frames = new ContainerStreams((name, chunk) => (name === 'stdout' ? take(chunk) : output.add(name, chunk)));
    const isRead = collected(streams, frames);
    isRead.catch(ends.broke);
    await Promise.race([engine.start(id), ends.hasFailed]);
    ends.started();
    const ended = over({ run, id, ends, isRead, output }).finally(close);
    // Its caller awaits it too; one that never does must not end the server.
    ended.catch(() => undefined);
    return { streams, ended };
  } catch (error) {
    await close();
    throw error;
  }
};

const over = async (by: {
  readonly run: ContainerCommand;
  readonly id: string;
  readonly ends: ReturnType<typeof ending>;
  readonly isRead: Promise<void>;
  readonly output: BoundedOutput;
}): Promise<SandboxResult> => {
  const { ends, id, output } = by;
  const { engine } = by.run;
  const exitCode = await Promise.race([engine.wait(id), ends.hasFailed]);
  const endedBy = ends.why();
  // Of a command that was ended the rest is of no use; a reader that is slow holds back no end.
  if (endedBy === 'exit') await by.isRead;
  else await Promise.race([by.isRead.catch(() => undefined), ends.within('hand over the end of the output')]);
  const isShort = endedBy === 'exit' && exitCode !== 0 && (await engine.wasShortOfMemory(id));
  return { exitCode, ...output.get(), endedBy: isShort ? 'memory' : endedBy };
};

/** What ends a container before its command does: its time, its caller, what watches it. */
const ending = (run: ContainerCommand, id: string) => {
  const { engine, clock, signal } = run;
  const { promise: hasFailed, reject: fail } = Promise.withResolvers<never>();
  // Nothing awaits what fails after the end.
  hasFailed.catch(() => undefined);
  const cancels: (() => void)[] = [];
  let endedBy: SandboxEnd = 'exit';
  let isStarted = false;
  const within = (what: string): Promise<never> => {
    cancels.push(clock.after(END_MS, () => fail(unavailable(`the Docker engine did not ${what} in time`))));
    return hasFailed;
  };
  const kill = (): void => {
    void within('end a container').catch(() => undefined);
    engine.kill(id).catch(fail);
  };
  const end = (why: SandboxEnd): void => {
    if (endedBy !== 'exit') return;
    endedBy = why;
    if (isStarted) kill();
  };
  const stop = (): void => end('stopped');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  cancels.push(
    clock.after(run.timeoutMs, () => end('timeout')),
    watched(run, end),
  );
  return {
    hasFailed,
    within,
    why: () => endedBy,
    /** Output that breaks off ends a command that was not to end yet: no one would see what it says. */
    broke: (error: unknown) => {
      if (endedBy === 'exit') fail(error);
    },
    started: () => {
      isStarted = true;
      if (endedBy !== 'exit') kill();
    },
    close: () => {
      signal.removeEventListener('abort', stop);
      for (const cancel of cancels) cancel();
    },
  };
};

/** Reads the output to its end; rejects when it breaks off. */
const collected = (streams: Duplex, frames: ContainerStreams): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const broken = (cause?: unknown): void =>
    reject(Object.assign(unavailable('the output of a container broke off'), { cause }));
  streams.on('data', (chunk: Buffer) => {
    try {
      frames.add(chunk);
    } catch (error) {
      streams.destroy();
      broken(error);
    }
  });
  streams.on('error', broken);
  streams.on('end', () => (frames.isWhole ? resolve() : broken()));
  streams.on('close', () => broken());
  return promise;
};

const unavailable = (message: string): Fault => new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', message);
