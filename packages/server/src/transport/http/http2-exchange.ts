import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { type Exchange, type HeaderList, type StreamChunk, splitTarget } from './exchange.ts';
import { GatheredBody } from './gathered-body.ts';
import { dropBody, UNREAD_SILENCE_MS } from './unread-body.ts';

type TakeBody = (body: Buffer | undefined) => void;

const EXCHANGE = Symbol('exchange');
const EMPTY = Buffer.alloc(0);
const NO_HEADERS: IncomingHttpHeaders = {};
const NO_RAW_HEADERS: readonly string[] = [];

/** What an exchange tells of its connection. */
interface ConnectionCare {
  /** A streamed answer begins (1) or ends (-1). */
  hold(session: ServerHttp2Session | undefined, change: 1 | -1): void;
  /** A request carried a valid credential. */
  trust(session: ServerHttp2Session | undefined): void;
}

interface Http2Parts {
  readonly stream: ServerHttp2Stream;
  readonly session: ServerHttp2Session;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly sessions: ConnectionCare;
}

/** The stream with its exchange: listeners find it there, so that no call makes closures that outlive it. */
interface OwnedStream extends ServerHttp2Stream {
  [EXCHANGE]?: Http2Exchange;
}

/**
 * HTTP/2 form of an exchange over the stream API of node:http2. Node keeps a stream object until the next full garbage
 * collection, so a finished exchange lets go of everything it held.
 */
export class Http2Exchange implements Exchange {
  readonly http2 = true;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #stream: OwnedStream;
  #headers: IncomingHttpHeaders;
  #rawHeaders: readonly string[];
  #sessions: ConnectionCare | undefined;
  #session: ServerHttp2Session | undefined;
  #ended = false;
  #opened = false;
  #trailers: Readonly<Record<string, string>> | undefined;
  #drained: (() => void) | undefined;
  #gone: (() => void)[] | undefined;
  #takeBody: TakeBody | undefined;
  #bodyLimit = 0;
  /** One piece alone is kept as it is: most bodies come so. */
  #body: Buffer | GatheredBody | undefined;

  constructor({ stream, session, headers, rawHeaders, sessions }: Http2Parts) {
    this.#stream = stream;
    this.#session = session;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    this.#sessions = sessions;
    this.method = (headers[':method'] as string | undefined) ?? 'GET';
    [this.path, this.query] = splitTarget((headers[':path'] as string | undefined) ?? '/');
    this.#stream[EXCHANGE] = this;
    // A reset by the peer is not a failure here; 'close' notifies those who wait.
    stream.on('error', ignore);
  }

  get hasBody(): boolean {
    return !this.#stream.endAfterHeaders;
  }

  get peerAddress(): string {
    return this.#stream.session?.socket.remoteAddress ?? '';
  }

  trust(): void {
    this.#sessions?.trust(this.#session);
  }

