/** So many pieces are kept one by one before they become one. */
const LOOSE_MAX = 1024;
/** From this size on a body lies in one room, into which each piece is copied as it comes. */
const ROOM_FROM_BYTES = 256 * 1024;
/** How much larger the next room is when one is full. */
const GROWTH = 4;
/** A body of undeclared size gets room for the most it may have, up to here. */
const RESERVED_BYTES = 16 * 1024 * 1024;

/**
 * A body of at most `limit` bytes that comes in pieces; `declared` is its content-length. Small pieces are joined now and then: a
 * body of 8 MiB that is sent byte by byte would otherwise be kept as eight million buffers, which take a hundred times its size.
 * A large body is copied as it comes, since memory that is written for the first time costs so much time (up to 8 ms a
 * mebibyte) that joining it at the end would hold up everybody else.
 */
export class GatheredBody {
  readonly #limit: number;
  /** Size of the first room. */
  readonly #expected: number;
  readonly #joined: Buffer[] = [];
  #loose: Buffer[] = [];
  #size = 0;
  /** Memory that costs nothing until it is written, and so may be larger than what comes. */
  #room: Buffer | undefined;

  constructor(limit: number, declared?: string) {
    this.#limit = limit;
    const expected = declared === undefined ? Math.min(limit, RESERVED_BYTES) : Number(declared);
    this.#expected = Number.isFinite(expected) ? Math.min(expected, limit) : 0;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** Of a body that is larger than it may be only the size is kept: it is refused. */
  add(piece: Buffer): void {
    const at = this.#size;
    this.#size += piece.length;
    if (this.#size > this.#limit) {
      this.#joined.length = 0;
      this.#loose = [];
      this.#room = undefined;
      return;
    }
    if (this.#room !== undefined || this.#size > ROOM_FROM_BYTES) {
      const room = this.#roomFor(this.#size, at);
      piece.copy(room, at);
      return;
    }
    if (piece.length === 0 || this.#loose.push(piece) < LOOSE_MAX) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** The body; empty when it is larger than it may be. */
  whole(): Buffer {
    if (this.#size > this.#limit) return Buffer.alloc(0);
    if (this.#room !== undefined) return this.#room.subarray(0, this.#size);
    const [only] = this.#loose;
    if (only !== undefined && this.#loose.length === 1 && this.#joined.length === 0) return only;
    return Buffer.concat([...this.#joined, ...this.#loose], this.#size);
  }

  /** A room for `bytes` in which the first `filled` bytes of the body lie already. */
  #roomFor(bytes: number, filled: number): Buffer {
    const before = this.#room;
    if (before !== undefined && before.length >= bytes) return before;
    const grown = Math.min((before?.length ?? ROOM_FROM_BYTES) * GROWTH, this.#limit);
    const room = Buffer.allocUnsafeSlow(Math.max(this.#expected, grown, bytes));
    if (before !== undefined) before.copy(room, 0, 0, filled);
    else {
      let at = 0;
      for (const piece of [...this.#joined, ...this.#loose]) at += piece.copy(room, at);
      this.#joined.length = 0;
      this.#loose = [];
    }
    this.#room = room;
    return room;
  }
}
