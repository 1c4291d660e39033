import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Clock, Log } from '../../base/index.ts';
import type { TransportConfig } from '../contract.ts';
import { type Exchange, type HeaderList, Http1Exchange, Http2Exchange, Outbox } from '../http/index.ts';
import { Http2Sessions } from './http2-sessions.ts';

/** Answer to bytes that no exchange could be made of. */
export interface BrokenAnswer {
  readonly headers: HeaderList;
  /** JSON. */
  readonly body: string;
}

interface OnePortParts {
  readonly config: TransportConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly handle: (exchange: Exchange) => void;
  readonly refuseBroken: (status: 400 | 408 | 431) => BrokenAnswer;
}

// Not imported: an import asks for every export of the module, and asking for its WebSocket loads Node's web client,
// 6 % of the time of a start (decision 0003).
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

const TLS_HANDSHAKE = 0x16;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const WINDOW_BYTES = 1024 * 1024;
/** An idle HTTP/1.1 connection is kept longer than load balancers keep theirs (60 s), so that they never meet a closed one. */
const KEEP_ALIVE_MS = 75_000;
/** With this many connections memory matters more: an idle one costs 10 KiB and more. */
const CROWD = 1000;
const CROWDED_KEEP_ALIVE_MS = 5000;
/** A connection has so long to say what it speaks. */
const FIRST_BYTES_MS = 60_000;

/** How often heads that take too long are looked for. */
const HEAD_CHECK_MS = 30_000;
const NOTHING = Buffer.alloc(0);

function destroy(this: Socket): void {
  this.destroy();
}

/**
 * One listening port for TLS, cleartext HTTP/2 and HTTP/1.1; the first bytes of a connection decide (API-2). Hands every
 * request to one function as an Exchange. Owns sockets and connections, no routes.
 */
export class OnePort {
  readonly #parts: OnePortParts;
  readonly #tcp: TcpServer;
  readonly #http1: HttpServer;
  readonly #http2: Http2Server;
  readonly #tls: TlsServer | undefined;
  readonly #sessions: Http2Sessions;
  readonly #sockets = new Set<Socket>();
  #isLeaving = false;
  readonly #onError: (error: Error) => void;
  readonly #onClose: (this: Socket) => void;

