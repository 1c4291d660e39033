import type { CallContext } from '../../../../auth/contract.ts';
import { isFault } from '../../../../base/index.ts';
import type { HttpExchange, HttpRoute, HttpStream } from '../../../../operations/index.ts';

const match = (pattern: string, path: string): Record<string, string> | undefined => {
  const wanted = pattern.split('/');
  const actual = path.split('/');
  if (wanted.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = actual[index] ?? '';
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
};

/** Answers of one route call as a fetch Response. */
class Exchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly response = Promise.withResolvers<Response>();
  readonly #body: string;
  readonly #headers: Headers;

  constructor(url: URL, init: RequestInit) {
    this.method = init.method ?? 'GET';
    this.path = url.pathname;
    this.query = url.searchParams;
    this.#body = typeof init.body === 'string' ? init.body : '';
    this.#headers = new Headers(init.headers);
  }

  header(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  body(): Promise<Uint8Array> {
    return Promise.resolve(new TextEncoder().encode(this.#body));
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    yield await this.body();
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body?: Uint8Array | string): void {
    const content = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    this.response.resolve(new Response(status === 204 ? null : new Uint8Array(content ?? []), { status, headers }));
  }

  stream(status: number, headers: Readonly<Record<string, string>>): HttpStream {
    let sink: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        sink = controller;
      },
    });
    this.response.resolve(new Response(body, { status, headers }));
    return {
      writable: true,
      write: (chunk) => {
        sink?.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
        return true;
      },
      onDrained: () => undefined,
      end: () => sink?.close(),
    };
  }
}

/** `fetch` over the routes: Faults before the answer become its status and JSON body. */
export const routeFetch =
  (routes: readonly HttpRoute[], context: () => CallContext): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(String(input), 'http://localhost');
    const method = init.method ?? 'GET';
    for (const route of routes) {
      const params = route.method === method ? match(route.pattern, url.pathname) : undefined;
      if (params === undefined) continue;
      const exchange = new Exchange(url, init);
      const signal = init.signal ?? new AbortController().signal;
      route.handle(exchange, params, { ...context(), signal }).catch((error: unknown) => {
        if (!isFault(error)) exchange.response.reject(error);
        const body = JSON.stringify({
          error: { status: isFault(error) ? error.code : '', reason: isFault(error) ? error.reason : '' },
        });
        exchange.answer(
          error instanceof Error && isFault(error) && error.code === 'RESOURCE_EXHAUSTED' ? 429 : 400,
          {},
          body,
        );
      });
      return await exchange.response.promise;
    }
    return new Response(null, { status: 404 });
  };
