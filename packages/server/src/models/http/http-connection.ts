import type { Socket } from 'node:net';
import { headerText } from './endpoint.ts';
import type { ExchangeControl, ExchangeHandler, HttpRequest, ResponseHeaders } from './exchange-contract.ts';
import { type ResponseEvents, ResponseReader } from './response-reader.ts';

/** What a connection needs from its pool. */
export interface ConnectionKeeper {
  /** The connection is free for the next request. */
  rest(connection: HttpConnection): void;
  /** The connection is closed. */
  gone(connection: HttpConnection): void;
}

const CLOSED = new Error('connection closed by the other side');

/** Servers say how long they keep an idle connection; ours ends a moment before. */
const KEEP_MARGIN_MS = 1000;

const keepMsOf = (headers: ResponseHeaders): number => {
  const match = /timeout=([0-9]{1,9})/i.exec(headerText(headers['keep-alive']) ?? '');
  return match === null ? Number.POSITIVE_INFINITY : Number(match[1]) * 1000 - KEEP_MARGIN_MS;
};

/**
 * One connection to a provider and the exchange it carries. Nothing of a request stays once it was handed to the socket,
 * and bytes come in one buffer that all connections share: an answer that takes minutes costs little memory.
 */
export class HttpConnection implements ResponseEvents, ExchangeControl {
  readonly origin: string;
  /** How long the server wants to keep it when idle, in milliseconds. */
  keepMs = Number.POSITIVE_INFINITY;
  /** Monotonic time since when it is idle. */
  restingSinceMs = 0;
  readonly #keeper: ConnectionKeeper;
  #socket: Socket | undefined;
  #reader: ResponseReader | undefined;
  #handler: ExchangeHandler | undefined;
  #error: Error | undefined;
  /** The request, until the connection is open. */
  #waiting: HttpRequest | undefined;
  #isOpen = false;

  constructor(origin: string, keeper: ConnectionKeeper) {
    this.origin = origin;
    this.#keeper = keeper;
  }

  /** Takes the socket of this connection; a request that waits goes out when it is connected. */
  attach(socket: Socket, readyEvent: 'connect' | 'secureConnect'): void {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.once(readyEvent, () => {
      this.#isOpen = true;
      this.#start();
    });
    socket.on('error', (error: Error) => {
      this.#error ??= error;
    });
    socket.on('close', () => this.#closed());
  }

  /** Fails what waits: no socket could be made. */
  refuse(error: Error): void {
    this.#error = error;
    this.#closed();
  }

  send(request: HttpRequest, handler: ExchangeHandler): void {
    this.#handler = handler;
    this.#waiting = request;
    if (this.#isOpen) this.#start();
  }

  /** Bytes of the peer; they are not kept. */
  receive(bytes: Buffer): void {
    if (this.#reader === undefined) {
      this.destroy();
      return;
    }
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.abort(error instanceof Error ? error : CLOSED);
    }
  }

  abort(reason: Error): void {
    this.#error ??= reason;
    if (this.#socket === undefined) this.#closed();
    else this.#socket.destroy();
  }

  destroy(): void {
    this.abort(CLOSED);
  }

  head(status: number, headers: ResponseHeaders): void {
    this.keepMs = keepMsOf(headers);
    this.#handler?.onResponseStart(this, status, headers);
  }

  data(chunk: Buffer): void {
    this.#handler?.onResponseData(this, chunk);
  }

  end(reusable: boolean): void {
    const handler = this.#handler;
    this.#handler = undefined;
    this.#reader = undefined;
    const socket = this.#socket;
    const isFree = reusable && socket !== undefined && !socket.destroyed && socket.writableLength === 0;
    handler?.onResponseEnd();
    if (!isFree || socket.destroyed) {
      this.destroy();
      return;
    }
    socket.unref();
    this.#keeper.rest(this);
  }

  #start(): void {
    const request = this.#waiting;
    const handler = this.#handler;
    const socket = this.#socket;
    if (request === undefined || handler === undefined || socket === undefined) return;
    this.#waiting = undefined;
    handler.onRequestStart(this);
    if (socket.destroyed) return;
    this.#reader = new ResponseReader(this);
    socket.ref();
    socket.cork();
    socket.write(headOf(request), 'latin1');
    socket.write(request.body, 'utf8');
    socket.uncork();
  }

  #closed(): void {
    if (this.#error === undefined) this.#reader?.close();
    this.#socket = undefined;
    this.#isOpen = false;
    this.#waiting = undefined;
    this.#keeper.gone(this);
    const handler = this.#handler;
    this.#handler = undefined;
    this.#reader = undefined;
    handler?.onResponseError(this, this.#error ?? CLOSED);
  }
}

const headOf = (request: HttpRequest): string => {
  let head = `${request.method} ${request.path} HTTP/1.1\r\nhost: ${hostOf(request.origin)}\r\nconnection: keep-alive\r\n`;
  for (const [name, value] of Object.entries(request.headers)) head += `${name}: ${value}\r\n`;
  return `${head}content-length: ${Buffer.byteLength(request.body)}\r\n\r\n`;
};

const hostOf = (origin: string): string => origin.slice(origin.indexOf('://') + 3);
