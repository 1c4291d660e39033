import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/index.ts';
import type { Attempt, Failure } from '../attempt.ts';
import { failureOf, failureOfStatus } from '../failure-rules.ts';
import { headerText, MAX_ERROR_BYTES, parseJsonBody } from '../http/index.ts';

/** Unread bytes after which the connection is paused. */
const MAX_QUEUED_BYTES = 256 * 1024;

const CANCELLED = new Error('call cancelled');

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface SdkFetchOptions {
  readonly attempt: Pick<Attempt, 'connected' | 'received'> & Partial<Pick<Attempt, 'sent'>>;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  /** Aborts what is still running. */
  readonly signal: AbortSignal;
}

/**
 * The `fetch` that provider packages are given: the same connections and time-outs as the own driver, and the failure as
 * it was on the wire, so that nothing is guessed from the packages' error texts. One instance serves one request.
 */
export class SdkFetch {
  readonly #options: SdkFetchOptions;
  /** What went wrong on the wire, if anything did. */
  failure: Failure | undefined;

  constructor(options: SdkFetchOptions) {
    this.#options = options;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const body = typeof init?.body === 'string' ? init.body : null;
    if (body !== null) this.#options.attempt.sent?.(body);
    return new Promise<Response>((resolve, reject) => {
      const exchange = new FetchExchange(this.#options, { resolve, reject, fail: (failure) => this.#fail(failure) });
      this.#options.dispatcher.dispatch(
        {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'POST',
          headers: Object.fromEntries(new Headers(init?.headers)),
          body,
        },
        exchange,
      );
    });
  };

  #fail(failure: Failure): void {
    this.failure ??= failure;
  }
}

interface FetchEnd {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
  readonly fail: (failure: Failure) => void;
}

class FetchExchange implements Dispatcher.DispatchHandler {
  readonly #options: SdkFetchOptions;
  readonly #end: FetchEnd;
  #status = 0;
  #headers: Headers = {};
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #errorBody: Buffer[] = [];
  #errorBytes = 0;

  constructor(options: SdkFetchOptions, end: FetchEnd) {
    this.#options = options;
    this.#end = end;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal, attempt } = this.#options;
    if (signal.aborted) {
      controller.abort(CANCELLED);
      return;
    }
    signal.addEventListener('abort', () => controller.abort(CANCELLED), { once: true });
    attempt.connected();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#options.attempt.received(false);
    if (status >= 300) return;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (body) => {
          this.#body = body;
        },
        pull: () => {
          if (controller.paused) controller.resume();
        },
        cancel: () => controller.abort(CANCELLED),
      },
      { highWaterMark: MAX_QUEUED_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    this.#end.resolve(new Response(stream, { status, headers: plainHeaders(headers) }));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#options.attempt.received(this.#status < 300);
    if (this.#body !== undefined) {
      this.#body.enqueue(chunk);
      if ((this.#body.desiredSize ?? 0) <= 0) controller.pause();
      return;
    }
    this.#errorBytes += chunk.length;
    if (this.#errorBytes <= MAX_ERROR_BYTES) this.#errorBody.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#body === undefined) this.#refuse();
    else this.#body.close();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#status >= 300) {
      this.#refuse();
      return;
    }
    this.#end.fail(failureOf(this.#status === 0 ? 'provider_unavailable' : 'provider_stream'));
    this.#body?.error(error);
    this.#end.reject(error);
  }

  #refuse(): void {
    const text = Buffer.concat(this.#errorBody).toString('utf8');
    this.#end.fail(
      failureOfStatus({
        status: this.#status,
        retryAfter: headerText(this.#headers['retry-after']),
        nowMs: this.#options.clock.nowMicros() / 1000,
        body: parseJsonBody(text),
      }),
    );
    this.#end.resolve(new Response(text, { status: this.#status, headers: plainHeaders(this.#headers) }));
  }
}

const plainHeaders = (headers: Headers): Record<string, string> => {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = headerText(value);
    if (text !== undefined) plain[name] = text;
  }
  return plain;
};
