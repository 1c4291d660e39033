import type { LanguageModelV4 } from '@ai-sdk/provider';
import { assert, type Clock } from '../../base/index.ts';
import { type Attempt, type Failure, failed, type Outcome, type ProviderDriver } from '../attempt.ts';
import type { ModelMedia, ProviderConfig } from '../contract.ts';
import { failureOf, failureOfErrorEvent } from '../failure-rules.ts';
import type { HttpAgent } from '../http/index.ts';
import { withTakenMedia } from '../media-rules.ts';
import { SdkAnswer } from './sdk-answer.ts';
import { SdkFetch } from './sdk-fetch.ts';
import { loadSdkModel, type SdkType } from './sdk-models.ts';
import { sdkCallOptions } from './sdk-options.ts';

interface SdkDriverOptions {
  readonly config: ProviderConfig;
  readonly type: SdkType;
  readonly clock: Clock;
  readonly agent: HttpAgent;
}

/** Media types that a package refuses with an exception are not handed to it. */
const TAKEN: Readonly<Record<SdkType, RegExp>> = {
  openai: /^(?:image\/|application\/pdf$)/,
  anthropic: /^(?:image\/|application\/pdf$|text\/plain$)/,
  google: /./,
};

type SdkOptions = ReturnType<typeof sdkCallOptions>;

/** What a package is asked, whether the request leaves or not. */
interface PreparedCall extends Pick<Attempt, 'request' | 'facts'> {
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly warn: (option: string, text: string) => void;
}

/** Packages want a key before they build a request, also for one that is not sent. */
const NO_KEY = 'unused';

const NOT_SENT = new Error('the request was only built');

/**
 * AI SDK provider packages at the provider level. They only translate: connections, time-outs, tries and the
 * meaning of failures are ours.
 */
export class SdkDriver implements ProviderDriver {
  readonly #options: SdkDriverOptions;

  constructor(options: SdkDriverOptions) {
    this.#options = options;
  }

  async run(attempt: Attempt): Promise<Outcome> {
    const controller = new AbortController();
    attempt.onCancel(() => controller.abort());
    const { agent, clock } = this.#options;
    const dispatcher = agent.ready ?? (await agent.load());
    const wire = new SdkFetch({ attempt, dispatcher, clock, signal: controller.signal });
    try {
      return await this.#exchange(attempt, wire, controller.signal);
    } catch (error) {
      return failed(wire.failure ?? thrownFailure(error));
    }
  }

  async body({ request, facts }: Pick<Attempt, 'request' | 'facts'>): Promise<string> {
    let body: string | undefined;
    const fetch: typeof globalThis.fetch = (_input, init) => {
      body = String(init?.body);
      return Promise.reject(NOT_SENT);
    };
    const warn = (): void => undefined;
    const { model, options } = await this.#prepare({ request, facts, apiKey: NO_KEY, fetch, warn });
    try {
      await model.doStream(options);
    } catch (error) {
      if (body === undefined) throw error;
    }
    assert(body !== undefined, 'a provider package sends what it was asked for');
    return body;
  }

  /** The package's model and what it is asked: everything but the exchange itself. */
  async #prepare(asked: PreparedCall): Promise<{ readonly model: LanguageModelV4; readonly options: SdkOptions }> {
    const { type, config } = this.#options;
    const { facts, apiKey, fetch, warn } = asked;
    const model = await loadSdkModel({ type, config, model: asked.request.target.model, apiKey, fetch });
    const { request, left } = withTakenMedia(asked.request, (media: ModelMedia) => TAKEN[type].test(media.mediaType));
    for (const media of left) warn('inputs', `the provider takes no ${media.mediaType}`);
    return { model, options: sdkCallOptions({ type, api: config.api, request, facts, warn }) };
  }

  async #exchange(attempt: Attempt, wire: SdkFetch, signal: AbortSignal): Promise<Outcome> {
    const { type } = this.#options;
    const { model, options } = await this.#prepare({
      request: attempt.request,
      facts: attempt.facts,
      apiKey: attempt.apiKey ?? '',
      fetch: wire.fetch,
      warn: (option, text) => attempt.emit({ type: 'warning', option, text }),
    });
    const { stream } = await model.doStream({ ...options, abortSignal: signal });
    const answer = new SdkAnswer(attempt, type);
    for await (const part of stream) {
      answer.read(part);
      if (answer.outcome !== undefined) break;
    }
    if (answer.outcome?.kind === 'finish') return answer.outcome;
    return failed(wire.failure ?? failureOfEnd(answer.outcome));
  }
}

const failureOfEnd = (outcome: Outcome | undefined): Failure =>
  outcome?.kind === 'failure' ? outcome.failure : failureOf('provider_stream');

/** Without a failure on the wire, a package throws for an error in the first event or for a request it cannot express. */
const thrownFailure = (error: unknown): Failure => {
  const name = error instanceof Error ? error.name : '';
  if (name === 'AI_APICallError')
    return failureOfErrorEvent(error instanceof Error && 'data' in error ? error.data : undefined);
  if (
    name === 'AI_UnsupportedFunctionalityError' ||
    name === 'AI_InvalidPromptError' ||
    name === 'AI_InvalidArgumentError'
  ) {
    return failureOf('provider_invalid_request', { sentence: 'The model provider cannot take this request.' });
  }
  return failureOf('provider_stream');
};
