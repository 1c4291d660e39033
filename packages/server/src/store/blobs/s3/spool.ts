import { Buffer } from 'node:buffer';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Random } from '../../../base/index.ts';
import { ByteMeasure } from '../../contracts/index.ts';
import type { NamedBytes } from './s3-bucket.ts';

const PIECE_BYTES = 64 * 1024;

/** Bytes that came whole. */
export interface SpooledBytes extends NamedBytes {
  /** Reads them from their beginning; the caller who opens it destroys it. */
  open(): Readable;
}

/**
 * Holds bytes of unknown hash on disk until the last one came: nothing is sent under a name it does not deserve, and no
 * object is held in memory. Its files lose their names as soon as they are open, so that a crash leaves nothing and several
 * processes may share a folder.
 */
export class Spool {
  readonly #dir: string;
  readonly #random: Random;

  constructor(dir: string, random: Random) {
    this.#dir = dir;
    this.#random = random;
  }

  /** Passes on what `use` answers; the bytes are gone when it resolves. Throws TOO_LARGE, and what the source throws. */
  async hold<T>(
    source: AsyncIterable<Uint8Array>,
    limitBytes: number,
    use: (held: SpooledBytes) => Promise<T>,
  ): Promise<T> {
    const handle = await this.#openNameless();
    try {
      const measure = new ByteMeasure(limitBytes);
      for await (const chunk of source) {
        measure.add(chunk);
        await handle.appendFile(chunk);
      }
      const { sizeBytes } = measure;
      const open = (): Readable => Readable.from(bytesOf(handle, sizeBytes), { objectMode: false });
      return await use({ open, sizeBytes, sha256: measure.end() });
    } finally {
      await handle.close();
    }
  }

  async #openNameless(): Promise<FileHandle> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const file = join(this.#dir, Buffer.from(this.#random.fill(new Uint8Array(12))).toString('hex'));
    const handle = await open(file, 'wx+', 0o600);
    await rm(file);
    return handle;
  }
}

/** Reads by position: a stream of the handle would close it when it is destroyed, and a second try needs it. */
async function* bytesOf(handle: FileHandle, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(PIECE_BYTES), position: at });
    if (bytesRead === 0) throw new Error('a file of the spool lost bytes');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
