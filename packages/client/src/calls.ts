import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { describeMethod, type Method } from '@svc/api/methods';
import type { ClientAnswer } from './environment.ts';
import {
  type Connection,
  callRepeatedly,
  callUnary,
  type RetryPolicy,
  streamLines,
  takesIdempotencyKey,
} from './transport/index.ts';

/** Options of one call; all may be omitted. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt; by default that of the client, plus `waitSeconds` of the request. */
  readonly timeoutMs?: number | undefined;
  /** For writes that honour one; generated when omitted, so that retries have one effect. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Streams: called when the subscription is open. */
  readonly onOpen?: (() => void) | undefined;
}

interface MethodShape {
  readonly methodKind: string;
  readonly input: DescMessage;
  readonly output: DescMessage;
}

type Call<M> = M extends MethodShape
  ? M['methodKind'] extends 'unary'
    ? (request: MessageInitShape<M['input']>, options?: CallOptions) => Promise<MessageShape<M['output']>>
    : (request: MessageInitShape<M['input']>, options?: CallOptions) => AsyncIterable<MessageShape<M['output']>>
  : never;

/** One typed function per operation of a service, such as `gateway.createAgent({ns, name})`. */
export type Calls<S extends DescService> = { readonly [K in keyof S['method']]: Call<S['method'][K]> };

/** The functions of one service, created from its descriptors. Calls are retried where that is safe; streams are not. */
export const callsOf = <S extends DescService>(service: S, connection: Connection, policy: RetryPolicy): Calls<S> => {
  const calls = service.methods.map((descriptor) => {
    const call =
      descriptor.methodKind === 'unary'
        ? (request: object, options: CallOptions = {}) =>
            callWithRetry({ connection, policy, method: factsOf(descriptor) }, request, options)
        : (request: object, options: CallOptions = {}) => stream(connection, factsOf(descriptor), { request, options });
    return [descriptor.localName, call];
  });
  // The names and shapes come from the same descriptors as the type.
  return Object.fromEntries(calls) as Calls<S>;
};

const facts = new WeakMap<DescMethod, Method>();

/** Read at the first call of an operation: to read those of all of them would hold up the start of a page. */
const factsOf = (descriptor: DescMethod): Method => {
  const method = facts.get(descriptor) ?? describeMethod(descriptor);
  facts.set(descriptor, method);
  return method;
};

interface CallTarget {
  readonly connection: Connection;
  readonly policy: RetryPolicy;
  readonly method: Method;
}

const callWithRetry = async (target: CallTarget, request: object, options: CallOptions): Promise<Message> => {
  const { connection, policy, method } = target;
  const { environment } = connection;
  const { signal } = options;
  const message = create(method.input, request as MessageInitShape<DescMessage>);
  const headers: Record<string, string> = { ...options.headers };
  if (takesIdempotencyKey(method.name)) headers['idempotency-key'] = options.idempotencyKey ?? environment.uniqueText();
  const call = {
    ...({
      operation: method.name,
      rpcPath: method.rpcPath,
      contentType: 'application/proto',
      headers,
      signal,
    } as const),
    body: toBinary(method.input, message) as Uint8Array<ArrayBuffer>,
    read: async (answer: ClientAnswer) => fromBinary(method.output, new Uint8Array(await answer.arrayBuffer())),
    timeoutMs: options.timeoutMs ?? connection.timeoutMs + waitMs(message),
  };
  return callRepeatedly(environment, policy, {
    operation: method.name,
    signal,
    once: () => callUnary(connection, call),
  });
};

/** `wait_seconds` extends the deadline. */
const waitMs = (message: Message): number =>
  'waitSeconds' in message && typeof message.waitSeconds === 'number' ? message.waitSeconds * 1_000 : 0;

const stream = (
  connection: Connection,
  method: Method,
  call: { readonly request: object; readonly options: CallOptions },
): AsyncIterable<Message> => {
  const { signal, onOpen, headers } = call.options;
  const target = restTarget(method, create(method.input, call.request as MessageInitShape<DescMessage>));
  const request = {
    verb: method.http.verb,
    ...target,
    signal,
    onOpen,
    headers,
    decode: (line: object) => fromJson(method.output, line as JsonValue, { ignoreUnknownFields: true }),
  };
  return { [Symbol.asyncIterator]: () => streamLines(connection, request) };
};

/** A request of the REST API. */
interface RestTarget {
  readonly path: string;
  /** JSON text for bindings with a body. */
  readonly body?: string;
}

/** Distributes a request over path, query and body according to its REST binding. */
const restTarget = (method: Method, message: Message): RestTarget => {
  const rest = { ...(toJson(method.input, message) as JsonObject) };
  const path = method.http.path.replace(/\{([a-z_]+)\}/g, (_whole, field: string) => {
    const name = field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    const value = rest[name];
    delete rest[name];
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value);
    throw new TypeError(`${method.name}: ${name} must not be empty`);
  });
  if (method.http.body === '*') return { path, body: JSON.stringify(rest) };
  const query = new URLSearchParams(Object.entries(rest).flatMap(([name, value]) => queryPairs(name, value)));
  return { path: query.size === 0 ? path : `${path}?${query.toString()}` };
};

const queryPairs = (name: string, value: JsonValue | undefined): [string, string][] => {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => queryPairs(name, item));
  return [[name, String(value)]];
};
