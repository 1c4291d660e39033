import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, constants as zlib } from 'node:zlib';
import { isNoRoom, piecesOf } from '../../../base/index.ts';
import { ByteMeasure, storageFull } from '../../contracts/index.ts';
import { TextCheck } from './text-check.ts';

/** Bytes that are hashed and written in one step. */
const STEP_BYTES = 512 * 1024;
/** Text up to this size is kept as it is. */
const COMPRESS_ABOVE_BYTES = 4096;
/** A compressed object is kept when it is at most this share of the plain one. */
const KEPT_SHARE = 0.9;

/** A whole object in `tmp/`, synced, not yet under its name. */
export interface WrittenObject {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly file: string;
  readonly isCompressed: boolean;
}

/** Hash, size and kind of bytes while they pass. Throws Fault TOO_LARGE beyond the limit. */
class Measure {
  readonly #bytes: ByteMeasure;
  readonly #text = new TextCheck();

  constructor(limitBytes: number) {
    this.#bytes = new ByteMeasure(limitBytes);
  }

  get sizeBytes(): number {
    return this.#bytes.sizeBytes;
  }

  add(chunk: Uint8Array): void {
    this.#bytes.add(chunk);
    this.#text.add(chunk);
  }

  end(): { readonly sha256: string; readonly isText: boolean } {
    return { sha256: this.#bytes.end(), isText: this.#text.end() };
  }
}

/** Writes the bytes to `file` (or `file.zst` when that is smaller) and syncs them; leaves nothing behind when it throws. */
export const writeObject = async (
  file: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<WrittenObject> => {
  const measure = new Measure(limitBytes);
  try {
    await writeAll(file, bytes, measure);
    const { sha256, isText } = measure.end();
    const { sizeBytes } = measure;
    const isCompressed = isText && sizeBytes > COMPRESS_ABOVE_BYTES && (await compress(file, sizeBytes));
    const kept = isCompressed ? `${file}.zst` : file;
    if (isCompressed) await rm(file);
    await syncFile(kept);
    return { sha256, sizeBytes, file: kept, isCompressed };
  } catch (error) {
    await rm(file, { force: true });
    await rm(`${file}.zst`, { force: true });
    throw isNoRoom(error) ? storageFull(error) : error;
  }
};

/** Puts a written object under its name; durable when it resolves. An object that is there already stays. */
export const placeObject = async (written: WrittenObject, target: string): Promise<void> => {
  const folder = dirname(target);
  const firstMade = await mkdir(folder, { recursive: true });
  await rename(written.file, target);
  await syncFolder(folder);
  if (firstMade === undefined) return;
  for (let path = folder; path.length >= firstMade.length; path = dirname(path)) await syncFolder(dirname(path));
};

const writeAll = async (
  file: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> => {
  const handle = await open(file, 'wx', 0o600);
  try {
    const chunks = bytes instanceof Uint8Array ? piecesOf(bytes, STEP_BYTES) : bytes;
    for await (const chunk of chunks) await writeChunk(handle, chunk, measure);
  } finally {
    await handle.close();
  }
};

const writeChunk = async (handle: FileHandle, chunk: Uint8Array, measure: Measure): Promise<void> => {
  measure.add(chunk);
  let written = 0;
  while (written < chunk.byteLength) written += (await handle.write(chunk, written)).bytesWritten;
};

/** Writes `file.zst`; false (and nothing left) when it saves too little. The size goes into the frame's header. */
const compress = async (file: string, sizeBytes: number): Promise<boolean> => {
  const target = `${file}.zst`;
  const encoder = createZstdCompress({
    pledgedSrcSize: sizeBytes,
    params: { [zlib.ZSTD_c_compressionLevel]: 3, [zlib.ZSTD_c_checksumFlag]: 1 },
  });
  await pipeline(createReadStream(file), encoder, createWriteStream(target, { mode: 0o600 }));
  const isSmaller = (await stat(target)).size <= sizeBytes * KEPT_SHARE;
  if (!isSmaller) await rm(target);
  return isSmaller;
};

const syncFile = async (file: string): Promise<void> => {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
