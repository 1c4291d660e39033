import { createHash } from 'node:crypto';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';

/** Bytes on this machine that can be read more than once, and their hash. */
export interface LocalContent {
  readonly blob: Blob;
  readonly sizeBytes: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/** The bytes of a file, of standard input for `-`. */
export const localContent = async (host: Host, path: string, absolute: string): Promise<LocalContent> => {
  if (path !== '-' && host.files.facts(absolute)?.isDirectory === true)
    throw new CommandFailure(`${path} is a directory: one file at a time`);
  const blob =
    path === '-'
      ? new Blob([(await host.stdin.readAllBytes()) as Uint8Array<ArrayBuffer>])
      : await host.files.openBlob(absolute);
  if (blob === undefined) throw new CommandFailure(`there is no file ${path}`);
  return { blob, sizeBytes: blob.size, sha256: await hashOf(blob) };
};

/** SHA-256 of a blob in hex. */
export const hashOf = async (blob: Blob): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of blob.stream()) hash.update(piece);
  return hash.digest('hex');
};

/** The chunks as they come; throws at the end if they are not the promised bytes. */
export async function* verified(
  pieces: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
  if (sha256 !== '' && hash.digest('hex') !== sha256)
    throw new CommandFailure('the bytes that came are not those that are stored: nothing is kept', {
      hint: 'try again; `svc describe file NAME` says whether the stored bytes are intact',
    });
}
