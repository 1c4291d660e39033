import { Buffer } from 'node:buffer';
import { archiveDamaged } from './archive-faults.ts';
import { BLOCK_BYTES, isZero, paddingAfter, parseTarHeader, type TarEntry } from './tar-header.ts';

/** A file of an archive while it is being read: `bytes` must be read to its end before the next entry is asked for. */
export interface TarFile extends TarEntry {
  readonly bytes: AsyncIterable<Buffer>;
}

/** Pieces of a stream, cut to measure; never holds more than one piece of the source and what is asked for. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Between 1 and `most` bytes; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.#rest.byteLength === 0) {
      const next = await this.#source.next();
      if (next.done === true) return undefined;
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.byteLength);
    return piece;
  }

  /** Exactly `count` bytes. Fault ARCHIVE_DAMAGED when the stream ends before. */
  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const piece = await this.some(missing);
      if (piece === undefined) throw archiveDamaged('it ends too early');
      pieces.push(piece);
      missing -= piece.byteLength;
    }
    return Buffer.concat(pieces);
  }
}

/** The files of a tar in order. Fault DATA_LOSS ARCHIVE_DAMAGED for anything but regular files and zeros behind them. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const pieces = new Pieces(source);
  for (;;) {
    const block = await pieces.exactly(BLOCK_BYTES);
    if (isZero(block)) break;
    const entry = parseTarHeader(block);
    if (entry === undefined) throw archiveDamaged('a header in it does not fit its sum');
    const contents = { left: entry.sizeBytes };
    yield { ...entry, bytes: readContents(pieces, contents) };
    if (contents.left > 0) throw new Error(`${entry.name} was not read to its end`);
    if (!isZero(await pieces.exactly(paddingAfter(entry.sizeBytes)))) throw archiveDamaged('a filling is not empty');
  }
  for (let piece = await pieces.some(BLOCK_BYTES); piece !== undefined; piece = await pieces.some(BLOCK_BYTES))
    if (!isZero(piece)) throw archiveDamaged('something follows its end');
}

async function* readContents(pieces: Pieces, contents: { left: number }): AsyncGenerator<Buffer> {
  while (contents.left > 0) {
    const piece = await pieces.some(contents.left);
    if (piece === undefined) throw archiveDamaged('it ends too early');
    contents.left -= piece.byteLength;
    yield piece;
  }
}
