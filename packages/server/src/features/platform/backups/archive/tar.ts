import { Buffer } from 'node:buffer';
import { archiveDamaged } from './archive-faults.ts';

/** Everything in a tar comes in blocks of this size; contents are filled up with zeros. */
export const BLOCK_BYTES = 512;

/** One file of an archive. */
export interface TarEntry {
  /** Path inside the archive: printable ASCII, at most 100 characters. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** Places in a ustar header: [offset, length] (POSIX.1-1988). */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

const REGULAR_FILE = '0';
const MAGIC = 'ustar\u000000';
const SIZE_MAX = 8 ** 11 - 1;
const NAME = /^[\x21-\x7e]{1,100}$/;

const put = (block: Buffer, [offset, length]: readonly [number, number], text: string): void => {
  block.write(text, offset, length, 'latin1');
};

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

/** The sum over a header whose own sum counts as blanks. */
const sumOf = (block: Buffer): number => {
  const [from, length] = FIELDS.sum;
  let sum = 0x20 * length;
  for (let at = 0; at < BLOCK_BYTES; at++) if (at < from || at >= from + length) sum += block[at] ?? 0;
  return sum;
};

/** The header of a file that only its owner may read. Throws RangeError for what a ustar header cannot say. */
export const tarHeader = ({ name, sizeBytes }: TarEntry, seconds: number): Buffer => {
  if (!NAME.test(name)) throw new RangeError(`${name} cannot be a name in an archive`);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || sizeBytes > SIZE_MAX)
    throw new RangeError(`${name}: an archive holds files up to ${SIZE_MAX} bytes, not ${sizeBytes}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  put(block, FIELDS.name, name);
  put(block, FIELDS.mode, octal(0o600, 7));
  put(block, FIELDS.owner, octal(0, 7));
  put(block, FIELDS.group, octal(0, 7));
  put(block, FIELDS.size, octal(sizeBytes, 11));
  put(block, FIELDS.time, octal(seconds, 11));
  put(block, FIELDS.type, REGULAR_FILE);
  put(block, FIELDS.magic, MAGIC);
  put(block, FIELDS.sum, `${sumOf(block).toString(8).padStart(6, '0')}\0 `);
  return block;
};

/** Zeros after so many bytes of contents. */
export const paddingAfter = (sizeBytes: number): number => (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;

/** True for a block that ends an archive. */
const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0);

const text = (block: Buffer, [offset, length]: readonly [number, number]): string => {
  const field = block.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end);
};

/** What a header says; undefined when it is not a header of a regular file, or damaged. */
const parseTarHeader = (block: Buffer): TarEntry | undefined => {
  const [name, size, sum] = [text(block, FIELDS.name), text(block, FIELDS.size), text(block, FIELDS.sum)];
  const isSound = text(block, FIELDS.type) === REGULAR_FILE && Number.parseInt(sum, 8) === sumOf(block);
  if (!isSound || !NAME.test(name) || !/^[0-7]{11}$/.test(size)) return undefined;
  return { name, sizeBytes: Number.parseInt(size, 8) };
};

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
