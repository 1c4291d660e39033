import type { Fault } from '../../base/index.ts';
import type { Dispatcher, MethodEntry, Wire } from '../dispatcher/index.ts';
import { HttpFault, methodNotAllowed, unsupportedMedia } from '../faults/index.ts';
import { grpcFormat, statusTrailers, unknownOperation } from '../grpc/index.ts';
import type { Exchange } from '../http/index.ts';
import { addOrigin } from '../rest/index.ts';
import { type GrpcWebParts, GrpcWebWire, type WebVariant } from './grpc-web-wire.ts';
import { trailerFrame } from './trailer-frame.ts';
import { encodeWebText } from './web-text.ts';

interface GrpcWebProtocolParts extends GrpcWebParts {
  readonly dispatcher: Dispatcher;
  readonly methods: readonly MethodEntry[];
  readonly refusePlain: (exchange: Exchange, fault: Fault, origin: string) => void;
}

const TEXT = 'application/grpc-web-text';

const variantOf = (contentType: string): WebVariant | undefined => {
  const text = contentType.startsWith(TEXT);
  const format = grpcFormat(contentType, text ? TEXT : 'application/grpc-web');
  return format === undefined || (text && format === 'json') ? undefined : { format, text };
};

/** gRPC-web, binary and text, over HTTP/1.1 and HTTP/2. */
export class GrpcWebProtocol {
  readonly #methods: ReadonlyMap<string, MethodEntry>;
  /** Made at first use: few operations are called in every variant. */
  readonly #wires = new Map<string, Wire>();
  readonly #parts: GrpcWebProtocolParts;

  constructor(parts: GrpcWebProtocolParts) {
    this.#parts = parts;
    this.#methods = new Map(parts.methods.map((method) => [method.rpcPath, method]));
  }

  accept(exchange: Exchange, origin: string): void {
    if (exchange.method !== 'POST') throw methodNotAllowed(['POST']);
    const variant = variantOf(exchange.header('content-type') ?? '');
    if (variant === undefined) throw unsupportedMedia('gRPC-web messages are +proto or +json, and +proto as text');
    const method = this.#methods.get(exchange.path);
    if (method === undefined) throw unknownOperation(exchange.path);
    this.#parts.dispatcher.start({ wire: this.#wireOf(method, variant), method, exchange, origin });
  }

  refuse(exchange: Exchange, fault: Fault, origin: string): void {
    if (fault instanceof HttpFault) return this.#parts.refusePlain(exchange, fault, origin);
    const isText = exchange.header('content-type')?.startsWith(TEXT) === true;
    const headers = ['content-type', isText ? `${TEXT}+proto` : 'application/grpc-web+proto'];
    headers.push('x-request-id', this.#parts.dispatcher.requestId(exchange));
    const frame = trailerFrame(statusTrailers(fault, this.#parts.faults));
    exchange.answer(200, addOrigin(headers, origin, this.#parts.origins), isText ? encodeWebText(frame) : frame);
  }

  #wireOf(method: MethodEntry, variant: WebVariant): Wire {
    const key = `${method.operation} ${variant.format} ${variant.text}`;
    const known = this.#wires.get(key);
    if (known !== undefined) return known;
    const wire = new GrpcWebWire(method, variant, this.#parts);
    this.#wires.set(key, wire);
    return wire;
  }
}
