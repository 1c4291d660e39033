import type { CancelTimer, Clock, Log, Random } from '../../base/index.ts';
import { type ContentChunk, type Failure, failed, type Outcome, type ProviderDriver } from '../attempt.ts';
import type { CatalogueEntry } from '../catalogue/index.ts';
import type { ChunkSink, ModelErrorClass, ModelMedia, ModelRequest, ModelsConfig, ModelUsage } from '../contract.ts';
import { failureOf, isRetried } from '../failure-rules.ts';
import { inputKind, withTakenMedia } from '../media-rules.ts';
import type { KeyResult } from '../provider-key.ts';
import { normaliseUsage } from '../usage-rules.ts';
import type { Breaker } from './breaker.ts';
import { type AttemptOwner, CallAttempt } from './call-attempt.ts';
import { CallOutput } from './call-output.ts';
import { CallWatch, type WatchPhase } from './call-watch.ts';
import { retryDelayMs } from './retry-rules.ts';
import type { Slots } from './slots.ts';

/** What one call needs; everything that depends on its provider and model is looked up before. */
export interface CallParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly config: ModelsConfig;
  readonly breaker: Breaker;
  readonly slots: Slots;
  readonly driver: ProviderDriver;
  readonly facts: CatalogueEntry;
  readonly resolveKey: (namespace: string) => KeyResult | Promise<KeyResult>;
  readonly countTokens: (text: string) => number;
  /** Tells the operator once what a model cannot take. */
  readonly noteLeftOut: (option: string, text: string) => void;
  /** A try failed with this class and another one follows. */
  readonly noteRetry: (errorClass: ModelErrorClass) => void;
}

/** Tokens counted for an image whose real cost no one reported. */
const IMAGE_TOKENS = 1000;

const STOPPED: Failure = { errorClass: 'provider_stream', sentence: 'The model call was stopped.' };

const PAUSED = failureOf('provider_unavailable', {
  sentence: 'The model provider failed repeatedly and is paused for a moment.',
});

const EMPTY = failureOf('provider_unavailable', { sentence: 'The model provider sent an empty answer.' });

/** Failures that say something about the health of provider and model; the others are about one request or key. */
const countsForBreaker = (failure: Failure): boolean =>
  failure.errorClass === 'provider_unavailable' ||
  failure.errorClass === 'provider_timeout' ||
  failure.errorClass === 'provider_stream';

const timeOut = (phase: WatchPhase): Failure => {
  if (phase === 'connect')
    return failureOf('provider_unavailable', { sentence: 'No connection to the model provider.' });
  return failureOf('provider_timeout');
};

/** One call of the registry: slot, tries, time-outs, breaker, and the one last chunk. */
export class ModelCall implements AttemptOwner {
  readonly #parts: CallParts;
  readonly #request: ModelRequest;
  readonly #left: readonly ModelMedia[];
  readonly #output: CallOutput;
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  /** Ends whatever the call waits for right now. */
  #interrupt: (() => void) | undefined;
  #hasAnswerByte = false;
  #tries = 0;

  constructor(parts: CallParts, request: ModelRequest, io: { readonly sink: ChunkSink; readonly signal: AbortSignal }) {
    this.#parts = parts;
    const taken = withTakenMedia(request, (media) => parts.facts.inputs.includes(inputKind(media)));
    this.#request = taken.request;
    this.#left = taken.left;
    this.#output = new CallOutput(io.sink);
    this.#signal = io.signal;
    this.#deadlineMs = parts.clock.monotonicMs() + parts.config.totalMs;
  }

  async run(): Promise<void> {
    const key = `${this.#request.target.provider}/${this.#request.target.model}`;
    const { breaker } = this.#parts;
    for (const media of this.#left) {
      this.#emit({ type: 'warning', option: 'inputs', text: `the model takes no ${media.mediaType}` });
    }
    if (!breaker.allows(key)) return this.#deliver(failed(PAUSED));
    const stop = (): void => this.#interrupt?.();
    this.#signal.addEventListener('abort', stop, { once: true });
    const outcome = await this.#runTries();
    this.#signal.removeEventListener('abort', stop);
    if (outcome.kind === 'finish') breaker.succeeded(key);
    else if (!this.#signal.aborted && countsForBreaker(outcome.failure)) breaker.failed(key);
    else breaker.abandoned(key);
    this.#deliver(outcome);
  }

  async #runTries(): Promise<Outcome> {
    try {
      const resolved = this.#parts.resolveKey(this.#request.namespace);
      const key = resolved instanceof Promise ? await this.#orStopped(resolved) : resolved;
      if (key === undefined) return failed(STOPPED);
      if ('failure' in key) return failed(key.failure);
      for (;;) {
        if (this.#signal.aborted) return failed(STOPPED);
        if (!this.#parts.slots.tryTake() && !(await this.#waitForSlot())) return failed(STOPPED);
        this.#tries += 1;
        const outcome = this.#checked(await this.#attempt(key.key));
        if (outcome.kind === 'finish' || this.#signal.aborted) return outcome;
        const delayMs = this.#retryDelayMs(outcome.failure);
        if (delayMs === undefined || !(await this.#pause(delayMs))) return outcome;
        this.#parts.noteRetry(outcome.failure.errorClass);
      }
    } catch (error) {
      this.#parts.log.error('model call crashed', this.#logFields(), error);
      return failed(failureOf('provider_unavailable'));
    }
  }

  /** Undefined when stopped before the work was done, however long that takes. */
  #orStopped<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  /** False when stopped while waiting. */
  async #waitForSlot(): Promise<boolean> {
    const isGranted = await new Promise<boolean>((resolve) => {
      const giveUp = this.#parts.slots.wait(() => resolve(true));
      this.#interrupt = () => {
        giveUp();
        resolve(false);
      };
    });
    this.#interrupt = undefined;
    return isGranted;
  }

  #attempt(apiKey: string | undefined): Promise<Outcome> {
    const { clock, config, facts, slots, driver, log } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const attempt = new CallAttempt({ request: this.#request, facts, apiKey }, this, (outcome) => {
      this.#interrupt = undefined;
      slots.release();
      resolve(outcome);
    });
    if (this.#signal.aborted) {
      attempt.abort(STOPPED);
      return promise;
    }
    const totalDeadlineMs = this.#deadlineMs;
    const onExpire = (phase: WatchPhase): void => attempt.abort(timeOut(phase));
    attempt.watchBy(new CallWatch({ clock, limits: config, totalDeadlineMs, onExpire }));
    this.#interrupt = () => attempt.abort(STOPPED);
    driver.run(attempt).then(
      (outcome) => attempt.end(outcome),
      (error: unknown) => {
        log.error('model driver crashed', this.#logFields(), error);
        attempt.end(failed(failureOf('provider_unavailable')));
      },
    );
    return promise;
  }

  take(chunk: ContentChunk): boolean {
    try {
      this.#emit(chunk);
      return true;
    } catch (error) {
      return this.#crashed(error);
    }
  }

  noteAnswer(): void {
    this.#hasAnswerByte = true;
  }

  /** A consumer that throws ends its own call, never the connection's parser or the process. */
  #crashed(error: unknown): false {
    this.#parts.log.error('model chunk consumer crashed', this.#logFields(), error);
    return false;
  }

  #emit(chunk: ContentChunk): void {
    if (chunk.type === 'warning') this.#parts.noteLeftOut(chunk.option, chunk.text);
    this.#output.emit(chunk);
  }

  /** Nothing at all is an outage, except after tool results, where a model may have nothing to add. */
  #checked(outcome: Outcome): Outcome {
    const isEmpty = outcome.kind === 'finish' && outcome.finish === 'stop' && !this.#output.hasContent;
    return isEmpty && this.#request.messages.at(-1)?.role !== 'tool' ? failed(EMPTY) : outcome;
  }

