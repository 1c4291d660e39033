const FIRST_BYTES = 64 * 1024;
/** A scratch larger than this is given back after the message, so that one huge answer pins no memory. */
const KEEP_BYTES = 4 * 1024 * 1024;
const SHORT_TEXT = 24;

/** Growing byte buffer for protobuf: varints, texts, and nested lengths patched in afterwards. Re-used between messages. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  reset(prefix: number): void {
    if (this.#buffer.length > KEEP_BYTES) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#at = prefix;
  }

  /** A copy of everything written, prefix included. */
  copy(): Buffer {
    const copy = Buffer.allocUnsafe(this.#at);
    this.#buffer.copy(copy, 0, 0, this.#at);
    return copy;
  }

  /** A copy of what was written since `start`, with memory of its own. */
  slice(start: number): Uint8Array {
    const copy = Buffer.allocUnsafeSlow(this.#at - start);
    this.#buffer.copy(copy, 0, start, this.#at);
    return copy;
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at++] = value;
  }

  /** Unsigned 32-bit varint. */
  varint(value: number): void {
    this.#room(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#at++] = rest;
  }

  /** Signed 32-bit varint; negative numbers take ten bytes, as 64-bit ones do. */
  int32(value: number): void {
    if (value >= 0) this.varint(value);
    else this.int64(BigInt(value));
  }

  int64(value: bigint | number | string): void {
    this.#room(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0xffff_ffffn) {
      this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    let low = Number(rest);
    while (low > 0x7f) {
      this.#buffer[this.#at++] = (low & 0x7f) | 0x80;
      low = Math.floor(low / 128);
    }
    this.#buffer[this.#at++] = low;
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  delimited(value: Uint8Array): void {
    this.varint(value.length);
    this.bytes(value);
  }

  /** Length and UTF-8 bytes of a text. */
  string(text: string): void {
    this.#room(text.length * 3 + 5);
    if (text.length <= SHORT_TEXT && this.#ascii(text)) return;
    const start = this.open();
    this.#at += this.#buffer.write(text, this.#at, 'utf8');
    this.close(start);
  }

  /** Starts a length-delimited value; hand the result to `close`. */
  open(): number {
    this.#room(1);
    return ++this.#at;
  }

  /** Writes the length of everything since `open`, moving it when the length needs more than one byte. */
  close(start: number): void {
    const length = this.#at - start;
    if (length < 0x80) {
      this.#buffer[start - 1] = length;
      return;
    }
    const extra = length < 0x4000 ? 1 : length < 0x200000 ? 2 : length < 0x10000000 ? 3 : 4;
    this.#room(extra);
    this.#buffer.copyWithin(start + extra, start, this.#at);
    const end = this.#at + extra;
    this.#at = start - 1;
    this.varint(length);
    this.#at = end;
  }

  #ascii(text: string): boolean {
    const start = this.#at;
    this.#buffer[this.#at++] = text.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#at = start;
        return false;
      }
      this.#buffer[this.#at++] = code;
    }
    return true;
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }
}
