import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock } from '../../base/index.ts';
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

  async #exchange(attempt: Attempt, wire: SdkFetch, signal: AbortSignal): Promise<Outcome> {
    const { type, config } = this.#options;
    const model: LanguageModelV4 = await loadSdkModel({
      type,
      config,
      model: attempt.request.target.model,
      apiKey: attempt.apiKey ?? '',
      fetch: wire.fetch,
    });
    const { request, left } = withTakenMedia(attempt.request, (media: ModelMedia) => TAKEN[type].test(media.mediaType));
    const warn = (option: string, text: string): void => attempt.emit({ type: 'warning', option, text });
    for (const media of left) warn('inputs', `the provider takes no ${media.mediaType}`);
    const options = sdkCallOptions({ type, api: config.api, request, facts: attempt.facts, warn });
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
