import type { Clock } from '../../base/index.ts';
import type { Attempt, Outcome, ProviderDriver } from '../attempt.ts';
import type { ProviderConfig } from '../contract.ts';
import { type Endpoint, endpointOf, type HttpAgent } from '../http/index.ts';
import { ChatExchange } from './chat-exchange.ts';
import { buildChatRequest } from './chat-request.ts';

interface ChatDriverOptions {
  readonly config: ProviderConfig;
  readonly clock: Clock;
  readonly agent: HttpAgent;
}

/**
 * Own driver of OpenAI-compatible chat completions: the hot path. Bytes go from the socket's callback through one
 * reader to the sink, without streams in between.
 */
export class ChatDriver implements ProviderDriver {
  readonly #options: ChatDriverOptions;
  readonly #endpoint: Endpoint;

  constructor(options: ChatDriverOptions) {
    this.#options = options;
    this.#endpoint = endpointOf(options.config.baseUrl ?? '', '/chat/completions');
  }

  run(attempt: Attempt): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const exchange = new ChatExchange(attempt, this.#options.clock, resolve);
    attempt.onCancel(() => exchange.cancel());
    this.#send(attempt, exchange);
    return promise;
  }

  body({ request, facts }: Pick<Attempt, 'request' | 'facts'>): Promise<string> {
    return Promise.resolve(JSON.stringify(buildChatRequest(request, facts, this.#options.config.thinkingStyle).body));
  }

  #body(attempt: Attempt): string {
    const { body, leftOut } = buildChatRequest(attempt.request, attempt.facts, this.#options.config.thinkingStyle);
    for (const warning of leftOut) attempt.emit({ type: 'warning', ...warning });
    const text = JSON.stringify(body);
    attempt.sent(text);
    return text;
  }

  /** Apart from `run`: nothing that lives as long as the answer may share a scope with the request. */
  #send(attempt: Attempt, exchange: ChatExchange): void {
    const { origin, path } = this.#endpoint;
    try {
      const body = this.#body(attempt);
      this.#options.agent.sender.dispatch(
        { origin, path, method: 'POST', headers: this.#headers(attempt), body },
        exchange,
      );
    } catch {
      exchange.refuse();
    }
  }

  #headers(attempt: Attempt): Record<string, string> {
    return {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(attempt.apiKey === undefined ? {} : { authorization: `Bearer ${attempt.apiKey}` }),
      ...attempt.request.traceHeaders,
      ...this.#options.config.headers,
    };
  }
}
