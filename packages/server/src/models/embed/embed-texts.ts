import type { Clock } from '../../base/index.ts';
import type { Failure } from '../attempt.ts';
import type { EmbedOutcome, EmbedRequest, ProviderConfig } from '../contract.ts';
import { embedDemo } from '../demo/index.ts';
import { failureOf } from '../failure-rules.ts';
import { endpointOf, type HttpAgent, parseJsonBody } from '../http/index.ts';
import { loadSdkEmbedding, SdkFetch } from '../sdk/index.ts';
import { countedTokens, listedVectors, unitVectors } from './vector-rules.ts';

interface EmbedParts {
  readonly config: ProviderConfig;
  readonly apiKey: string | undefined;
  readonly clock: Clock;
  readonly agent: HttpAgent;
  /** In milliseconds, for the whole request. */
  readonly timeoutMs: number;
}

/** What an answer brought: `tokens` where the provider counted them. */
export type EmbeddedTexts =
  | { readonly vectors: readonly Float32Array[]; readonly tokens: number | undefined }
  | Extract<EmbedOutcome, { readonly failure: unknown }>;

interface Found {
  readonly vectors: readonly unknown[];
  readonly tokens: number | undefined;
}

const OPENAI = 'https://api.openai.com/v1';
/** Headers of a request; the configuration may replace them, as in requests to models. */
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json' };

const failed = (failure: Failure): EmbeddedTexts => ({ failure });

const NOT_OFFERED = failureOf('provider_invalid_request', { sentence: 'The provider makes no vectors of texts.' });
const UNUSABLE = failureOf('provider_stream', { sentence: 'The provider answered no usable vectors.' });

/** One request; never rejects. */
export const embedTexts = async (parts: EmbedParts, request: EmbedRequest): Promise<EmbeddedTexts> => {
  const { config, clock, agent, timeoutMs } = parts;
  if (config.type === 'demo') return { vectors: request.texts.map(embedDemo), tokens: undefined };
  if (config.type === 'anthropic') return failed(NOT_OFFERED);
  const late = new AbortController();
  const cancel = clock.after(timeoutMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, request.signal]);
  const dispatcher = agent.ready ?? (await agent.load());
  const wire = new SdkFetch({ attempt: UNWATCHED, dispatcher, clock, signal });
  try {
    const found =
      config.type === 'google'
        ? await fromGoogle(parts, request, { wire, signal })
        : await posted(parts, request, wire);
    const vectors = unitVectors(found.vectors, request.texts.length);
    return vectors === undefined ? failed(wire.failure ?? UNUSABLE) : { vectors, tokens: found.tokens };
  } catch {
    // What went wrong on the wire is known there; texts of errors say nothing that may be shown.
    return failed(late.signal.aborted ? failureOf('provider_timeout') : (wire.failure ?? failureOf('provider_stream')));
  } finally {
    cancel();
  }
};

/** The time-out is that of the whole request. */
const UNWATCHED = { connected: () => undefined, received: () => undefined };

/** OpenAI, and servers that speak as it does. */
const posted = async (
  { config, apiKey }: EmbedParts,
  { model, texts }: EmbedRequest,
  wire: SdkFetch,
): Promise<Found> => {
  const { origin, path } = endpointOf(config.baseUrl ?? OPENAI, '/embeddings');
  const answer = await wire.fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      ...JSON_BODY,
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...config.headers,
    },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
  });
  const body = parseJsonBody(await answer.text());
  return { vectors: listedVectors(body), tokens: countedTokens(body) };
};

const TASKS = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const;

const fromGoogle = async (
  { config, apiKey }: EmbedParts,
  { model, texts, purpose }: EmbedRequest,
  { wire, signal }: { readonly wire: SdkFetch; readonly signal: AbortSignal },
): Promise<Found> => {
  const embedding = await loadSdkEmbedding({ config, model, apiKey: apiKey ?? '', fetch: wire.fetch });
  const { embeddings, usage } = await embedding.doEmbed({
    values: [...texts],
    abortSignal: signal,
    providerOptions: { google: { taskType: TASKS[purpose] } },
  });
  return { vectors: embeddings, tokens: usage?.tokens };
};
