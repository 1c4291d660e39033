import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { Clock, Log } from '../../base/index.ts';
import type { TransportConfig } from '../contract.ts';
import { type Exchange, type HeaderList, Http1Exchange, Http2Exchange, Outbox } from '../http/index.ts';
import { type Connection, ConnectionLimits } from './connection-limits.ts';
import { Http2Sessions, UNTRUSTED_STREAMS } from './http2-sessions.ts';
import { PortSockets } from './port-sockets.ts';
import { UntrustedRequests } from './untrusted-requests.ts';

/** Answer to bytes that no exchange could be made of. */
export interface BrokenAnswer {
  readonly headers: HeaderList;
  /** JSON. */
  readonly body: string;
}

/** 503: the connection is one too many. */
export type BrokenStatus = 400 | 408 | 431 | 503;

const CONNECTION = Symbol('connection');

interface LimitedSocket extends Socket {
  [CONNECTION]?: Connection;
}

type Http2Event = [
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
];

interface OnePortParts {
  readonly config: TransportConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly handle: (exchange: Exchange) => void;
  readonly refuseBroken: (status: BrokenStatus) => BrokenAnswer;
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

/** Refused connections that are open at once: each until its refusal is written. */
const REFUSED_AT_ONCE = 64;
const REFUSAL_MS = 1000;
/** Streams that the client resets, of one connection: Node ends it with GOAWAY above. For trusted ones; others end sooner. */
const RESETS = { streamResetBurst: 2000, streamResetRate: 1000 };
/**
 * Streams refused in a row, each for being above the number that may be open at once, before Node ends the connection. Streams that
 * were opened and cancelled in one packet count as open until Node hands them over, so a client that cancels many calls gets here.
 */
const REFUSED_STREAMS = RESETS.streamResetBurst;

/** How often connections are checked for heads that take too long. */
const HEAD_CHECK_MS = 30_000;
const NOTHING = Buffer.alloc(0);

const ignore = (): void => undefined;

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

function destroy(this: Socket): void {
  this.destroy();
}

/**
 * One listening port for TLS, cleartext HTTP/2 and HTTP/1.1; the first bytes of a connection decide. Hands every
 * request to one function as an Exchange. Owns sockets and connections, no routes.
 */
export class OnePort {
  readonly #parts: OnePortParts;
  readonly #listening: PortSockets;
  readonly #http1: HttpServer;
  readonly #http2: Http2Server;
  readonly #tls: TlsServer | undefined;
  readonly #sessions: Http2Sessions;
  readonly #limits: ConnectionLimits;
  /** Streams of one HTTP/2 connection at first: more once it is trusted. */
  readonly #firstStreams: number;
  readonly #requests: UntrustedRequests;
  readonly #sockets = new Set<LimitedSocket>();
  /** Connections that begin with TLS, by the address and port of their other end, until their handshake is over. */
  readonly #handshakes = new Map<string, Connection>();
  /** Connections whose refusal is being written. */
  #refused = 0;
  #isFull = false;
  #isLeaving = false;
  readonly #onError: (error: Error) => void;
  readonly #onClose: (this: Socket) => void;
  readonly #onRefusedClose = (): void => {
    this.#refused -= 1;
    this.#checkFull();
  };

