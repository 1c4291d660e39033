import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { collectBody } from './body-reader.ts';
import { type Exchange, type HeaderList, type StreamChunk, splitTarget } from './exchange.ts';

const ignore = (): void => undefined;

/** HTTP/2 form of an exchange over the stream API of node:http2. Header lists go to the engine as they are. */
export class Http2Exchange implements Exchange {
  readonly http2 = true;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  #ended = false;
  #opened = false;
  #trailers: HeaderList | undefined;
  #drained: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.#headers = headers;
    this.method = (headers[':method'] as string | undefined) ?? 'GET';
    [this.path, this.query] = splitTarget((headers[':path'] as string | undefined) ?? '/');
    // A reset by the peer is no failure of ours; 'close' tells those who wait.
    stream.on('error', ignore);
  }

  get secure(): boolean {
    return this.#stream.session?.encrypted === true;
  }

  get remoteAddress(): string {
    return this.#stream.session?.socket.remoteAddress ?? '';
  }

  get hasBody(): boolean {
    return !this.#stream.endAfterHeaders;
  }

  header(name: string): string | undefined {
    const value = this.#headers[name === 'host' && this.#headers['host'] === undefined ? ':authority' : name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  headerBytes(): number {
    let size = 0;
    for (const name in this.#headers) {
      if (name.charCodeAt(0) === 0x3a) continue;
      const value = this.#headers[name];
      size += name.length + (typeof value === 'string' ? value.length : (value?.join('').length ?? 0));
    }
    return size;
  }

  readBody(limit: number, take: (body: Buffer | undefined) => void): void {
    collectBody(this.#stream, limit, take);
  }

  readPieces(take: (piece: Buffer) => void, ended: () => void): void {
    this.#stream.on('data', take);
    this.#stream.on('end', ended);
  }

  answer(status: number, headers: HeaderList, body?: string | Uint8Array): void {
    if (this.closed) return;
    this.#ended = true;
    const stream = this.#stream;
    const head = [':status', String(status), ...headers];
    if (body !== undefined && status !== 204 && status !== 304) {
      head.push('content-length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.length));
    }
    if (body === undefined || body.length === 0 || this.method === 'HEAD') stream.respond(head, { endStream: true });
    else {
      stream.respond(head);
      stream.end(body);
    }
    this.#stopReading();
  }

  answerWithTrailers(headers: HeaderList, body: Uint8Array, trailers: HeaderList): void {
    if (this.closed) return;
    this.#ended = true;
    const stream = this.#stream;
    stream.respond([':status', '200', ...headers], { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(pairs(trailers)));
    stream.end(body);
  }

  open(status: number, headers: HeaderList): void {
    if (this.closed) return;
    this.#opened = true;
    const bare = this.method === 'HEAD';
    this.#stream.respond(
      [':status', String(status), ...headers],
      bare ? { endStream: true } : { waitForTrailers: true },
    );
    if (bare) return;
    this.#stream.on('wantTrailers', () => {
      if (this.#trailers === undefined) this.#stream.close();
      else this.#stream.sendTrailers(pairs(this.#trailers));
    });
  }

  write(chunk: StreamChunk): boolean {
    if (this.closed) return false;
    return this.#stream.write(chunk.bytes);
  }

  end(trailers?: HeaderList): void {
    if (this.#ended) return;
    const gone = this.closed;
    this.#ended = true;
    if (gone || !this.#opened) return;
    this.#trailers = trailers ?? [];
    this.#stream.end();
    this.#stopReading();
  }

  get writable(): boolean {
    return !this.closed && !this.#stream.writableNeedDrain;
  }

  get closed(): boolean {
    return this.#ended || this.#stream.closed || this.#stream.destroyed;
  }

  onDrained(notify: () => void): void {
    if (this.#drained === undefined) this.#stream.on('drain', () => this.#drained?.());
    this.#drained = notify;
  }

  onGone(notify: () => void): void {
    this.#stream.once('close', () => {
      if (!this.#ended) notify();
    });
  }

  /**
   * A body that is being read when the answer is already out is no longer wanted; NO_ERROR tells the peer to stop
   * (RFC 9113, 8.1). Later than this tick, or the reset would overtake the answer. A body never looked at node resets.
   */
  #stopReading(): void {
    const stream = this.#stream;
    if (stream.readableEnded || stream.endAfterHeaders || stream.readableFlowing === null) return;
    stream.once('finish', () => {
      setImmediate(() => {
        if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
      });
    });
  }
}

const pairs = (list: HeaderList): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
};
