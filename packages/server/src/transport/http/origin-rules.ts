import { Fault } from '../../base/index.ts';
import { isLoopbackHost } from '../../base/network/index.ts';
import type { TransportConfig } from '../contract.ts';
import type { Exchange, HeaderList } from './exchange.ts';

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
const ALLOWED_HEADERS =
  'authorization, content-type, accept, idempotency-key, last-event-id, x-request-id, x-user-agent, x-grpc-web, grpc-timeout, connect-protocol-version, connect-timeout-ms, x-api-key';
const EXPOSED_HEADERS =
  'grpc-status, grpc-message, grpc-status-details-bin, x-request-id, retry-after, idempotency-replayed, x-vercel-ai-ui-message-stream';
const MAX_AGE_SECONDS = '7200';

/** A Host header without its port and brackets. */
const hostName = (host: string): string => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');

const hostOf = (origin: string): string | undefined => {
  const match = /^https?:\/\/([^/@?#]+)$/i.exec(origin);
  return match?.[1]?.toLowerCase();
};

/**
 * Host and Origin checks before any effect, and the CORS headers of an allowed origin. An empty list of origins
 * stands for the default: loopback hosts on any port. `*` is not honoured in auth mode none.
 */
export class OriginRules {
  readonly #loopbackOnly: boolean;
  readonly #anyOrigin: boolean;
  readonly #loopbackOrigins: boolean;
  readonly #listed: ReadonlySet<string>;
  readonly #trustProxy: boolean;
  #lastHost: string | undefined;

  constructor(config: Pick<TransportConfig, 'corsOrigins' | 'loopbackOnly' | 'trustProxy'>) {
    this.#loopbackOnly = config.loopbackOnly;
    this.#trustProxy = config.trustProxy;
    this.#anyOrigin = !config.loopbackOnly && config.corsOrigins.includes('*');
    this.#loopbackOrigins = config.corsOrigins.length === 0 || config.corsOrigins.includes('loopback');
    this.#listed = new Set(config.corsOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  }

  /** Throws PERMISSION_DENIED HOST or ORIGIN; returns the origin to answer to, '' when the request has none. */
  check(exchange: Exchange): string {
    if (this.#loopbackOnly) this.#checkHost(exchange.header('host') ?? '');
    const origin = exchange.header('origin');
    if (origin === undefined) return '';
    if (!this.#allows(origin, exchange)) {
      throw new Fault('PERMISSION_DENIED', 'ORIGIN', 'requests from this origin are not allowed');
    }
    return origin;
  }

  /** Headers for a cross-origin answer; `origin` passed `check`. */
  responseHeaders(origin: string): HeaderList {
    return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED_HEADERS, 'vary', 'Origin'];
  }

  preflightHeaders(origin: string): HeaderList {
    return [
      ...this.responseHeaders(origin),
      'access-control-allow-methods',
      ALLOWED_METHODS,
      'access-control-allow-headers',
      ALLOWED_HEADERS,
      'access-control-max-age',
      MAX_AGE_SECONDS,
    ];
  }

  #checkHost(host: string): void {
    if (host === this.#lastHost) return;
    if (!isLoopbackHost(hostName(host)))
      throw new Fault('PERMISSION_DENIED', 'HOST', 'without authentication only loopback host names are served');
    this.#lastHost = host;
  }

  #allows(origin: string, exchange: Exchange): boolean {
    if (this.#anyOrigin) return true;
    const host = hostOf(origin);
    if (host === undefined) return false;
    const forwarded = this.#trustProxy ? exchange.header('x-forwarded-host')?.toLowerCase() : undefined;
    if (host === exchange.header('host')?.toLowerCase() || host === forwarded) return true;
    if (this.#listed.has(origin.toLowerCase())) return true;
    return this.#loopbackOrigins && isLoopbackHost(hostName(host));
  }
}
