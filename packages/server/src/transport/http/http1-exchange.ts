import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { collectBody } from './body-reader.ts';
import { chunkedForm, type Exchange, type HeaderList, originForm, type StreamChunk, splitTarget } from './exchange.ts';
import type { HoldsText, Outbox } from './outbox.ts';
import { dropBody, SMALL_BODY_BYTES, UNREAD_SILENCE_MS } from './unread-body.ts';

/** Text held back until the end of a callback, in characters; more goes out at once, so that a lagging reader is noticed. */
const MOST_HELD = 16 * 1024;

interface Http1Parts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly outbox: Outbox;
  readonly trustSocket: (socket: Socket) => void;
  /** The client holds its body back until it is asked for it. */
  readonly awaitsContinue?: boolean;
}

/**
 * HTTP/1.1 form of an exchange. Streams write their chunks straight to the socket, in one piece what one callback of the event
 * loop brings.
 */
export class Http1Exchange implements Exchange, HoldsText {
  readonly http2 = false;
  readonly path: string;
  readonly query: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #outbox: Outbox;
  readonly #trustSocket: (socket: Socket) => void;
  /** Host of a target in absolute form, which counts instead of the header (RFC 9112, 3.2.2). */
  readonly #targetHost: string | undefined;
  /** The client holds its body back until it is asked for it. */
  #awaitsContinue: boolean;
  #direct = false;
  #ended = false;
  #drained: (() => void) | undefined;
  /** Chunks that wait for the end of the callback in hand, '' = none. */
  #held = '';

  constructor({ request, response, outbox, trustSocket, awaitsContinue = false }: Http1Parts) {
    this.#request = request;
    this.#response = response;
    this.#outbox = outbox;
    this.#trustSocket = trustSocket;
    this.#awaitsContinue = awaitsContinue;
    const { host, target } = originForm(request.url ?? '/');
    this.#targetHost = host;
    [this.path, this.query] = splitTarget(target);
  }

  get method(): string {
    return this.#request.method ?? 'GET';
  }

  get hasBody(): boolean {
    return this.header('transfer-encoding') !== undefined || (this.header('content-length') ?? '0') !== '0';
  }

  get peerAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  trust(): void {
    this.#trustSocket(this.#request.socket);
  }

  header(name: string): string | undefined {
    if (name === 'host' && this.#targetHost !== undefined) return this.#targetHost;
    // Cheaper than the headers object, of which a call needs a handful; repeated fields join as lists do.
    const { rawHeaders } = this.#request;
    let found: string | undefined;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const key = rawHeaders[index] as string;
      if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue;
      found = found === undefined ? rawHeaders[index + 1] : `${found}, ${rawHeaders[index + 1]}`;
    }
    return found;
  }

