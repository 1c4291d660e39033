import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { Fault, type Steps } from '../../base/index.ts';
import { isLoopbackAddress } from '../../base/network/index.ts';
import { type HttpRoute, registeredConnector } from '../../operations/index.ts';
import type { Call, Dispatcher, Framing, MethodEntry, Wire } from '../dispatcher/index.ts';
import { type FaultWriter, httpStatus } from '../faults/index.ts';
import type { OriginRules } from '../http/index.ts';
import { addOrigin, parseTemplate, refusalHeaders } from '../rest/index.ts';
import { PlainExchange } from './plain-exchange.ts';

export interface PlainWireParts {
  readonly dispatcher: Dispatcher;
  readonly faults: FaultWriter;
  readonly origins: OriginRules;
}

/** The row of a plain route in logs and metrics: its pattern, never its values. */
export const plainEntry = (route: HttpRoute): MethodEntry => ({
  operation: `${route.method} ${route.pattern}`,
  rpcPath: '',
  streaming: false,
  clientStreaming: false,
  input: EmptySchema,
  output: EmptySchema,
  http: undefined,
  mounted: true,
  handler: undefined,
  authenticated: route.authenticated,
  access: route.isCallback === true ? registeredConnector : undefined,
  repeatable: route.repeatable === true,
  waits: undefined,
  bodyLimit: undefined,
  rest: undefined,
});

/** A proxy on this machine speaks for callers elsewhere. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

const requireLoopback = ({ exchange }: Call): void => {
  const isProxied = PROXY_HEADERS.some((name) => exchange.header(name) !== undefined);
  if (isProxied || !isLoopbackAddress(exchange.peerAddress))
    throw new Fault('PERMISSION_DENIED', 'LOOPBACK', 'this is answered on the machine of the server only');
};

/** Serves one plain HTTP route: the pipeline up to authentication, then the route's own handler. */
export class PlainWire implements Wire {
  readonly transport = 'http';
  readonly #route: HttpRoute;
  readonly #names: readonly string[];
  readonly #parts: PlainWireParts;

  constructor(route: HttpRoute, parts: PlainWireParts) {
    this.#route = route;
    this.#names = parseTemplate(route.pattern).variables;
    this.#parts = parts;
  }

  timeoutMs(): number | undefined {
    return undefined;
  }

  read(call: Call): void {
    const { dispatcher, origins } = this.#parts;
    const exchange = new PlainExchange({ call, dispatcher, origins });
    const params = Object.fromEntries(this.#names.map((name, index) => [name, call.params[index] ?? '']));
    call.request = params;
    if (this.#route.loopbackOnly === true) requireLoopback(call);
    this.#route.handle(exchange, params, call).then(
      () => {
        exchange.close();
        dispatcher.complete(call);
      },
      (error: unknown) => {
        const fault = dispatcher.faultOf(error, call.requestId);
        exchange.breakOff(() => this.#parts.faults.body(fault));
        if (exchange.began) dispatcher.endBroken(call, fault);
        else dispatcher.fail(call, fault);
      },
    );
  }

  answering(): Steps<void> {
    throw new Error('a plain route answers by itself');
  }

  refuse(call: Call, fault: Fault): void {
    const headers = addOrigin(refusalHeaders(fault, call.requestId), call.origin, this.#parts.origins);
    call.exchange.answer(httpStatus(fault), headers, this.#parts.faults.body(fault));
  }

  framing(): Framing {
    throw new Error('a plain route streams by itself');
  }
}