  constructor(parts: OnePortParts) {
    this.#parts = parts;
    this.#sessions = new Http2Sessions(parts.clock);
    this.#onError = (error) => parts.log.debug('connection failed', { cause: error.message });
    const forget = (socket: Socket): void => this.#forget(socket);
    this.#onClose = function onClose(this: Socket) {
      forget(this);
    };
    this.#http1 = this.#createHttp1();
    this.#http2 = this.#createHttp2();
    this.#tls = parts.config.tls === undefined ? undefined : this.#createTls(parts.config.tls);
    this.#tcp = createTcpServer({ noDelay: true, keepAlive: true }, (socket) => this.#accept(socket));
  }

  /** Starts listening; rejects when the address cannot be had. */
  async listen(): Promise<AddressInfo> {
    const { host, port } = this.#parts.config;
    await new Promise<void>((resolve, reject) => {
      this.#tcp.once('error', reject);
      this.#tcp.listen({ host, port, backlog: 4096 }, () => {
        this.#tcp.off('error', reject);
        resolve();
      });
    });
    const address = this.#tcp.address();
    if (address === null || typeof address === 'string') throw new Error('not listening on a TCP port');
    return address;
  }

  /**
   * GOAWAY to HTTP/2 clients; HTTP/1.1 connections end with their next answer, never while a request may be on its way.
   * Still listening, so that /readyz can say why.
   */
  goAway(): void {
    this.#isLeaving = true;
    this.#sessions.goAway();
  }

  /** The certificate of later handshakes. */
  renewTls(tls: NonNullable<TransportConfig['tls']>): void {
    this.#tls?.setSecureContext(tls);
  }

  /** Ends everything now. */
  close(): void {
    if (this.#tcp.listening) this.#tcp.close();
    this.#sessions.destroy();
    this.#http1.closeAllConnections();
    this.#http1.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    if (this.#sockets.size === CROWD) this.#http1.keepAliveTimeout = CROWDED_KEEP_ALIVE_MS;
    // The same functions for all connections: a closure for each would live as long as its connection.
    socket.on('close', this.#onClose);
    socket.on('error', this.#onError);
    socket.setTimeout(FIRST_BYTES_MS, destroy);
    this.#sniff(socket, NOTHING);
  }

  #forget(socket: Socket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size === CROWD - 1) this.#http1.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  /** Reads until the kind of connection is certain; the bytes go back for whoever serves it. */
  #sniff(socket: Socket, seen: Buffer): void {
    socket.once('data', (piece) => {
      socket.pause();
      const bytes = seen.length === 0 ? (piece as Buffer) : Buffer.concat([seen, piece as Buffer]);
      const tls = bytes[0] === TLS_HANDSHAKE ? this.#tls : undefined;
      const isPreface = bytes.subarray(0, PREFACE.length).equals(PREFACE.subarray(0, bytes.length));
      if (tls === undefined && isPreface && bytes.length < PREFACE.length) {
        this.#sniff(socket, bytes);
        socket.resume();
        return;
      }
      socket.setTimeout(0);
      socket.off('timeout', destroy);
      socket.unshift(bytes);
      (tls ?? (isPreface ? this.#http2 : this.#http1)).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  }

  #createTls({ cert, key }: NonNullable<TransportConfig['tls']>): TlsServer {
    const server = createTlsServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] });
    server.on('secureConnection', (socket) => {
      socket.on('error', (error) => this.#parts.log.debug('TLS connection failed', { cause: error.message }));
      (socket.alpnProtocol === 'h2' ? this.#http2 : this.#http1).emit('connection', socket);
    });
    server.on('tlsClientError', (error, socket) => {
      this.#parts.log.debug('TLS handshake failed', { cause: error.message });
      socket.destroy();
    });
    return server;
  }

  #createHttp1(): HttpServer {
    const { config } = this.#parts;
    const server = createServer({
      maxHeaderSize: config.headerBytes + config.urlBytes + 1024,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: config.unaryDeadlineMs,
      connectionsCheckingInterval: Math.min(HEAD_CHECK_MS, config.unaryDeadlineMs),
      requestTimeout: 0,
      noDelay: true,
      // Refused below, with the body and the request id of every refusal.
      requireHostHeader: false,
    });
    // Node looks for heads that take too long only in servers that listen; the connections of this one are handed to it.
    server.emit('listening');
    const outbox = new Outbox();
    const answer = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void => {
      if (this.#isLeaving) response.shouldKeepAlive = false;
      if (request.headers.host === undefined && request.httpVersionMinor > 0) {
        const { headers, body } = this.#parts.refuseBroken(400);
        headers.push('connection', 'close', 'content-length', String(Buffer.byteLength(body)));
        response.writeHead(400, headers).end(body);
        return;
      }
      this.#parts.handle(new Http1Exchange({ request, response, outbox, awaitsContinue }));
    };
    server.on('request', (request, response) => answer(request, response, false));
    server.on('checkContinue', (request, response) => answer(request, response, true));
    // Nothing but a continuation can be expected of this server: what else is wished for changes nothing (RFC 9110, 10.1.1).
    server.on('checkExpectation', (request, response) => answer(request, response, false));
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
      const { headers, body } = this.#parts.refuseBroken(status);
      headers.push('connection', 'close', 'content-length', String(Buffer.byteLength(body)));
      let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
      for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`;
      socket.end(`${head}\r\n${body}`);
    });
    return server;
  }

  #createHttp2(): Http2Server {
    const { config } = this.#parts;
    const server = createHttp2Server({
      maxSessionMemory: 4096,
      maxHeaderListPairs: 256,
      streamResetBurst: config.http2Streams * 2,
      streamResetRate: config.http2Streams,
      settings: {
        maxConcurrentStreams: config.http2Streams,
        initialWindowSize: WINDOW_BYTES,
        maxHeaderListSize: config.headerBytes + config.urlBytes + 1024,
      },
    });
    server.on('session', (session: ServerHttp2Session) => {
      session.on('error', (error) => this.#parts.log.debug('HTTP/2 connection failed', { cause: error.message }));
      session.setLocalWindowSize(16 * WINDOW_BYTES);
      this.#sessions.add(session);
    });
    const sessions = this.#sessions;
    const { handle } = this.#parts;
    server.on('stream', (...event) => {
      const [accepted, headers, , rawHeaders] = event;
      const stream = accepted as ServerHttp2Stream;
      const session = stream.session as ServerHttp2Session | undefined;
      sessions.touch(session);
      handle(new Http2Exchange({ stream, headers, rawHeaders, sessions }));
    });
    return server;
  }
}
