import {
  create,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type MessageInitShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type Method, methods } from '@svc/api/methods';

/** An error as the real server words it. */
export class FakeFault extends Error {
  readonly code: string;
  readonly reason: string;
  readonly fields: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly fieldReason: string;

  constructor(
    code: string,
    reason: string,
    facts: {
      readonly message?: string;
      readonly fields?: readonly string[];
      readonly metadata?: Readonly<Record<string, string>>;
      /** Reason of every violation. */
      readonly fieldReason?: string;
    } = {},
  ) {
    super(facts.message ?? `${reason} happened`);
    this.code = code;
    this.reason = reason;
    this.fields = facts.fields ?? [];
    this.metadata = facts.metadata ?? {};
    this.fieldReason = facts.fieldReason ?? 'WRONG';
  }
}

type Init = MessageInitShape<DescMessage>;

/** Answers by operation name: requests as decoded messages, answers as initial values of the answer's message. */
export interface FakeHandlers {
  // biome-ignore lint/suspicious/noExplicitAny: each handler names the request type of its own operation
  readonly unary?: Readonly<Record<string, (request: any, headers: Headers) => object | Promise<object>>>;
  readonly streams?: Readonly<
    Record<
      string,
      (query: URLSearchParams, headers: Headers) => Iterable<object | Error> | AsyncIterable<object | Error>
    >
  >;
  /** Plain paths such as /readyz. */
  readonly plain?: Readonly<Record<string, () => Response>>;
}

/** A server without sockets: what `fetch` would bring back for Connect calls, JSON-line streams and plain paths. */
export const fakeFetch = (handlers: FakeHandlers, calls: string[] = []): typeof globalThis.fetch => {
  return async (input, init) => {
    const url = new URL(String(input));
    const plain = handlers.plain?.[url.pathname];
    if (plain !== undefined) return plain();
    const unary = methods.find((method) => method.rpcPath === url.pathname);
    const headers = new Headers(init?.headers);
    const stream = methods.find((method) => method.kind === 'server_streaming' && isPathOf(method, url.pathname));
    const method = unary ?? stream;
    if (method === undefined)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
    calls.push(method.name);
    init?.signal?.throwIfAborted();
    try {
      return unary === undefined
        ? streamAnswer(method, handlers, { url, headers, signal: init?.signal ?? undefined })
        : await unaryAnswer(method, handlers, { body: init?.body, headers });
    } catch (error) {
      if (!(error instanceof FakeFault)) throw error;
      return new Response(JSON.stringify(errorBody(error)), { status: 400, headers: { 'x-request-id': 'req-1' } });
    }
  };
};

const unaryAnswer = async (
  method: Method,
  handlers: FakeHandlers,
  given: { body: unknown; headers: Headers },
): Promise<Response> => {
  const handler = handlers.unary?.[method.name];
  if (handler === undefined) throw new FakeFault('UNIMPLEMENTED', 'METHOD_UNKNOWN');
  const isJson = given.headers.get('content-type') === 'application/json';
  const request = isJson
    ? fromJsonString(method.input, given.body as string)
    : fromBinary(method.input, given.body as Uint8Array);
  const answer = create(method.output, (await handler(request, given.headers)) as Init);
  if (isJson) return Response.json(toJson(method.output, answer, { alwaysEmitImplicit: true }));
  const bytes = toBinary(method.output, answer);
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    status: 200,
    headers: { 'content-type': 'application/proto' },
  });
};

const streamAnswer = (
  method: Method,
  handlers: FakeHandlers,
  { url, headers, signal }: { readonly url: URL; readonly headers: Headers; readonly signal: AbortSignal | undefined },
): Response => {
  const events = handlers.streams?.[method.name]?.(url.searchParams, headers) ?? [];
  const encoder = new TextEncoder();
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const event of untilAborted(events, signal)) {
      if (event instanceof FakeFault) return yield encoder.encode(`${JSON.stringify(errorBody(event))}\n`);
      if (event instanceof Error) throw event;
      yield encoder.encode(`${JSON.stringify(toJson(method.output, create(method.output, event as Init)))}\n`);
    }
  }
  return new Response(ReadableStream.from(lines()), { status: 200 });
};

/** As a real connection: an abort ends it, also while nothing comes. */
async function* untilAborted<T>(
  events: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
  const all = (async function* (): AsyncGenerator<T> {
    yield* events;
  })();
  for (;;) {
    const { done, value } = await Promise.race([all.next(), aborted.promise]);
    if (done === true) return;
    yield value;
  }
}

const isPathOf = (method: Method, path: string): boolean =>
  new RegExp(`^${method.http.path.replace(/\{[a-z_]+\}/g, '[^/]+')}$`).test(path);

const errorBody = (fault: FakeFault): unknown => ({
  error: {
    status: fault.code,
    message: fault.message,
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: fault.reason, metadata: fault.metadata },
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: fault.fields.map((field) => ({ field, description: 'is wrong', reason: fault.fieldReason })),
      },
    ],
  },
});
