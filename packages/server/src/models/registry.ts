import type { Dispatcher } from 'undici';
import { type Clock, Fault, type Log, type Random } from '../base/index.ts';
import type { Failure, ProviderDriver } from './attempt.ts';
import { Breaker, type CallParts, ModelCall, Slots } from './call/index.ts';
import { Catalogue } from './catalogue/index.ts';
import type {
  ChunkSink,
  EmbedOutcome,
  EmbedRequest,
  ModelErrorClass,
  ModelFacts,
  ModelRegistry,
  ModelRequest,
  ModelsConfig,
  ModelTarget,
  ProviderConfig,
  SecretResolver,
} from './contract.ts';
import { DemoMemory } from './demo/index.ts';
import { createDriver } from './driver-table.ts';
import { type EmbeddedTexts, embedTexts } from './embed/index.ts';
import { failureOf } from './failure-rules.ts';
import { HttpAgent } from './http/index.ts';
import { inputKind, withTakenMedia } from './media-rules.ts';
import { isUsable, type KeySources, resolveKey } from './provider-key.ts';
import { Tokenizer } from './tokenizer.ts';
import { normaliseUsage } from './usage-rules.ts';

interface ModelRegistryOptions {
  readonly config: ModelsConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretResolver;
  /** Told before a failed try of a call is repeated; for metrics. */
  readonly onRetry?: (target: ModelTarget, errorClass: ModelErrorClass) => void;
  /** Told after a request for vectors; for metrics. */
  readonly onEmbed?: (target: ModelTarget, durationMs: number, outcome: EmbedOutcome) => void;
  /** Tests bring their own; else one pool is opened with the first call and closed by `close`. */
  readonly dispatcher?: Dispatcher;
}

interface Provider {
  readonly config: ProviderConfig;
  readonly driver: ProviderDriver;
  readonly slots: Slots;
}

const DEMO_TARGET: ModelTarget = { provider: 'demo', model: 'echo' };

/** Options already told to the operator; beyond this they are only shown on agents. */
const MAX_TOLD = 1000;

/** How long one request for vectors may take. */
const EMBED_MS = 30_000;
/** Namespace of the secrets with keys for requests that belong to no agent. */
const KEY_NAMESPACE = 'system';

/** Models whose shared parts are kept. */
const MAX_PARTS = 256;

class Registry implements ModelRegistry {
  readonly #options: ModelRegistryOptions;
  readonly #config: ModelsConfig;
  readonly #keys: KeySources;
  readonly #providers = new Map<string, Provider>();
  readonly #catalogue: Catalogue;
  readonly #breaker: Breaker;
  readonly #memory = new DemoMemory();
  readonly #tokenizer = new Tokenizer();
  readonly #agent: HttpAgent;
  readonly #told = new Set<string>();
  readonly #parts = new Map<string, CallParts>();
  readonly defaultTarget: ModelTarget;

