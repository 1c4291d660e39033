import type { Fault } from '../../base/index.ts';
import type { Dispatcher, MethodEntry, Wire } from '../dispatcher/index.ts';
import type { FormatName } from '../envelope/index.ts';
import { HttpFault, http2Required, methodNotAllowed, unsupportedMedia } from '../faults/index.ts';
import type { Exchange } from '../http/index.ts';
import { type GrpcParts, GrpcWire, unknownOperation } from './grpc-wire.ts';
import { statusTrailers, trailersAsHeaders } from './status-trailer.ts';

export interface GrpcProtocolParts extends GrpcParts {
  readonly dispatcher: Dispatcher;
  readonly methods: readonly MethodEntry[];
  readonly refusePlain: (exchange: Exchange, fault: Fault, origin: string) => void;
}

interface Row {
  readonly method: MethodEntry;
  readonly wires: Readonly<Record<FormatName, Wire>>;
}

/** `application/grpc`, `application/grpc+proto`, `application/grpc+json`, with parameters. */
export const grpcFormat = (contentType: string, base: string): FormatName | undefined => {
  const semicolon = contentType.indexOf(';');
  const type = semicolon < 0 ? contentType : contentType.slice(0, semicolon).trim();
  if (type === base || type === `${base}+proto`) return 'proto';
  return type === `${base}+json` ? 'json' : undefined;
};

/** gRPC over HTTP/2: finds the operation by its path and starts the call. */
export class GrpcProtocol {
  readonly #rows = new Map<string, Row>();
  readonly #parts: GrpcProtocolParts;

  constructor(parts: GrpcProtocolParts) {
    this.#parts = parts;
    for (const method of parts.methods) {
      const wires = { proto: new GrpcWire(method, 'proto', parts), json: new GrpcWire(method, 'json', parts) };
      this.#rows.set(method.rpcPath, { method, wires });
    }
  }

  accept(exchange: Exchange, origin: string): void {
    if (!exchange.http2) throw http2Required();
    if (exchange.method !== 'POST') throw methodNotAllowed(['POST']);
    const format = grpcFormat(exchange.header('content-type') ?? '', 'application/grpc');
    if (format === undefined) throw unsupportedMedia('gRPC messages are +proto or +json');
    const row = this.#rows.get(exchange.path);
    if (row === undefined) throw unknownOperation(exchange.path);
    this.#parts.dispatcher.start({ wire: row.wires[format], method: row.method, exchange, origin });
  }

  refuse(exchange: Exchange, fault: Fault, origin: string): void {
    if (fault instanceof HttpFault) return this.#parts.refusePlain(exchange, fault, origin);
    const requestId = this.#parts.dispatcher.requestId(exchange);
    const headers = ['content-type', 'application/grpc', 'x-request-id', requestId];
    exchange.answer(200, [...headers, ...trailersAsHeaders(statusTrailers(fault, this.#parts.faults))]);
  }
}
