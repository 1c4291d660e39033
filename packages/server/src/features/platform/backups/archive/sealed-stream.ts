import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress, constants as zlib } from 'node:zlib';
import { isFault } from '../../../../base/index.ts';
import { archiveDamaged, notAnArchive } from './archive-faults.ts';

/**
 * The seal is a skippable frame of zstd (RFC 8878, 3.1.2), which other programs skip: magic, length, a mark, and the
 * SHA-256 of every byte of the file before it. No byte can change without being found out.
 */
const SKIPPABLE_MAGIC = 0x184d2a5b;
const MARK = 'svc1';
const HASH_BYTES = 32;
const SEAL_BYTES = 8 + MARK.length + HASH_BYTES;
const ZSTD_MAGIC = 0xfd2fb528;
const LEVEL = 3;

/** What every seal begins with. */
const sealHead = (): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  head.writeUInt32LE(MARK.length + HASH_BYTES, 4);
  return Buffer.concat([head, Buffer.from(MARK)]);
};

const sealOf = (hash: Buffer): Buffer => Buffer.concat([sealHead(), hash]);

/** A finished file as a whole. */
export interface SealedFile {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Compresses a stream into a new file, mode 0600, seals and syncs it. The caller removes what a failure leaves. */
export const writeSealed = async (file: string, source: AsyncIterable<Uint8Array>): Promise<SealedFile> => {
  const [body, whole] = [createHash('sha256'), createHash('sha256')];
  let sizeBytes = 0;
  const handle = await open(file, 'wx', 0o600);
  const write = async (bytes: Buffer): Promise<void> => {
    whole.update(bytes);
    sizeBytes += bytes.byteLength;
    await writeAll(handle, bytes);
  };
  try {
    const encoder = createZstdCompress({
      params: { [zlib.ZSTD_c_compressionLevel]: LEVEL, [zlib.ZSTD_c_checksumFlag]: 1 },
    });
    for await (const bytes of through(source, encoder)) {
      body.update(bytes);
      await write(bytes);
    }
    await write(sealOf(body.digest()));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: whole.digest('hex') };
};

/**
 * The plain bytes of a sealed file, from its beginning; ends with Fault ARCHIVE_DAMAGED unless every byte of the file is
 * the one that was written. INVALID_ARGUMENT ARCHIVE_UNKNOWN for what never was one.
 */
export async function* readSealed(file: string): AsyncGenerator<Uint8Array> {
  const { bodyBytes, seal } = await readSeal(file);
  const hash = createHash('sha256');
  const body = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of createReadStream(file, { end: bodyBytes - 1 }) as AsyncIterable<Buffer>) {
      hash.update(bytes);
      yield bytes;
    }
  };
  try {
    yield* through(body(), createZstdDecompress());
  } catch (error) {
    throw isFault(error) ? error : archiveDamaged('it cannot be decompressed', error);
  }
  if (!sealOf(hash.digest()).equals(seal)) throw archiveDamaged('its bytes do not fit the hash at its end');
}

/** Bytes of `source` as `transform` turns them out; the failure of either is the failure of the whole. */
const through = (
  source: AsyncIterable<Uint8Array>,
  transform: ReturnType<typeof createZstdCompress> | ReturnType<typeof createZstdDecompress>,
): AsyncIterable<Buffer> =>
  // The callback only keeps an error from being unhandled: iteration throws it.
  pipeline(Readable.from(source, { objectMode: false }), transform, () => undefined) as AsyncIterable<Buffer>;

const readSeal = async (file: string): Promise<{ readonly bodyBytes: number; readonly seal: Buffer }> => {
  const handle = await openArchive(file);
  try {
    const { size } = await handle.stat();
    const first = Buffer.alloc(4);
    await handle.read(first, 0, 4, 0);
    const isCompressed = first.readUInt32LE(0) === ZSTD_MAGIC;
    const bodyBytes = size - SEAL_BYTES;
    const seal = Buffer.alloc(SEAL_BYTES);
    if (bodyBytes > 0) await handle.read(seal, 0, SEAL_BYTES, bodyBytes);
    const isSealed = seal.subarray(0, SEAL_BYTES - HASH_BYTES).equals(sealHead());
    if (!isCompressed && !isSealed) throw notAnArchive(`${file} is another sort of file`);
    if (!isSealed) throw archiveDamaged('its end is missing or changed');
    return { bodyBytes, seal };
  } finally {
    await handle.close();
  }
};

const openArchive = async (file: string): Promise<FileHandle> => {
  try {
    return await open(file, 'r');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw notAnArchive(`${file} ${isMissing ? 'does not exist' : 'cannot be read'}`, error);
  }
};

const writeAll = async (handle: FileHandle, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.byteLength; ) at += (await handle.write(bytes, at)).bytesWritten;
};
