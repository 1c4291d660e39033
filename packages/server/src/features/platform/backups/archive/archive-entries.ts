import { Buffer } from 'node:buffer';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../../../../base/index.ts';
import { ARCHIVE_FORMAT, MANIFEST_ENTRY, type Manifest } from './manifest.ts';
import { type SealedFile, writeSealed } from './sealed-stream.ts';
import { BLOCK_BYTES, paddingAfter, type TarEntry, tarHeader } from './tar.ts';

/** A file of an archive with its contents, exactly `sizeBytes` of them. */
export interface ArchiveEntry extends TarEntry {
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** An entry whose bytes are all in memory. */
export const wholeEntry = (name: string, bytes: Uint8Array): ArchiveEntry => ({
  name,
  sizeBytes: bytes.byteLength,
  bytes: [bytes],
});

/** Contents of the first entry. */
export const formatText = (svc: string): Uint8Array =>
  Buffer.from(`${JSON.stringify({ format: ARCHIVE_FORMAT, svc })}\n`);

/** The last entry of every archive. */
export const manifestEntry = (manifest: Manifest): ArchiveEntry =>
  wholeEntry(MANIFEST_ENTRY, Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));

/** A tar of these entries, all of one time (Unix seconds). The signal is checked before each entry. */
export async function* tarOf(
  entries: AsyncIterable<ArchiveEntry>,
  seconds: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    signal?.throwIfAborted();
    yield tarHeader(entry, seconds);
    yield* entry.bytes;
    yield Buffer.alloc(paddingAfter(entry.sizeBytes));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** As placeFile, of a sealed file. */
export const placeArchive = (file: string, tar: AsyncIterable<Uint8Array>): Promise<SealedFile> =>
  placeFile(file, (part) => writeSealed(part, tar));

/**
 * Has a file written next to `file` and then gives it its name, durably: no one ever sees half of it. `write` makes the file it
 * is given, mode 0600, and syncs it. Fault ALREADY_EXISTS FILE_EXISTS when the name is taken; a failure leaves nothing.
 */
export const placeFile = async <T>(file: string, write: (part: string) => Promise<T>): Promise<T> => {
  const part = `${file}.part`;
  // What a process that was killed left here is no one's.
  await rm(part, { force: true });
  try {
    const written = await write(part);
    await giveName(part, file);
    return written;
  } finally {
    await rm(part, { force: true });
  }
};

/** A link, unlike a rename, never replaces what has that name. */
const giveName = async (part: string, file: string): Promise<void> => {
  try {
    await link(part, file);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isTaken ? new Fault('ALREADY_EXISTS', 'FILE_EXISTS', `${file} exists already`, { cause: error }) : error;
  }
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
