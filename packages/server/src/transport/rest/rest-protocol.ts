import { Fault } from '../../base/index.ts';
import type { ByteLimit, HttpRoute } from '../../operations/index.ts';
import type { Dispatcher, MethodEntry, Wire } from '../dispatcher/index.ts';
import { httpStatus, methodNotAllowed } from '../faults/index.ts';
import { checkDeclaredLength, type Exchange } from '../http/index.ts';
import { addOrigin, refusalHeaders } from './answer-headers.ts';
import { type RestParts, RestWire } from './rest-wire.ts';
import { RouteTrie } from './route-trie.ts';

interface RestTarget {
  readonly method: MethodEntry;
  readonly wire: Wire;
  /** What the body of the route may have, where transport reads it. */
  readonly limit?: ByteLimit;
  readonly route?: HttpRoute;
}

/** A plain route with what serves it. */
interface PlainTarget extends RestTarget {
  readonly route: HttpRoute;
}

interface RestProtocolParts extends RestParts {
  readonly dispatcher: Dispatcher;
  readonly methods: readonly MethodEntry[];
  readonly plain: readonly PlainTarget[];
}

const routeUnknown = ({ method }: Exchange): Fault =>
  new Fault('NOT_FOUND', 'ROUTE_UNKNOWN', `no route for ${method} on this path`);

/** Routes by path and method to operations and plain routes. */
export class RestProtocol {
  readonly #trie = new RouteTrie<RestTarget>();
  readonly #parts: RestProtocolParts;

  constructor(parts: RestProtocolParts) {
    this.#parts = parts;
    for (const method of parts.methods) {
      if (method.http !== undefined) {
        this.#trie.add(method.http.verb, method.http.path, {
          method,
          wire: new RestWire(method, parts),
          limit: parts.requestLimit,
        });
      }
    }
    for (const target of parts.plain) this.#trie.add(target.route.method, target.route.pattern, target);
  }

  /** Starts the call, or throws NOT_FOUND ROUTE_UNKNOWN or 405. */
  accept(exchange: Exchange, origin: string): void {
    const match = this.#trie.find(exchange.method, exchange.path);
    if (match === undefined) throw routeUnknown(exchange);
    if ('allowed' in match) throw methodNotAllowed(match.allowed);
    const { method, wire, limit, route } = match.target;
    if (route?.takes?.(exchange) === false) throw routeUnknown(exchange);
    if (limit !== undefined && exchange.hasBody) checkDeclaredLength(exchange, limit);
    this.#parts.dispatcher.start({ wire, method, exchange, origin, params: match.params });
  }

  /** Answers a refusal that came before any call. */
  refuse(exchange: Exchange, fault: Fault, origin: string): void {
    const headers = refusalHeaders(fault, this.#parts.dispatcher.requestId(exchange));
    exchange.answer(httpStatus(fault), addOrigin(headers, origin, this.#parts.origins), this.#parts.faults.body(fault));
  }
}