  #retryDelayMs(failure: Failure): number | undefined {
    const { config, random, clock } = this.#parts;
    if (this.#tries >= config.tries || this.#output.hasContent || !isRetried(failure.errorClass)) return undefined;
    const delayMs = retryDelayMs({
      tries: this.#tries,
      retryAfterMs: failure.retryAfterMs,
      retryAfterMaxMs: config.retryAfterMaxMs,
      random: random.next(),
    });
    return delayMs === undefined || clock.monotonicMs() + delayMs >= this.#deadlineMs ? undefined : delayMs;
  }

  /** False when stopped meanwhile. */
  async #pause(delayMs: number): Promise<boolean> {
    if (this.#signal.aborted) return false;
    let cancelTimer: CancelTimer | undefined;
    await new Promise<void>((resolve) => {
      this.#interrupt = resolve;
      cancelTimer = this.#parts.clock.after(delayMs, resolve);
    });
    cancelTimer?.();
    this.#interrupt = undefined;
    return !this.#signal.aborted;
  }

  #deliver(outcome: Outcome): void {
    try {
      this.#deliverLast(outcome);
    } catch (error) {
      this.#crashed(error);
    }
  }

  #deliverLast(outcome: Outcome): void {
    const isStopped = this.#signal.aborted && outcome.kind === 'failure';
    if (outcome.kind === 'finish') {
      const usage = this.#usage(outcome);
      this.#output.close({ type: 'finish', finish: outcome.finish, usage });
      return;
    }
    const failure = isStopped ? STOPPED : outcome.failure;
    if (!isStopped)
      this.#parts.log.warn('model call failed', {
        ...this.#logFields(),
        class: failure.errorClass,
        status: failure.httpStatus,
      });
    this.#output.close({
      type: 'error',
      error: {
        ...failure,
        beforeFirstByte: !this.#hasAnswerByte,
        beforeFirstToken: !this.#output.hasContent,
        ...(isStopped ? { isStopped } : {}),
      },
      ...(isStopped && this.#hasAnswerByte ? { usage: this.#estimate(undefined) } : {}),
    });
  }

  #usage(outcome: Extract<Outcome, { readonly kind: 'finish' }>): ModelUsage {
    if (outcome.usage === undefined) return this.#estimate(outcome.providerRequestId);
    return normaliseUsage(outcome.usage, {
      target: this.#request.target,
      prices: this.#parts.facts.prices,
      providerRequestId: outcome.providerRequestId,
      isEstimated: false,
    });
  }

  /** Counted here because the call was stopped or the provider said nothing. */
  #estimate(providerRequestId: string | undefined): ModelUsage {
    const { countTokens, facts } = this.#parts;
    const reasoningTokens = countTokens(this.#output.reasoning);
    return normaliseUsage(
      {
        inputTokens: promptTokens(this.#request, countTokens),
        outputTokens: countTokens(this.#output.written) + reasoningTokens,
        reasoningTokens,
      },
      { target: this.#request.target, prices: facts.prices, providerRequestId, isEstimated: true },
    );
  }

  #logFields() {
    return { ...this.#request.target, turn: this.#request.turnId, tries: this.#tries };
  }
}

const promptTokens = (request: ModelRequest, countTokens: (text: string) => number): number => {
  let tokens = 0;
  for (const message of request.messages) {
    for (const part of message.content) {
      if (part.type === 'media') tokens += IMAGE_TOKENS;
      else if (part.type === 'call') tokens += countTokens(JSON.stringify(part.input));
      else tokens += countTokens(part.text);
    }
  }
  return tokens;
};
