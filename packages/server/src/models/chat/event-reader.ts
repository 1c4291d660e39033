const NEWLINE = 10;
const CARRIAGE_RETURN = '\r';

/** One event larger than this ends the stream; images in base64 fit. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Thrown when an event exceeds the limit. */
class EventTooLarge extends Error {}

/**
 * Incremental reader of server-sent events, linear in the bytes. It cuts the stream at line ends, which never lie inside
 * a UTF-8 character, and decodes whole lines only: a character split across chunks decodes as if whole.
 * Only `data` matters here; other fields and comments are skipped.
 */
export class EventReader {
  readonly #onData: (data: string) => void;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #data: string | undefined;
  #isFirst = true;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  /** True between two events: the next byte begins a new one. */
  get isBetween(): boolean {
    return this.#pendingBytes === 0 && this.#data === undefined;
  }

  push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last < 0) {
      this.#keep(chunk);
      return;
    }
    if (this.#pendingBytes === 0) this.#readLines(chunk.toString('utf8', 0, last));
    else {
      this.#pending.push(chunk.subarray(0, last));
      const whole = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#readLines(whole.toString('utf8'));
    }
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
  }

  /** The body ended: a last line or event without its end still counts. */
  end(): void {
    if (this.#pendingBytes > 0) this.#readLines(Buffer.concat(this.#pending).toString('utf8'));
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#dispatch();
  }

  /** A copy: the bytes of a chunk are gone after its call. */
  #keep(rest: Buffer): void {
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > MAX_EVENT_BYTES) throw new EventTooLarge('event too large');
    this.#pending.push(Buffer.from(rest));
  }

  #readLines(text: string): void {
    let start = 0;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) start = 1;
    }
    const hasReturns = text.includes(CARRIAGE_RETURN);
    while (start <= text.length) {
      let end = text.indexOf('\n', start);
      if (end < 0) end = text.length;
      if (hasReturns) this.#readReturns(text.slice(start, end));
      else this.#readLine(text, start, end);
      start = end + 1;
    }
  }

  /** A line that may end in CRLF or hold lines ended by lone carriage returns. */
  #readReturns(line: string): void {
    const whole = line.endsWith(CARRIAGE_RETURN) ? line.slice(0, -1) : line;
    for (const part of whole.split(CARRIAGE_RETURN)) this.#readLine(part, 0, part.length);
  }

  #readLine(text: string, start: number, end: number): void {
    if (end === start) {
      this.#dispatch();
      return;
    }
    if (!text.startsWith('data', start)) return;
    let at = start + 4;
    if (at < end) {
      if (text[at] !== ':') return;
      at += text[at + 1] === ' ' && at + 1 < end ? 2 : 1;
    }
    const value = text.slice(at, end);
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(): void {
    const data = this.#data;
    if (data === undefined) return;
    this.#data = undefined;
    this.#onData(data);
  }
}