  constructor(parts: OnePortParts) {
    this.#parts = parts;
    const { config, clock, log } = parts;
    const countsAddresses = !config.loopbackOnly && !config.trustProxy;
    this.#limits = new ConnectionLimits({ ...config, countsAddresses, clock, log });
    this.#requests = new UntrustedRequests(clock, setImmediate);
    const streams = config.http2Streams;
    this.#firstStreams = countsAddresses ? Math.min(UNTRUSTED_STREAMS, streams) : streams;
    this.#sessions = new Http2Sessions({ clock, limits: this.#limits, requests: this.#requests, streams });
    this.#onError = (error) => parts.log.debug('connection failed', { cause: error.message });
    const forget = (socket: Socket): void => this.#forget(socket);
    this.#onClose = function onClose(this: Socket) {
      forget(this);
    };
    this.#http1 = this.#createHttp1();
    this.#http2 = this.#createHttp2();
    this.#tls = parts.config.tls === undefined ? undefined : this.#createTls(parts.config.tls);
    this.#listening = new PortSockets((socket) => this.#accept(socket));
  }

  /** Starts listening; rejects when the address cannot be had. */
  async listen(): Promise<AddressInfo> {
    const { host, port } = this.#parts.config;
    return this.#listening.listen({ host, port });
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
    this.#listening.close();
    this.#sessions.destroy();
    this.#http1.closeAllConnections();
    this.#http1.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: LimitedSocket): void {
    const connection = this.#limits.admit(socket.remoteAddress ?? '');
    if (connection === undefined) return this.#refuse(socket);
    socket[CONNECTION] = connection;
    this.#sockets.add(socket);
    this.#checkFull();
    if (this.#sockets.size === CROWD) this.#http1.keepAliveTimeout = CROWDED_KEEP_ALIVE_MS;
    // The same functions for all connections: a closure for each would live as long as its connection.
    socket.on('close', this.#onClose);
    socket.on('error', this.#onError);
    socket.setTimeout(FIRST_BYTES_MS, destroy);
    this.#sniff(socket, NOTHING);
  }

  /** Answers 503 unless the client surely speaks TLS, and ends the connection at once. */
  #refuse(socket: Socket): void {
    this.#refused += 1;
    this.#checkFull();
    socket.on('close', this.#onRefusedClose);
    socket.on('error', this.#onError);
    if (this.#tls !== undefined) {
      socket.destroy();
      return;
    }
    socket.once('finish', destroy);
    socket.setTimeout(REFUSAL_MS, destroy);
    socket.end(this.#wholeAnswer(503));
  }

  /** Above the limit even while refusals are being written, connections get no answer at all, which costs least. */
  #checkFull(): void {
    const isFull = this.#sockets.size + this.#refused >= this.#parts.config.connections + REFUSED_AT_ONCE;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#listening.drop(isFull);
  }

  #wholeAnswer(status: BrokenStatus): string {
    const { headers, body } = this.#parts.refuseBroken(status);
    headers.push('connection', 'close', 'content-length', String(Buffer.byteLength(body)));
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`;
    return `${head}\r\n${body}`;
  }

  #forget(socket: LimitedSocket): void {
    if (!this.#sockets.delete(socket)) return;
    this.#checkFull();
    if (socket[CONNECTION] !== undefined) this.#limits.release(socket[CONNECTION]);
    this.#handshakes.delete(otherEnd(socket));
    if (this.#sockets.size === CROWD - 1) this.#http1.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  /** Reads until the kind of connection is certain; the bytes go back for the server that takes it. */
  #sniff(socket: LimitedSocket, seen: Buffer): void {
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
      if (tls !== undefined && socket[CONNECTION] !== undefined)
        this.#handshakes.set(otherEnd(socket), socket[CONNECTION]);
      (tls ?? (isPreface ? this.#http2 : this.#http1)).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  }

  #createTls({ cert, key }: NonNullable<TransportConfig['tls']>): TlsServer {
    const server = createTlsServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] });
    server.on('secureConnection', (socket: TLSSocket & LimitedSocket) => {
      const connection = this.#handshakes.get(otherEnd(socket));
      this.#handshakes.delete(otherEnd(socket));
      if (connection !== undefined) socket[CONNECTION] = connection;
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
    const trustSocket = (socket: LimitedSocket): void => {
      const connection = socket[CONNECTION];
      if (connection?.isTrusted === false) this.#limits.trust(connection);
    };
    const answer = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void => {
      if (this.#isLeaving) response.shouldKeepAlive = false;
      if (request.headers.host === undefined && request.httpVersionMinor > 0) {
        const { headers, body } = this.#parts.refuseBroken(400);
        headers.push('connection', 'close', 'content-length', String(Buffer.byteLength(body)));
        response.writeHead(400, headers).end(body);
        return;
      }
      this.#parts.handle(new Http1Exchange({ request, response, outbox, trustSocket, awaitsContinue }));
    };
    server.on('request', (request, response) => answer(request, response, false));
    server.on('checkContinue', (request, response) => answer(request, response, true));
    // Nothing but a continuation can be expected of this server: anything else it asks for changes nothing (RFC 9110, 10.1.1).
    server.on('checkExpectation', (request, response) => answer(request, response, false));
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
      socket.end(this.#wholeAnswer(status));
    });
    return server;
  }

  #createHttp2(): Http2Server {
    const { config } = this.#parts;
    const server = createHttp2Server({
      maxSessionMemory: 4096,
      maxHeaderListPairs: 256,
      ...RESETS,
      maxSessionRejectedStreams: REFUSED_STREAMS,
      settings: {
        maxConcurrentStreams: this.#firstStreams,
        initialWindowSize: WINDOW_BYTES,
        maxHeaderListSize: config.headerBytes + config.urlBytes + 1024,
      },
    });
    const onStream = this.#streamListener();
    server.on('session', (session: ServerHttp2Session) => {
      session.on('error', (error) => this.#parts.log.debug('HTTP/2 connection failed', { cause: error.message }));
      session.setLocalWindowSize(16 * WINDOW_BYTES);
      const connection = (session.socket as LimitedSocket)[CONNECTION];
      if (connection === undefined) session.destroy();
      else this.#sessions.add(session, connection);
      session.on('stream', onStream);
    });
    return server;
  }

  /** Of the session, not of the server: a stream that is reset already no longer knows its session. */
  #streamListener(): (this: ServerHttp2Session, ...event: Http2Event) => void {
    const [sessions, requests] = [this.#sessions, this.#requests];
    const { handle } = this.#parts;
    return function onStream(...event) {
      const [stream, headers, , rawHeaders] = event;
      const parts = { stream, session: this, headers, rawHeaders, sessions };
      const standing = sessions.touch(this);
      if (standing === 'trusted') return handle(new Http2Exchange(parts));
      // Until its turn comes nothing else listens, and a failure without a listener would end the process.
      stream.on('error', ignore);
      if (standing === 'cut') return;
      requests.run({ isGone: () => stream.destroyed, begin: () => handle(new Http2Exchange(parts)) });
    };
  }
}
