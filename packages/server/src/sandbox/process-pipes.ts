import { Readable, type Writable } from 'node:stream';
import { BoundedOutput } from './bounded-output.ts';
import type { SandboxProcess, SandboxResult } from './contract.ts';

/** Of a command that was stopped before it began. */
export const STOPPED: SandboxResult = { exitCode: 137, ...new BoundedOutput(0).get(), endedBy: 'stopped' };

/** Pipes of a command that never began. */
export const NO_PIPES: Omit<SandboxProcess, 'ended'> = {
  stdout: Readable.from([]),
  write: async () => undefined,
  closeInput: () => undefined,
};

/** What a stream gives until it ends or is destroyed. */
export async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Resolves when the pipe takes more, or is closed: a process that ended takes nothing. */
export const written = (pipe: Writable, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (pipe.destroyed || pipe.writableEnded) return resolve();
    pipe.write(bytes, () => resolve());
  });
