import type { Dispatcher } from 'undici';
import { systemClock } from '../../base/index.ts';
import type { HttpSender } from './exchange-contract.ts';
import { HttpClient } from './http-client.ts';

/** How long an idle connection is kept for the next call; providers close theirs after a minute or more. */
const KEEP_ALIVE_MS = 30_000;

interface HttpAgentOptions {
  readonly connectMs: number;
  /** Tests and proxies bring their own. */
  readonly dispatcher?: Dispatcher | undefined;
}

/**
 * The connections of all providers: HTTP/1.1, as many as there are calls, keep-alive. The chat driver sends by the lean
 * `sender`; the sdk drivers by `undici`, which is loaded with their first call (80 ms, 20 MB). Its own time-outs are off:
 * CallWatch measures.
 */
export class HttpAgent {
  readonly #options: HttpAgentOptions;
  #dispatcher: Dispatcher | undefined;
  #loading: Promise<Dispatcher> | undefined;
  readonly #client: HttpClient;

  constructor(options: HttpAgentOptions) {
    this.#options = options;
    this.#dispatcher = options.dispatcher;
    // Servers close idle connections in real time, whatever clock the calls live by.
    this.#client = new HttpClient({ clock: systemClock, keepAliveMs: KEEP_ALIVE_MS });
  }

  /** Where long streams go out; the dispatcher that was handed in, if any. */
  get sender(): HttpSender {
    return this.#options.dispatcher ?? this.#client;
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
    this.#client.close();
    if (this.#options.dispatcher !== undefined) return;
    if (this.#loading === undefined) return;
    const dispatcher = await this.#loading;
    await dispatcher.destroy();
  }
}