  constructor(options: ModelRegistryOptions) {
    this.#options = options;
    const { demo = { type: 'demo' } } = options.config.providers;
    this.#config = { ...options.config, providers: { ...options.config.providers, demo } };
    this.#keys = { environment: options.environment, secrets: options.secrets };
    this.#catalogue = new Catalogue(this.#config);
    this.#breaker = new Breaker(options.clock, this.#config.breaker);
    this.#agent = new HttpAgent({ connectMs: this.#config.connectMs, dispatcher: options.dispatcher });
    const parts = { clock: options.clock, agent: this.#agent, memory: this.#memory };
    for (const [name, config] of Object.entries(this.#config.providers)) {
      const driver = createDriver(name, config, parts);
      this.#providers.set(name, { config, driver, slots: new Slots(config.maxConcurrency) });
    }
    this.defaultTarget = this.#chooseDefault();
  }

  stream(request: ModelRequest, sink: ChunkSink, signal: AbortSignal): Promise<void> {
    const { target } = request;
    const provider = this.#providers.get(target.provider);
    if (provider !== undefined) return new ModelCall(this.#partsOf(provider, target), request, { sink, signal }).run();
    refuseUnknown(target, sink);
    return Promise.resolve();
  }

  async bodyOf(request: ModelRequest): Promise<string> {
    const { target } = request;
    const provider = this.#providers.get(target.provider);
    if (provider === undefined)
      throw new Fault('FAILED_PRECONDITION', 'PROVIDER_MISSING', `the provider ${target.provider} is not configured`);
    const facts = this.#catalogue.entry(target);
    const taken = withTakenMedia(request, (media) => facts.inputs.includes(inputKind(media)));
    try {
      return await provider.driver.body({ request: taken.request, facts });
    } catch (error) {
      throw new Fault('FAILED_PRECONDITION', 'REQUEST_NOT_EXPRESSED', `${target.provider} cannot take this request`, {
        cause: error,
      });
    }
  }

  /** What all calls of one model share; made once. */
  #partsOf(provider: Provider, target: ModelTarget): CallParts {
    const key = `${target.provider}/${target.model}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const { clock, random, log } = this.#options;
    const parts: CallParts = {
      clock,
      random,
      log,
      config: this.#config,
      breaker: this.#breaker,
      slots: provider.slots,
      driver: provider.driver,
      facts: this.#catalogue.entry(target),
      resolveKey: (namespace) => resolveKey(provider.config, namespace, this.#keys),
      countTokens: (text) => this.countTokens(target, text),
      noteLeftOut: (option, text) => this.#noteLeftOut(target, option, text),
      noteRetry: (errorClass) => this.#options.onRetry?.(target, errorClass),
    };
    if (this.#parts.size >= MAX_PARTS) this.#parts.clear();
    this.#parts.set(key, parts);
    return parts;
  }

  async embed(request: EmbedRequest): Promise<EmbedOutcome> {
    const provider = this.#providers.get(request.provider);
    if (provider === undefined) return { failure: unknownProvider(request.provider) };
    const { config } = provider;
    const key = await resolveKey(config, KEY_NAMESPACE, this.#keys);
    if ('failure' in key) return key;
    const { clock } = this.#options;
    const parts = { config, apiKey: key.key, clock, agent: this.#agent, timeoutMs: EMBED_MS };
    const startedMs = clock.monotonicMs();
    const outcome = this.#embedded(request, await embedTexts(parts, request));
    this.#options.onEmbed?.(request, clock.monotonicMs() - startedMs, outcome);
    return outcome;
  }

  #embedded({ provider, model, texts }: EmbedRequest, found: EmbeddedTexts): EmbedOutcome {
    if ('failure' in found) return found;
    const target = { provider, model };
    const { tokens = texts.reduce((sum, text) => sum + this.countTokens(target, text), 0) } = found;
    const usage = normaliseUsage(
      { inputTokens: tokens, outputTokens: 0 },
      {
        target,
        prices: this.facts(target).prices,
        providerRequestId: undefined,
        isEstimated: found.tokens === undefined,
      },
    );
    return { vectors: found.vectors, usage };
  }

  get providerNames(): readonly string[] {
    return [...this.#providers.keys()];
  }

  hasProvider(provider: string): boolean {
    return this.#providers.has(provider);
  }

  facts(target: ModelTarget): ModelFacts {
    return this.#catalogue.entry(target);
  }

  isPriced(name: string): boolean {
    const at = name.indexOf('/');
    return this.facts({ provider: name.slice(0, at), model: name.slice(at + 1) }).prices !== undefined;
  }

  countTokens(target: ModelTarget, text: string): number {
    return this.#tokenizer.count(this.#typeOf(target), target.model, text);
  }

  tokenBound(target: ModelTarget, text: string): number {
    return this.#tokenizer.upperBound(this.#typeOf(target), text);
  }

  releaseHold(name: string): void {
    this.#memory.release(name);
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #typeOf(target: ModelTarget): string {
    return this.#providers.get(target.provider)?.config.type ?? target.provider;
  }

  #noteLeftOut(target: ModelTarget, option: string, text: string): void {
    const key = `${target.provider}/${target.model} ${option}`;
    if (this.#told.has(key) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(key);
    this.#options.log.warn('model option left out', { ...target, option, why: text });
  }

  /** `models.default`, else the first provider with a key and a known model, else demo/echo. */
  #chooseDefault(): ModelTarget {
    const configured = this.#config.default;
    if (configured !== undefined && configured !== '') return this.#parseDefault(configured);
    for (const [name, { config }] of this.#providers) {
      if (config.type === 'demo' || !isUsable(config, this.#keys.environment)) continue;
      const model = this.#catalogue.firstModel(name);
      if (model !== undefined) return { provider: name, model };
    }
    return DEMO_TARGET;
  }

  #parseDefault(text: string): ModelTarget {
    const at = text.indexOf('/');
    const target = { provider: text.slice(0, Math.max(at, 0)), model: text.slice(at + 1) };
    if (this.#providers.has(target.provider) && target.model !== '') return target;
    throw new Fault(
      'INVALID_ARGUMENT',
      'CONFIG_INVALID',
      `models.default "${text}" does not name a configured provider`,
    );
  }
}

const unknownProvider = (name: string): Failure =>
  failureOf('provider_auth', { sentence: `The model provider "${name}" is not configured.` });

const refuseUnknown = (target: ModelTarget, sink: ChunkSink): void =>
  sink({
    type: 'error',
    error: { ...unknownProvider(target.provider), beforeFirstByte: true, beforeFirstToken: true },
  });

/** All configured providers behind one contract. Throws Fault CONFIG_INVALID for a bad configuration. */
export const createModelRegistry = (options: ModelRegistryOptions): ModelRegistry => new Registry(options);
