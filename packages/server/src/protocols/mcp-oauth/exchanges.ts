import type { Clock } from '../../base/index.ts';
import { OAuthFailure as Failure, type OAuthFailure, type OAuthReach } from './contract.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Time for one step of a sign-in, however many requests it takes. */
const TOTAL_MS = 15_000;
/** Longest answer that is read: documents of authorization servers are a few KiB. */
const ANSWER_BYTES_MAX = 256 * 1024;

export interface ExchangesDeps {
  readonly clock: Pick<Clock, 'after'>;
  /** Requests to an address that a namespace named, or, where it is trusted, that the operator did. Follows no redirect. */
  readonly fetch: (isTrusted: boolean) => Fetch;
}

/**
 * The requests of one step: they share its time, their answers are read whole and have a limit. Notes what went wrong on the wire, because
 * the library takes some such errors for the absence of a document.
 */
export class Exchanges {
  readonly #fetch: Fetch;
  readonly #signal: AbortSignal;
  readonly #cancel: () => void;
  /** The connection that failed, or the answer of a server that is out of order. */
  problem: Error | undefined;

  constructor({ clock, fetch }: ExchangesDeps, { isTrusted, signal }: OAuthReach) {
    this.#fetch = fetch(isTrusted);
    const abort = new AbortController();
    this.#cancel = clock.after(TOTAL_MS, () => abort.abort(late()));
    this.#signal = signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]);
  }

  /** `fetch` for the library. */
  readonly fetch: Fetch = async (url, init = {}) => {
    try {
      this.#signal.throwIfAborted();
      const response = await this.#fetch(url, { ...init, signal: this.#signal });
      const body = response.body === null ? null : await readLimited(response.body);
      const { status, headers } = response;
      if (status >= 500 || status === 429) this.problem ??= new Error(`HTTP ${status}`);
      const isEmpty = status === 204 || status === 304;
      const answer = new Response(isEmpty ? null : body, { status, headers: plain(headers) });
      Object.defineProperty(answer, 'url', { value: String(url) });
      return answer;
    } catch (error) {
      this.problem ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  };

  /** Status and headers of a request whose body does not matter, such as an event stream that may never end. */
  async headersOf(url: string, init: RequestInit): Promise<Response> {
    this.#signal.throwIfAborted();
    const response = await this.#fetch(url, { ...init, signal: this.#signal });
    await response.body?.cancel();
    return response;
  }

  /** Ends the time of the step. */
  end(): void {
    this.#cancel();
  }
}

const late = (): OAuthFailure =>
  new Failure('unreachable', `the authorization server did not answer within ${TOTAL_MS / 1_000} s`);

/** Without what describes the body as it was sent: it is read by now. */
const plain = (headers: Headers): Headers => {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name);
  return kept;
};

const readLimited = async (body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX)
      throw new Failure('malformed', `the authorization server sent more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
};
