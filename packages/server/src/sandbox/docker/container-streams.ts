/** Longest frame that is believed: the engine writes what it reads at once, which is far less. */
const FRAME_MAX = 64 * 1_048_576;
const HEADER_BYTES = 8;
const NAMES = ['stdin', 'stdout', 'stderr'] as const;

/**
 * Takes apart what an engine sends of a container without a terminal: frames of a header (number of the stream, three zeros, length as
 * four bytes, the highest first) and bytes. Holds back nothing but a part of a header, however the bytes come.
 */
export class ContainerStreams {
  readonly #take: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #stream: 'stdout' | 'stderr' = 'stdout';
  #left = 0;

  constructor(take: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void) {
    this.#take = take;
  }

  /** Takes in bytes as they come; throws when these are not frames. */
  add(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const part = bytes.subarray(at, at + this.#left);
        this.#take(this.#stream, part);
        this.#left -= part.length;
        at += part.length;
        continue;
      }
      this.#header[this.#headerBytes++] = Number(bytes[at++]);
      if (this.#headerBytes === HEADER_BYTES) this.#begin();
    }
  }

  /** False in the middle of a frame: a stream that ends there is broken. */
  get isWhole(): boolean {
    return this.#left === 0 && this.#headerBytes === 0;
  }

  #begin(): void {
    const name = NAMES[Number(this.#header[0])];
    const length = this.#header.readUInt32BE(4);
    if (name === undefined || this.#header.readUIntBE(1, 3) !== 0 || length > FRAME_MAX)
      throw new Error('the engine sent something else than frames of output');
    this.#stream = name === 'stderr' ? 'stderr' : 'stdout';
    this.#left = length;
    this.#headerBytes = 0;
  }
}
