import { connect, isIP, type NetConnectOpts } from 'node:net';
import type { CancelTimer, Clock } from '../../base/index.ts';
import type { ExchangeHandler, HttpRequest, HttpSender } from './exchange-contract.ts';
import { type ConnectionKeeper, HttpConnection } from './http-connection.ts';

interface HttpClientOptions {
  readonly clock: Clock;
  /** How long an idle connection is kept for the next call. */
  readonly keepAliveMs: number;
}

/** Size of the one buffer that the bytes of all connections come in. */
const READ_BYTES = 64 * 1024;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Only addresses of web servers are connected to; a pool has one place for each. */
const isSecure = (url: URL): boolean => url.protocol === 'https:';

type Tls = typeof import('node:tls');

/**
 * HTTP/1.1 for calls that stream for long: as many connections as there are calls, the last used one first, no time-outs
 * of its own (CallWatch measures). Costs a fifth of undici's memory for each call: no parser outside the heap, no copy of
 * the request, no stream buffers.
 */
export class HttpClient implements HttpSender, ConnectionKeeper {
  readonly #options: HttpClientOptions;
  readonly #resting = new Map<string, HttpConnection[]>();
  readonly #all = new Set<HttpConnection>();
  /** Sessions to resume, by origin: the next handshake is half as long. */
  readonly #sessions = new Map<string, Buffer>();
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  #tls: Tls | undefined;
  #sweep: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  dispatch(request: HttpRequest, handler: ExchangeHandler): void {
    for (const [name, value] of Object.entries(request.headers)) {
      if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('a header cannot be written down');
    }
    if (this.#isClosed) throw new Error('the client is closed');
    const connection = this.#rested(request.origin) ?? this.#open(request.origin);
    connection.send(request, handler);
  }

  rest(connection: HttpConnection): void {
    if (this.#isClosed) {
      connection.destroy();
      return;
    }
    connection.restingSinceMs = this.#options.clock.monotonicMs();
    const waiting = this.#resting.get(connection.origin);
    if (waiting === undefined) this.#resting.set(connection.origin, [connection]);
    else waiting.push(connection);
    this.#armSweep();
  }

  gone(connection: HttpConnection): void {
    this.#all.delete(connection);
    const waiting = this.#resting.get(connection.origin);
    const at = waiting?.lastIndexOf(connection) ?? -1;
    if (at >= 0) waiting?.splice(at, 1);
  }

  /** Ends running requests and closes every connection. */
  close(): void {
    this.#isClosed = true;
    this.#sweep?.();
    for (const connection of [...this.#all]) connection.destroy();
    this.#resting.clear();
  }

  #rested(origin: string): HttpConnection | undefined {
    const waiting = this.#resting.get(origin);
    for (let found = waiting?.pop(); found !== undefined; found = waiting?.pop()) {
      if (this.#leftMs(found) > 0) return found;
      found.destroy();
    }
    return undefined;
  }

  #leftMs(connection: HttpConnection): number {
    const keepMs = Math.min(connection.keepMs, this.#options.keepAliveMs);
    return connection.restingSinceMs + keepMs - this.#options.clock.monotonicMs();
  }

  /** One timer for all idle connections. */
  #armSweep(): void {
    this.#sweep ??= this.#options.clock.after(this.#options.keepAliveMs, () => {
      this.#sweep = undefined;
      let hasLeft = false;
      for (const waiting of this.#resting.values()) {
        for (const connection of [...waiting]) {
          if (this.#leftMs(connection) > 0) hasLeft = true;
          else connection.destroy();
        }
      }
      if (hasLeft) this.#armSweep();
    });
  }

  #open(origin: string): HttpConnection {
    const connection = new HttpConnection(origin, this);
    this.#all.add(connection);
    const url = new URL(origin);
    if (!isSecure(url)) connection.attach(connect(this.#addressOf(url, 80, connection)), 'connect');
    else if (this.#tls !== undefined) this.#secure(this.#tls, url, connection);
    else
      import('node:tls').then(
        (tls) => {
          this.#tls = tls;
          if (this.#all.has(connection)) this.#secure(tls, url, connection);
        },
        (error: unknown) => connection.refuse(error instanceof Error ? error : new Error('no TLS')),
      );
    return connection;
  }

  #secure(tls: Tls, url: URL, connection: HttpConnection): void {
    const { origin } = connection;
    const address = this.#addressOf(url, 443, connection);
    const session = this.#sessions.get(origin);
    const socket = tls.connect({
      ...address,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(address.host) === 0 ? { servername: address.host } : {}),
      ...(session === undefined ? {} : { session }),
    });
    socket.on('session', (fresh: Buffer) => this.#sessions.set(origin, fresh));
    connection.attach(socket, 'secureConnect');
  }

  #addressOf(url: URL, port: number, connection: HttpConnection) {
    const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
    return {
      host,
      port: url.port === '' ? port : Number(url.port),
      onread: {
        buffer: this.#buffer,
        callback: (length: number): boolean => {
          connection.receive(this.#buffer.subarray(0, length));
          return true;
        },
      },
    } satisfies NetConnectOpts;
  }
}
