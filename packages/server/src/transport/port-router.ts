import type { Fault } from '../base/index.ts';
import { isConnectGet } from './connect/index.ts';
import type { TransportConfig } from './contract.ts';
import { tooLarge } from './faults/index.ts';
import type { Exchange, HeaderList, OriginRules } from './http/index.ts';

/** One protocol as the router of the port sees it. `accept` throws a Fault for what it cannot route. */
export interface Protocol {
  accept(exchange: Exchange, origin: string): void;
  refuse(exchange: Exchange, fault: Fault, origin: string): void;
}

interface PortRouterParts {
  readonly config: Pick<TransportConfig, 'urlBytes' | 'headerBytes'>;
  readonly origins: OriginRules;
  readonly requestId: (exchange: Exchange) => string;
  readonly rest: Protocol;
  readonly grpc: Protocol;
  readonly grpcWeb: Protocol;
  readonly connect: Protocol;
  /** Makes a Fault of anything thrown, logging what is not a Fault. */
  readonly faultOf: (error: unknown) => Fault;
}

/** First steps of every request: sizes, Host and Origin, preflights, then the protocol by content type and path. */
export class PortRouter {
  readonly #parts: PortRouterParts;

  constructor(parts: PortRouterParts) {
    this.#parts = parts;
  }

  handle(exchange: Exchange): void {
    const { origins } = this.#parts;
    const protocol = this.#protocol(exchange);
    let origin = '';
    try {
      this.#checkSizes(exchange);
      origin = origins.check(exchange);
      if (exchange.method === 'OPTIONS') this.#preflight(exchange, origin);
      else protocol.accept(exchange, origin);
    } catch (error) {
      protocol.refuse(exchange, this.#parts.faultOf(error), origin);
    }
  }

  #protocol(exchange: Exchange): Protocol {
    const { grpc, grpcWeb, connect, rest } = this.#parts;
    const type = exchange.header('content-type');
    if (type?.startsWith('application/grpc')) return type.startsWith('application/grpc-web') ? grpcWeb : grpc;
    return isOperationPath(exchange.path) && (exchange.method === 'POST' || isConnectGet(exchange.query))
      ? connect
      : rest;
  }

  #checkSizes(exchange: Exchange): void {
    const { urlBytes, headerBytes } = this.#parts.config;
    if (exchange.path.length + exchange.query.length > urlBytes)
      throw tooLarge(414, { bytes: urlBytes, setting: 'limits.urlBytes' });
    if (exchange.headerBytes() > headerBytes)
      throw tooLarge(431, { bytes: headerBytes, setting: 'limits.headerBytes' });
  }

  #preflight(exchange: Exchange, origin: string): void {
    const headers: HeaderList = ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'];
    headers.push('x-request-id', this.#parts.requestId(exchange));
    if (origin !== '') headers.push(...this.#parts.origins.preflightHeaders(origin));
    exchange.answer(204, headers);
  }
}

/** `/package.Service/Operation`: a dot in the first segment, which no REST path has. */
const isOperationPath = (path: string): boolean => {
  const dot = path.indexOf('.');
  if (dot === -1) return false;
  const end = path.indexOf('/', 1);
  return end === -1 || dot < end;
};
