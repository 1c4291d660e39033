import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import type { HttpExchange, HttpRoute, Operation } from '../../../operations/index.ts';
import type { McpServing } from '../../../protocols/mcp-server/contract.ts';
import type { SessionStreams } from '../../../runtime/stream/stream-contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { mcpOffer } from './mcp-offer.ts';
import { OperationCalls } from './operation-calls.ts';

interface McpEndpointDeps {
  readonly settings: { readonly 'limits.requestBytes': number };
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly streams: SessionStreams;
  readonly store: Pick<Store, 'direct'>;
  readonly serving: McpServing;
  /** All operations of the server; asked once everything is wired. */
  readonly operations: () => readonly Operation[];
}

const PATH = '/mcp';
/** Where a client that names no namespace is. */
const DEFAULT_NAMESPACE = 'default';
/** Headers of the protocol; of all others it takes no notice. */
const HEADERS = [
  'accept',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
];
const METHODS = ['POST', 'GET', 'DELETE'] as const;

/** `/mcp` for clients of the Model Context Protocol, in the namespace that `?ns=` names. */
export const mcpEndpointModule = (deps: McpEndpointDeps): FeatureModule => {
  const calls = new OperationCalls(deps.operations, deps.authorizer);
  const handle: HttpRoute['handle'] = async (exchange, _params, context) => {
    const namespace = exchange.query.get('ns') ?? DEFAULT_NAMESPACE;
    const facts = { context, signal: context.signal, idempotencyKey: '' };
    const offer = mcpOffer({ calls, streams: deps.streams, store: deps.store, namespace }, facts);
    const request = await requestOf(exchange, context, deps.settings['limits.requestBytes']);
    await answer(exchange, await deps.serving.serve(request, offer));
  };
  return { routes: METHODS.map((method) => ({ method, pattern: PATH, authenticated: true, handle })) };
};

const requestOf = async (exchange: HttpExchange, context: CallContext, limitBytes: number): Promise<Request> => {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = exchange.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const { method } = exchange;
  const limit = { bytes: limitBytes, setting: 'limits.requestBytes' };
  const body = method === 'POST' ? new Uint8Array(await exchange.body(limit)) : undefined;
  // The library looks at the path only.
  const url = `http://svc.local${PATH}`;
  return new Request(url, { method, headers, signal: context.signal, ...(body === undefined ? {} : { body }) });
};

/** Hands the answer on as it is made; a client that is slow slows its maker. */
const answer = async (exchange: HttpExchange, response: Response): Promise<void> => {
  const headers = Object.fromEntries(response.headers);
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) {
    exchange.answer(response.status, headers, await response.text());
    return;
  }
  const stream = exchange.stream(response.status, headers);
  let wake = (): void => undefined;
  stream.onDrained(() => wake());
  for await (const piece of response.body) {
    if (stream.write(piece)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (stream.writable) resolve();
    });
  }
  stream.end();
};
