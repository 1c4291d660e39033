import type { Duplex } from 'node:stream';
import { type Clock, Fault } from '../../base/index.ts';
import { BoundedOutput } from '../bounded-output.ts';
import type { SandboxEnd, SandboxResult } from '../contract.ts';
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
  /** Told when the container of a command that ended could not be removed; it is found as left over later. */
  readonly failedRemoval: (error: unknown) => void;
}

/** How long an engine may take to end what it was told to end, and to hand over the last of its output. */
const END_MS = 30_000;
const KILLED = 137;

/** Runs the command of a container to the end of all its processes, and removes the container. */
export const runContainer = async (run: ContainerCommand): Promise<SandboxResult> => {
  const { engine, signal } = run;
  const output = new BoundedOutput(run.outputBytes);
  if (signal.aborted) return { exitCode: KILLED, ...output.get(), endedBy: 'stopped' };
  const id = await engine.createContainer(run.body);
  let streams: Duplex | undefined;
  try {
    streams = await engine.attach(id);
    const { exitCode, endedBy } = await ended(run, id, { streams, output });
    const isShort = endedBy === 'exit' && exitCode !== 0 && (await engine.wasShortOfMemory(id));
    return { exitCode, ...output.get(), endedBy: isShort ? 'memory' : endedBy };
  } finally {
    streams?.destroy();
    await engine.removeContainer(id).catch(run.failedRemoval);
  }
};

interface Ended {
  readonly exitCode: number;
  readonly endedBy: SandboxEnd;
}

/** Starts the container and ends it when it has to. */
const ended = async (
  run: ContainerCommand,
  id: string,
  { streams, output }: { readonly streams: Duplex; readonly output: BoundedOutput },
): Promise<Ended> => {
  const { engine, clock, signal } = run;
  const { promise: hasFailed, reject: fail } = Promise.withResolvers<never>();
  const cancels: (() => void)[] = [];
  const limit = (what: string): void => {
    cancels.push(clock.after(END_MS, () => fail(unavailable(`the Docker engine did not ${what} in time`))));
  };
  let endedBy: SandboxEnd = 'exit';
  let isStarted = false;
  const kill = (): void => {
    limit('end a container');
    engine.kill(id).catch(fail);
  };
  const end = (why: SandboxEnd): void => {
    if (endedBy !== 'exit') return;
    endedBy = why;
    if (isStarted) kill();
  };
  const stop = (): void => end('stopped');
  signal.addEventListener('abort', stop);
  cancels.push(
    clock.after(run.timeoutMs, () => end('timeout')),
    watched(run, end),
  );
  try {
    const isRead = collected(streams, output);
    // Seen where it is awaited; the start may fail before.
    isRead.catch(() => undefined);
    if (signal.aborted) return { exitCode: KILLED, endedBy: 'stopped' };
    await Promise.race([engine.start(id), hasFailed]);
    isStarted = true;
    if (endedBy !== 'exit') kill();
    // The command may end before it has read everything.
    streams.end(run.stdin);
    const exitCode = await Promise.race([engine.wait(id), hasFailed]);
    const why = endedBy;
    limit('hand over the end of the output');
    await Promise.race([isRead, hasFailed]);
    return { exitCode, endedBy: why };
  } finally {
    signal.removeEventListener('abort', stop);
    for (const cancel of cancels) cancel();
    // Whatever fails from now on has no one to tell.
    hasFailed.catch(() => undefined);
  }
};

/** Reads the output to its end; rejects when it breaks off. */
const collected = (streams: Duplex, output: BoundedOutput): Promise<void> =>
  new Promise((resolve, reject) => {
    const frames = new ContainerStreams((name, chunk) => output.add(name, chunk));
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
  });

const unavailable = (message: string): Fault => new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', message);