  headerBytes(): number {
    let size = 0;
    for (const text of this.#request.rawHeaders) size += text.length;
    return size;
  }

  readBody(limit: number, take: (body: Buffer | undefined) => void): void {
    this.#askForBody();
    collectBody(this.#request, { limit, declared: this.header('content-length') }, take);
  }

  readPieces(take: (piece: Buffer) => void, ended: () => void): void {
    this.#askForBody();
    this.#request.on('data', take);
    this.#request.on('end', ended);
  }

  bodyStream(): Readable {
    this.#askForBody();
    return this.#request;
  }

  answer(status: number, headers: HeaderList, body?: string | Uint8Array): void {
    if (this.#ended) return;
    const response = this.#response;
    const closes = status >= 400 && this.#largeBodyUnread();
    if (closes) headers.push('connection', 'close');
    const sizeBytes = body === undefined ? 0 : Buffer.byteLength(body);
    if (status !== 204 && status !== 304) headers.push('content-length', String(sizeBytes));
    // Throws for a header that cannot be sent; then another answer may still be given.
    response.writeHead(status, headers);
    this.#ended = true;
    if (closes) return this.#endAfterBody(body);
    if (body === undefined || this.#request.method === 'HEAD') response.end();
    // Pure ASCII, the usual case, goes out without conversion.
    else if (typeof body === 'string') response.end(body, sizeBytes === body.length ? 'latin1' : 'utf8');
    else response.end(body);
  }

  answerWithTrailers(): void {
    throw new Error('HTTP/1.1 answers carry no gRPC trailers');
  }

  open(status: number, headers: HeaderList): void {
    const response = this.#response;
    const isSized = headers.includes('content-length');
    const chunked = !isSized && this.#request.httpVersionMinor > 0 && this.#request.method !== 'HEAD';
    if (chunked) headers.push('transfer-encoding', 'chunked');
    response.writeHead(status, headers);
    response.flushHeaders();
    this.#direct = chunked && response.socket !== null;
  }

  write(chunk: StreamChunk): boolean {
    if (this.closed) return false;
    const socket = this.#direct ? this.#response.socket : null;
    if (this.#request.method === 'HEAD') return true;
    const form = socket === null ? undefined : chunkedForm(chunk);
    if (typeof form === 'string' && socket?.writableLength === 0) return this.#hold(form);
    this.release();
    const keepsUp =
      socket === null || form === undefined ? this.#response.write(chunk.bytes) : writeChunk(socket, form);
    if (!keepsUp && this.#drained !== undefined) this.#waitForDrain();
    return keepsUp;
  }

  together(work: () => void): void {
    const target = (this.#direct ? this.#response.socket : null) ?? this.#response;
    target.cork();
    try {
      work();
      this.release();
    } finally {
      target.uncork();
    }
  }

  /** Sends what is held; the reader may turn out to lag. */
  release(): void {
    const held = this.#held;
    const socket = this.#response.socket;
    if (held === '') return;
    this.#held = '';
    if (socket === null || socket.destroyed) return;
    if (!writeChunk(socket, held) && this.#drained !== undefined) this.#waitForDrain();
  }

  end(): void {
    if (this.#ended) return;
    this.release();
    this.#ended = true;
    this.#response.end();
  }

  breakOff(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#request.socket.destroy();
  }

  get writable(): boolean {
    if (this.closed) return false;
    const socket = this.#direct ? this.#response.socket : null;
    return socket === null ? !this.#response.writableNeedDrain : !socket.writableNeedDrain;
  }

  get closed(): boolean {
    return this.#ended || this.#response.destroyed || this.#request.socket.destroyed;
  }

  onDrained(notify: () => void): void {
    this.#drained = notify;
    if (!this.closed && !this.writable) this.#waitForDrain();
  }

  onGone(notify: () => void): void {
    if (!this.#ended && this.closed) return notify();
    this.#response.once('close', () => {
      if (!this.#ended || !this.#response.writableFinished) notify();
    });
  }

  /** False once more is held than may wait. */
  #hold(form: string): boolean {
    if (this.#held === '') {
      this.#held = form;
      this.#outbox.add(this);
    } else this.#held = this.#outbox.join(this.#held, form);
    if (this.#held.length < MOST_HELD) return true;
    this.release();
    return this.writable;
  }

  #askForBody(): void {
    if (this.#awaitsContinue) this.#response.writeContinue();
    this.#awaitsContinue = false;
  }

  /** A refused request whose body still comes or is held back: unless it is small, the connection ends with it. */
  #largeBodyUnread(): boolean {
    if (this.#request.complete || !this.hasBody) return false;
    return this.#awaitsContinue || !(Number(this.header('content-length')) <= SMALL_BODY_BYTES);
  }

  /** The whole answer goes out now; the connection closes once the client can have read it. */
  #endAfterBody(body: string | Uint8Array | undefined): void {
    const response = this.#response;
    if (body === undefined || this.#request.method === 'HEAD') response.flushHeaders();
    else response.write(body);
    this.#request.socket.setTimeout(UNREAD_SILENCE_MS);
    dropBody(this.#request, () => response.end());
  }

  #waitForDrain(): void {
    const source = this.#direct && this.#response.socket !== null ? this.#response.socket : this.#response;
    source.once('drain', this.#onDrain);
  }

  readonly #onDrain = (): void => {
    if (!this.closed) this.#drained?.();
  };
}

/** Text stands for its bytes, each a character of latin1. False while the reader lags. */
const writeChunk = (socket: Socket, chunk: Uint8Array | string): boolean =>
  typeof chunk === 'string' ? socket.write(chunk, 'latin1') : socket.write(chunk);
