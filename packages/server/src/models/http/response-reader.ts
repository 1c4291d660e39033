import type { ResponseHeaders } from './exchange-contract.ts';

/** Status line and headers together; also the trailers, and one line of a chunk size. */
const MAX_HEAD_BYTES = 64 * 1024;

const NEWLINE = 10;
const RETURN = 13;
/** Sizes of more digits are read the long way. */
const PLAIN_DIGITS = 8;

/** Value of a hexadecimal digit, -1 for anything else. */
const digitOf = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

/** The peer does not speak HTTP/1.1, or not the part of it that answers need. */
export class BadResponse extends Error {}

/** What a reader tells while it reads. */
export interface ResponseEvents {
  head(status: number, headers: ResponseHeaders): void;
  data(chunk: Buffer): void;
  /** The answer is complete. `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
}

type State = 'head' | 'length' | 'chunkSize' | 'chunkData' | 'chunkEnd' | 'trailers' | 'untilClose' | 'done';

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: |$)/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/;
const DIGITS = /^[0-9]{1,15}$/;

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) from the bytes of a connection: interim answers are skipped, chunked bodies
 * are taken apart without copying. Strict about framing: what is ambiguous ends in `BadResponse`.
 */
export class ResponseReader {
  readonly #events: ResponseEvents;
  #state: State = 'head';
  /** Bytes of a body or chunk that are still to come. */
  #left = 0;
  /** An unfinished line, or unfinished headers. */
  #line = '';
  #head: string[] = [];
  #headBytes = 0;
  #reusable = false;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** True once anything of an answer was read. */
  get hasBegun(): boolean {
    return this.#state !== 'head' || this.#headBytes > 0;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'done') {
        this.#reusable = false;
        return;
      }
      if (this.#state === 'untilClose') {
        this.#events.data(at === 0 ? bytes : bytes.subarray(at));
        return;
      }
      if (this.#state === 'length' || this.#state === 'chunkData') at = this.#takeBody(bytes, at);
      else at = this.#takeFraming(bytes, at) ?? this.#takeLine(bytes, at);
    }
  }

  /** The connection was closed by the peer; false when the answer is cut. */
  close(): boolean {
    if (this.#state === 'untilClose') this.#finish(false);
    return this.#state === 'done';
  }

  #takeBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    const isLast = this.#left === 0;
    const isChunk = this.#state === 'chunkData';
    if (isLast && isChunk) this.#state = 'chunkEnd';
    this.#events.data(bytes.subarray(at, end));
    if (isLast && !isChunk) this.#finish(this.#reusable);
    return end;
  }

  /** Plain framing of chunks that came whole, read without making text of it; undefined for everything else. */
  #takeFraming(bytes: Buffer, at: number): number | undefined {
    if (this.#line !== '') return undefined;
    if (this.#state === 'chunkEnd') {
      if (bytes[at] !== RETURN || bytes[at + 1] !== NEWLINE) return undefined;
      this.#state = 'chunkSize';
      return at + 2;
    }
    if (this.#state !== 'chunkSize') return undefined;
    let size = 0;
    for (let index = at; index < at + PLAIN_DIGITS; index++) {
      const byte = bytes[index] ?? 0;
      if (byte === RETURN && bytes[index + 1] === NEWLINE && size > 0) {
        this.#headBytes = 0;
        this.#left = size;
        this.#state = 'chunkData';
        return index + 2;
      }
      const digit = digitOf(byte);
      if (digit < 0) return undefined;
      size = size * 16 + digit;
    }
    return undefined;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    this.#headBytes += end - at + 1;
    if (this.#headBytes > MAX_HEAD_BYTES) throw new BadResponse('answer head too large');
    this.#line += bytes.toString('latin1', at, end);
    if (newline < 0) return end;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    this.#readLine(line);
    return end + 1;
  }

  #readLine(line: string): void {
    switch (this.#state) {
      case 'chunkSize':
        return this.#readChunkSize(line);
      case 'chunkEnd':
        if (line !== '') throw new BadResponse('chunk longer than its size');
        this.#state = 'chunkSize';
        return;
      case 'trailers':
        if (line === '') this.#finish(this.#reusable);
        return;
      default:
        if (line !== '') this.#head.push(line);
        else if (this.#head.length > 0) this.#readHead();
    }
  }

  #readChunkSize(line: string): void {
    const match = CHUNK_SIZE.exec(line);
    if (match === null) throw new BadResponse('broken chunk size');
    this.#headBytes = 0;
    this.#left = Number.parseInt(match[1] ?? '', 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunkData';
  }

  #readHead(): void {
    const [first = '', ...lines] = this.#head;
    this.#head = [];
    this.#headBytes = 0;
    const match = STATUS_LINE.exec(first);
    if (match === null) throw new BadResponse('no HTTP/1.1 answer');
    const status = Number(match[2]);
    if (status === 101) throw new BadResponse('unexpected change of protocol');
    if (status < 200) return;
    const headers = readHeaders(lines);
    const options = listOf(headers['connection']);
    this.#reusable = match[1] === '1' ? !options.includes('close') : options.includes('keep-alive');
    this.#chooseBody(status, headers);
    this.#events.head(status, headers);
    if (this.#state === 'length' && this.#left === 0) this.#finish(this.#reusable);
  }

  #chooseBody(status: number, headers: ResponseHeaders): void {
    const codings = listOf(headers['transfer-encoding']);
    const lengths = listOf(headers['content-length']);
    this.#left = 0;
    if (status === 204 || status === 304) this.#state = 'length';
    else if (codings.length > 0) {
      if (codings.length > 1 || codings[0] !== 'chunked') throw new BadResponse('unknown transfer coding');
      if (lengths.length > 0) this.#reusable = false;
      this.#state = 'chunkSize';
    } else if (lengths.length > 0) {
      const [length = ''] = lengths;
      if (!DIGITS.test(length) || lengths.some((other) => other !== length)) throw new BadResponse('broken length');
      this.#left = Number(length);
      this.#state = 'length';
    } else {
      this.#reusable = false;
      this.#state = 'untilClose';
    }
  }

  #finish(reusable: boolean): void {
    if (this.#state === 'done') return;
    this.#state = 'done';
    this.#events.end(reusable);
  }
}

const readHeaders = (lines: readonly string[]): ResponseHeaders => {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const line of lines) {
    const at = line.indexOf(':');
    if (at < 1) throw new BadResponse('broken header');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else if (typeof known === 'string') headers[name] = [known, value];
    else known.push(value);
  }
  return headers;
};

/** Members of a comma-separated header in lower case. */
const listOf = (value: string | readonly string[] | undefined): readonly string[] => {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : value.join(',');
  return text
    .split(',')
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '');
};
