import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { isFault } from '../../../base/index.ts';
import { objectDamaged, verifiedBytes } from '../../contracts/index.ts';
import { FRAME_HEADER_BYTES, frameContentSize } from './zstd-frame.ts';

/** Where an object is, and how. */
export interface ObjectFile {
  readonly sha256: string;
  readonly file: string;
  readonly isCompressed: boolean;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Size of the plain bytes. */
export const objectSize = async (object: ObjectFile): Promise<number> => {
  if (!object.isCompressed) return (await stat(object.file)).size;
  const handle = await open(object.file, 'r');
  try {
    const size = await readFrameSize(handle);
    if (size === undefined) throw objectDamaged(object.sha256);
    return size;
  } finally {
    await handle.close();
  }
};

const readFrameSize = async (handle: FileHandle): Promise<number | undefined> => {
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  const { bytesRead } = await handle.read(header, 0, header.byteLength, 0);
  return frameContentSize(header.subarray(0, bytesRead));
};

/** Plain bytes of the whole object; ends with Fault DATA_LOSS OBJECT_DAMAGED when they are not what the name says. */
export const readWhole = (object: ObjectFile): AsyncGenerator<Uint8Array> =>
  verifiedBytes(plainBytes(object), object.sha256);

/** Plain bytes [start, end); a compressed object is decoded from its beginning. */
export async function* readRange(object: ObjectFile, range: ByteRange): AsyncGenerator<Uint8Array> {
  if (range.end <= range.start) return;
  if (!object.isCompressed) {
    yield* createReadStream(object.file, { start: range.start, end: range.end - 1 });
    return;
  }
  let at = 0;
  for await (const chunk of plainBytes(object)) {
    const piece = chunk.subarray(Math.max(0, range.start - at), Math.max(0, range.end - at));
    at += chunk.byteLength;
    if (piece.byteLength > 0) yield piece;
    if (at >= range.end) return;
  }
}

async function* plainBytes(object: ObjectFile): AsyncGenerator<Uint8Array> {
  const file = createReadStream(object.file);
  if (!object.isCompressed) {
    yield* file;
    return;
  }
  // The callback only keeps a read error from being unhandled: the decoder is destroyed with it, and iteration throws.
  const decoder = pipeline(file, createZstdDecompress(), () => undefined);
  try {
    yield* decoder;
  } catch (error) {
    throw isFault(error) ? error : objectDamaged(object.sha256, error);
  }
}
