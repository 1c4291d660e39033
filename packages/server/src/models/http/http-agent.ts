import type { Dispatcher } from 'undici';

/** How long an idle connection is kept for the next call; providers close theirs after a minute or more. */
const KEEP_ALIVE_MS = 30_000;

export interface HttpAgentOptions {
  readonly connectMs: number;
  /** Tests and proxies bring their own. */
  readonly dispatcher?: Dispatcher | undefined;
}

/**
 * The one connection pool of all providers: HTTP/1.1, as many connections as there are calls, keep-alive. `undici` is
 * loaded with the first call (80 ms, 20 MB), so that a start does not pay for it. Its own time-outs are off: CallWatch
 * measures.
 */
export class HttpAgent {
  readonly #options: HttpAgentOptions;
  #dispatcher: Dispatcher | undefined;
  #loading: Promise<Dispatcher> | undefined;

  constructor(options: HttpAgentOptions) {
    this.#options = options;
    this.#dispatcher = options.dispatcher;
  }

  /** Undefined until loaded; `load` then. */
  get ready(): Dispatcher | undefined {
    return this.#dispatcher;
  }

  load(): Promise<Dispatcher> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Dispatcher> {
    if (this.#dispatcher !== undefined) return this.#dispatcher;
    const { Agent } = await import('undici');
    this.#dispatcher ??= new Agent({
      allowH2: false,
      pipelining: 1,
      connect: { timeout: this.#options.connectMs },
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    return this.#dispatcher;
  }

  /** Ends running requests and closes every connection; a dispatcher that was handed in stays open. */
  async close(): Promise<void> {
    if (this.#options.dispatcher !== undefined) return;
    if (this.#loading === undefined) return;
    const dispatcher = await this.#loading;
    await dispatcher.destroy();
  }
}
