import { Fault } from '../../base/index.ts';
import type { ByteLimit, HttpExchange, HttpStream } from '../../operations/index.ts';
import type { Call, Dispatcher } from '../dispatcher/index.ts';
import { shuttingDown } from '../dispatcher/index.ts';
import { chunkOf, type HeaderList, type OriginRules, readRequestBody, type StreamChunk } from '../http/index.ts';
import { addOrigin } from '../rest/index.ts';
import { bodyPieces } from './body-pieces.ts';

interface PlainParts {
  readonly call: Call;
  readonly dispatcher: Dispatcher;
  readonly origins: OriginRules;
}

/** A call as a plain HTTP route sees it. */
export class PlainExchange implements HttpExchange {
  readonly #parts: PlainParts;
  #query: URLSearchParams | undefined;
  /** True once an answer began; a later fault can no longer change it. */
  began = false;
  #stream: PlainStream | undefined;
  #isSized = false;
  #isEvents = false;

  constructor(parts: PlainParts) {
    this.#parts = parts;
  }

  get method(): string {
    return this.#parts.call.exchange.method;
  }

  get path(): string {
    return this.#parts.call.exchange.path;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#parts.call.exchange.query);
    return this.#query;
  }

  header(name: string): string | undefined {
    return this.#parts.call.exchange.header(name);
  }

  body(limit: ByteLimit): Promise<Uint8Array> {
    const { exchange, signal } = this.#parts.call;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      readRequestBody(exchange, limit, (body) => (body instanceof Fault ? reject(body) : resolve(body)));
    });
  }

  pieces(limit: ByteLimit): AsyncIterable<Uint8Array> {
    const { call, dispatcher } = this.#parts;
    return bodyPieces(call, limit, dispatcher.clock);
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body?: Uint8Array | string): void {
    if (this.began) throw new Error('a plain HTTP answer was given twice');
    this.#parts.call.exchange.answer(status, this.#headers(headers), body);
    this.began = true;
  }

  stream(status: number, headers: Readonly<Record<string, string>>, keepAlive?: string): HttpStream {
    if (this.began) throw new Error('a plain HTTP answer was given twice');
    this.#parts.call.exchange.open(status, this.#headers(headers));
    this.began = true;
    this.#parts.call.opened = true;
    this.#isSized = headers['content-length'] !== undefined;
    this.#isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
    this.#stream = new PlainStream(this.#parts, keepAlive === undefined ? undefined : chunkOf(keepAlive));
    return this.#stream;
  }

  /** Ends what the route left open. */
  close(): void {
    this.#stream?.end();
  }

  /**
   * Ends an answer that a fault cut off: one of a stated length is broken, so that no one waits for its rest; events end with
   * the error as their last one.
   */
  breakOff(errorBody: () => string): void {
    if (this.#isSized) return this.#stream?.breakOff();
    if (this.#isEvents) this.#stream?.write(`event: error\ndata: ${errorBody()}\n\n`);
    this.close();
  }

  #headers(headers: Readonly<Record<string, string>>): HeaderList {
    const { call, origins } = this.#parts;
    const list: HeaderList = ['x-request-id', call.requestId];
    for (const name of Object.keys(headers)) list.push(name.toLowerCase(), headers[name] ?? '');
    if (call.extraHeaders !== undefined) list.push(...call.extraHeaders);
    return addOrigin(list, call.origin, origins);
  }
}

/** A streamed plain answer; on the keep-alive wheel until it ends. */
class PlainStream implements HttpStream {
  readonly #parts: PlainParts;
  readonly #keepAlive: StreamChunk | undefined;

  constructor(parts: PlainParts, keepAlive: StreamChunk | undefined) {
    this.#parts = parts;
    this.#keepAlive = keepAlive;
    parts.dispatcher.streams.add(this);
    parts.call.exchange.onGone(() => parts.dispatcher.streams.delete(this));
    // Looking at the signal makes a lost client abort it.
    if (parts.call.signal.aborted) parts.dispatcher.streams.delete(this);
  }

  write(chunk: string | Uint8Array): boolean {
    return chunk.length === 0 ? this.writable : this.#parts.call.exchange.write(chunkOf(chunk));
  }

  onDrained(notify: () => void): void {
    this.#parts.call.exchange.onDrained(notify);
  }

  get writable(): boolean {
    return this.#parts.call.exchange.writable;
  }

  end(): void {
    this.#parts.dispatcher.streams.delete(this);
    this.#parts.call.exchange.end();
  }

  breakOff(): void {
    this.#parts.dispatcher.streams.delete(this);
    this.#parts.call.exchange.breakOff();
  }

  keepAlive(): void {
    const { call, dispatcher } = this.#parts;
    if (this.#keepAlive !== undefined && this.writable) call.exchange.write(this.#keepAlive);
    // One that did not end by itself since the last time is ended.
    if (call.abortReason !== undefined) return this.end();
    dispatcher.checkCredential(call, (error) => call.abort(dispatcher.faultOf(error, call.requestId)));
  }

  /** The route sees its signal aborted and ends the stream in its own words. */
  shutDown(): void {
    this.#parts.call.abort(shuttingDown());
  }
}
