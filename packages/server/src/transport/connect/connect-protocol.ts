import type { Fault } from '../../base/index.ts';
import type { Dispatcher, MethodEntry, Wire } from '../dispatcher/index.ts';
import type { FormatName } from '../envelope/index.ts';
import { faultHeaders, httpStatus, methodNotAllowed, unsupportedMedia } from '../faults/index.ts';
import { unknownOperation } from '../grpc/index.ts';
import { checkDeclaredLength, type Exchange } from '../http/index.ts';
import { addOrigin } from '../rest/index.ts';
import type { ConnectParts } from './connect-parts.ts';
import { ConnectStreamWire } from './connect-stream-wire.ts';
import { ConnectUnaryWire } from './connect-unary-wire.ts';
import { getFormat } from './get-query.ts';

interface ConnectProtocolParts extends ConnectParts {
  readonly dispatcher: Dispatcher;
  readonly methods: readonly MethodEntry[];
}

interface Row {
  readonly method: MethodEntry;
  readonly wires: Readonly<Record<FormatName, Wire>>;
}

const UNARY = /^application\/(proto|json)\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;
const STREAM = /^application\/connect\+(proto|json)\s*(?:;.*)?$/i;

/** The Connect protocol: unary POST and GET, streams as envelopes. */
export class ConnectProtocol {
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #parts: ConnectProtocolParts;

  constructor(parts: ConnectProtocolParts) {
    this.#parts = parts;
    this.#rows = new Map(parts.methods.map((method) => [method.rpcPath, { method, wires: wiresOf(method, parts) }]));
  }

  accept(exchange: Exchange, origin: string): void {
    const row = this.#rows.get(exchange.path);
    if (row === undefined) throw unknownOperation(exchange.path);
    const { method, wires } = row;
    // A stream says it in its end: no status but 200 means anything there.
    if (!method.streaming) checkDeclaredLength(exchange, this.#parts.requestLimit);
    this.#parts.dispatcher.start({ wire: wires[formatOf(exchange, method)], method, exchange, origin });
  }

  refuse(exchange: Exchange, fault: Fault, origin: string): void {
    const { dispatcher, faults, origins } = this.#parts;
    const headers = [
      'content-type',
      'application/json',
      'x-request-id',
      dispatcher.requestId(exchange),
      ...faultHeaders(fault),
    ];
    exchange.answer(httpStatus(fault), addOrigin(headers, origin, origins), JSON.stringify(faults.connect(fault)));
  }
}

const wiresOf = (method: MethodEntry, parts: ConnectParts): Record<FormatName, Wire> => {
  const make = (format: FormatName): Wire =>
    method.streaming ? new ConnectStreamWire(method, format, parts) : new ConnectUnaryWire(method, format, parts);
  return { proto: make('proto'), json: make('json') };
};

/** Encoding of the call; throws 405 for methods and 415 for types that do not fit the operation. */
const formatOf = (exchange: Exchange, method: MethodEntry): FormatName => {
  const readable = method.http?.verb === 'GET' && !method.streaming;
  if (exchange.method === 'GET' && readable) return getFormat(exchange.query);
  if (exchange.method !== 'POST') throw methodNotAllowed(readable ? ['GET', 'POST'] : ['POST']);
  const found = (method.streaming ? STREAM : UNARY).exec(exchange.header('content-type') ?? '')?.[1]?.toLowerCase();
  if (found === 'proto' || found === 'json') return found;
  const offered = method.streaming
    ? 'application/connect+proto, application/connect+json'
    : 'application/proto, application/json';
  throw unsupportedMedia(`this operation takes ${offered}`, ['accept-post', offered]);
};
