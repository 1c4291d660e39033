/** Type, length and, where there is one, the first byte of the body. */
const HEAD_BYTES = 6;

/** Finds the messages in a stream of PostgreSQL's protocol, whose bytes come in pieces of any size. */
export class MessageFrames {
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the last message that have not come yet. */
  #missing = 0;

  /** Calls `take` for each message that begins in these bytes, with its letter and the first letter of its body. */
  read(bytes: Buffer, take: (type: string, first: string) => void): void {
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = this.#missing;
    while (at + HEAD_BYTES - 1 <= data.length) {
      const length = 1 + data.readInt32BE(at + 1);
      if (at + Math.min(HEAD_BYTES, length) > data.length) break;
      take(String.fromCharCode(data[at] ?? 0), String.fromCharCode(data[at + HEAD_BYTES - 1] ?? 0));
      at += length;
    }
    this.#missing = Math.max(0, at - data.length);
    this.#rest = data.subarray(Math.min(at, data.length));
  }
}