  header(name: string): string | undefined {
    const value = this.#headers[name === 'host' && this.#headers['host'] === undefined ? ':authority' : name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  headerBytes(): number {
    let size = 0;
    for (const text of this.#rawHeaders) size += text.length;
    return size - this.path.length - this.query.length;
  }

  readBody(limit: number, take: TakeBody): void {
    this.#takeBody = take;
    this.#bodyLimit = limit;
    this.#stream.on('data', onData);
    this.#stream.on('end', onEnd);
  }

  readPieces(take: (piece: Buffer) => void, ended: () => void): void {
    this.#stream.on('data', take);
    this.#stream.on('end', ended);
  }

  bodyStream(): Readable {
    return this.#stream;
  }

  answer(status: number, headers: HeaderList, body?: string | Uint8Array): void {
    if (this.closed) return;
    const stream = this.#stream;
    const head = [':status', String(status)].concat(headers);
    if (body !== undefined && status !== 204 && status !== 304) {
      head.push('content-length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.length));
    }
    const bare = body === undefined || body.length === 0 || this.method === 'HEAD';
    this.#finish();
    this.#stopReading();
    if (bare) stream.respond(head, { endStream: true });
    else {
      stream.respond(head);
      stream.end(body);
    }
  }

  answerWithTrailers(headers: HeaderList, body: Uint8Array, trailers: Readonly<Record<string, string>>): void {
    if (this.closed) return;
    const stream = this.#stream;
    this.#finish();
    this.#trailers = trailers;
    stream.respond([':status', '200'].concat(headers), WITH_TRAILERS);
    stream.on('wantTrailers', onWantTrailers);
    stream.end(body);
  }

  open(status: number, headers: HeaderList, hasTrailers = false): void {
    if (this.closed) return;
    this.#opened = true;
    this.#hold(1);
    this.onGone(ignore);
    const head = [':status', String(status)].concat(headers);
    if (this.method === 'HEAD') this.#stream.respond(head, { endStream: true });
    else if (hasTrailers) {
      this.#stream.respond(head, WITH_TRAILERS);
      this.#stream.on('wantTrailers', onWantTrailers);
    } else this.#stream.respond(head);
  }

  write(chunk: StreamChunk): boolean {
    if (this.closed) return false;
    return this.#stream.write(chunk.bytes);
  }

  end(trailers?: Readonly<Record<string, string>>): void {
    if (this.#ended) return;
    const gone = this.closed;
    this.#finish();
    if (gone || !this.#opened) return;
    this.#trailers = trailers;
    this.#stream.end();
    this.#stopReading();
  }

  together(work: () => void): void {
    const stream = this.#stream;
    stream.cork();
    try {
      work();
    } finally {
      stream.uncork();
    }
  }

  breakOff(): void {
    if (this.closed) return;
    this.#finish();
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  get writable(): boolean {
    return !this.closed && !this.#stream.writableNeedDrain;
  }

  get closed(): boolean {
    return this.#ended || this.#stream.closed || this.#stream.destroyed;
  }

  onDrained(notify: () => void): void {
    if (this.#drained === undefined) this.#stream.on('drain', onDrain);
    this.#drained = notify;
  }

  onGone(notify: () => void): void {
    if (!this.#ended && this.closed) return notify();
    if (this.#gone === undefined) {
      this.#gone = [];
      this.#stream.once('close', onClose);
    }
    this.#gone.push(notify);
  }

  /** Called by the listeners below. */
  bodyPiece(piece: Buffer): void {
    const take = this.#takeBody;
    if (take === undefined) return;
    if (this.#body === undefined && piece.length <= this.#bodyLimit) {
      this.#body = piece;
      return;
    }
    const body =
      this.#body instanceof GatheredBody
        ? this.#body
        : new GatheredBody(this.#bodyLimit, this.header('content-length'));
    if (Buffer.isBuffer(this.#body)) body.add(this.#body);
    body.add(piece);
    this.#body = body;
    if (body.size <= this.#bodyLimit) return;
    this.#takeBody = undefined;
    this.#body = undefined;
    take(undefined);
  }

  bodyEnd(): void {
    // A reset also ends the body, half-way: no one is left to answer, and what came is not what was meant.
    if (this.#stream.aborted) return;
    const take = this.#takeBody;
    const body = this.#body;
    this.#takeBody = undefined;
    this.#body = undefined;
    if (take !== undefined) take(body instanceof GatheredBody ? body.whole() : (body ?? EMPTY));
  }

  caughtUp(): void {
    this.#drained?.();
  }

  wantTrailers(): void {
    this.#stream.sendTrailers({ ...this.#trailers });
  }

  streamClosed(): void {
    const gone = this.#ended ? undefined : this.#gone;
    this.#finish();
    if (gone !== undefined) for (const notify of gone) notify();
  }

  #hold(change: 1 | -1): void {
    this.#sessions?.hold(this.#session, change);
  }

  #finish(): void {
    this.#ended = true;
    if (this.#opened) this.#hold(-1);
    this.#sessions = undefined;
    this.#session = undefined;
    this.#gone = undefined;
    this.#rawHeaders = NO_RAW_HEADERS;
    this.#drained = undefined;
    this.#takeBody = undefined;
    this.#body = undefined;
    this.#headers = NO_HEADERS;
  }

  /**
   * A body that still comes when the answer is out is dropped; one without end is stopped by NO_ERROR (RFC 9113, 8.1).
   * Not at once: a reset overtakes the answer, and some clients lose it. Reading it keeps node from resetting by itself.
   */
  #stopReading(): void {
    const stream = this.#stream;
    if (stream.readableEnded || stream.endAfterHeaders || stream.destroyed) return;
    const stop = (): void => {
      stream.setTimeout(0);
      if (!stream.readableEnded && !stream.closed) stream.close(constants.NGHTTP2_NO_ERROR);
    };
    stream.setTimeout(UNREAD_SILENCE_MS, stop);
    dropBody(stream, stop);
  }
}

const WITH_TRAILERS = { waitForTrailers: true };

const ignore = (): void => undefined;

function onData(this: OwnedStream, piece: Buffer): void {
  this[EXCHANGE]?.bodyPiece(piece);
}

function onEnd(this: OwnedStream): void {
  this[EXCHANGE]?.bodyEnd();
}

function onDrain(this: OwnedStream): void {
  this[EXCHANGE]?.caughtUp();
}

function onWantTrailers(this: OwnedStream): void {
  this[EXCHANGE]?.wantTrailers();
}

function onClose(this: OwnedStream): void {
  this[EXCHANGE]?.streamClosed();
}
