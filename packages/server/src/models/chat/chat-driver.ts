import type { Clock } from '../../base/index.ts';
import { type Attempt, failed, type Outcome, type ProviderDriver } from '../attempt.ts';
import type { ProviderConfig } from '../contract.ts';
import { failureOf } from '../failure-rules.ts';
import { type Endpoint, endpointOf, type HttpAgent } from '../http/index.ts';
import { ChatExchange } from './chat-exchange.ts';
import { buildChatRequest } from './chat-request.ts';

export interface ChatDriverOptions {
  readonly config: ProviderConfig;
  readonly clock: Clock;
  readonly agent: HttpAgent;
}

/**
 * Own driver of OpenAI-compatible chat completions: the hot path (RT-4.1). Bytes go from undici's callbacks through one
 * reader to the sink, without streams in between.
 */
export class ChatDriver implements ProviderDriver {
  readonly #options: ChatDriverOptions;
  readonly #endpoint: Endpoint;

  constructor(options: ChatDriverOptions) {
    this.#options = options;
    this.#endpoint = endpointOf(options.config.baseUrl ?? '', '/chat/completions');
  }

  async run(attempt: Attempt): Promise<Outcome> {
    const dispatcher = this.#options.agent.ready ?? (await this.#options.agent.load());
    const { config, clock } = this.#options;
    const { body, leftOut } = buildChatRequest(attempt.request, attempt.facts, config.thinkingStyle);
    for (const warning of leftOut) attempt.emit({ type: 'warning', ...warning });
    return new Promise<Outcome>((resolve) => {
      const exchange = new ChatExchange(attempt, clock, resolve);
      attempt.onCancel(() => exchange.cancel());
      try {
        dispatcher.dispatch(
          { ...this.#endpoint, method: 'POST', headers: this.#headers(attempt), body: JSON.stringify(body) },
          exchange,
        );
      } catch {
        resolve(failed(failureOf('provider_unavailable')));
      }
    });
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
