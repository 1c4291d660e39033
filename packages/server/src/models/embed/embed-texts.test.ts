import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import type { EmbedOutcome, EmbedRequest, ProviderConfig } from '../contract.ts';
import { modelsConfig, testRegistry, type WireAnswer, WireServer } from '../testing/index.ts';
import { unitVectors } from './vector-rules.ts';

let server: WireServer;
beforeEach(async () => {
  server = await WireServer.start();
});
afterEach(() => server.close());

const json = (body: unknown, more: WireAnswer = {}): WireAnswer => ({
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(body)],
  ...more,
});

const embed = async (
  config: ProviderConfig,
  more: Partial<EmbedRequest> & { readonly clock?: ManualClock } = {},
): Promise<EmbedOutcome> => {
  const { clock = new ManualClock(), ...asked } = more;
  const registry = testRegistry(modelsConfig({ p: config }), { clock });
  const { signal } = new AbortController();
  try {
    return await registry.embed({
      provider: 'p',
      model: 'm',
      texts: ['one', 'two'],
      purpose: 'document',
      signal,
      ...asked,
    });
  } finally {
    await registry.close();
  }
};

const compatible = (): ProviderConfig => ({ type: 'openai-compatible', baseUrl: `${server.origin}/v1`, apiKey: 'k' });

const vectorsOf = (outcome: EmbedOutcome): readonly (readonly number[])[] => {
  if ('failure' in outcome) throw new Error(outcome.failure.sentence);
  return outcome.vectors.map((vector) => [...vector]);
};

describe('vectors of texts', () => {
  it('come from servers that speak as OpenAI does, in the order of the texts and of unit length', async () => {
    server.answer = () =>
      json({
        data: [
          { index: 1, embedding: [0, 5] },
          { index: 0, embedding: [2, 0] },
        ],
      });
    const config = { ...compatible(), headers: { 'x-team': 'a' } };
    expect(vectorsOf(await embed(config))).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer k', 'x-team': 'a' },
      body: { model: 'm', input: ['one', 'two'], encoding_format: 'float' },
    });
  });

  it('are counted in tokens by the provider, or else as texts of models are', async () => {
    server.answer = () => json({ data: [{ embedding: [1] }, { embedding: [2] }], usage: { prompt_tokens: 7 } });
    const counted = await embed(compatible());
    expect(counted).toMatchObject({ usage: { inputTokens: 7, totalTokens: 7, usageAvailable: true, provider: 'p' } });
    expect(await embed({ type: 'demo' })).toMatchObject({ usage: { inputTokens: 2, usageAvailable: false } });
  });

  it('come from Google, which is told what they are for', async () => {
    server.answer = () => json({ embeddings: [{ values: [0, 2] }, { values: [3, 4] }] });
    const config: ProviderConfig = { type: 'google', baseUrl: `${server.origin}/v1beta`, apiKey: 'k' };
    expect(vectorsOf(await embed(config, { purpose: 'query' }))[0]).toEqual([0, 1]);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': 'k' });
    expect(server.requests[0]?.text).toContain('RETRIEVAL_QUERY');
  });

  it('come from the demo provider without any server', async () => {
    const [one, again] = vectorsOf(await embed({ type: 'demo' }, { texts: ['refund policy', 'Policy: refund'] }));
    expect(one).toHaveLength(64);
    expect(one).toEqual(again);
  });

  it.each<[string, WireAnswer, string]>([
    ['of a refused key', json({ error: { message: 'secret text' } }, { status: 401 }), 'provider_auth'],
    ['of a limit', json({}, { status: 429, headers: { 'retry-after': '7' } }), 'provider_rate_limited'],
    ['of a refused text', json({ error: { message: 'bad' } }, { status: 400 }), 'provider_invalid_request'],
    ['of a broken connection', { end: 'reset' }, 'provider_unavailable'],
    ['of an answer that breaks off', { chunks: ['{"data":['], end: 'destroy' }, 'provider_stream'],
    ['of an answer without JSON', { chunks: ['hello'] }, 'provider_stream'],
    ['of too few vectors', json({ data: [{ embedding: [1] }] }), 'provider_stream'],
  ])('are a failure that tells nothing of the upstream: %s', async (_name, answer, errorClass) => {
    server.answer = () => answer;
    const outcome = await embed(compatible());
    expect(outcome).toMatchObject({ failure: { errorClass } });
    expect(JSON.stringify(outcome)).not.toContain('secret text');
    if (errorClass === 'provider_rate_limited') expect(outcome).toMatchObject({ failure: { retryAfterMs: 7_000 } });
    expect(server.requests).toHaveLength(1);
  });

  it('end in time when the provider is silent, and at once when the caller gives up', async () => {
    server.answer = () => ({ end: 'silent' });
    const clock = new ManualClock();
    const late = embed(compatible(), { clock });
    await server.nextRequest();
    clock.advance(30_000);
    expect(await late).toMatchObject({ failure: { errorClass: 'provider_timeout' } });
    const controller = new AbortController();
    const stopped = embed(compatible(), { signal: controller.signal });
    await server.nextRequest();
    controller.abort();
    expect(await stopped).toHaveProperty('failure');
  });

  it('are not to be had of providers that offer none, are not configured, or have no key', async () => {
    expect(await embed({ type: 'anthropic', apiKey: 'k' })).toMatchObject({
      failure: { sentence: 'The provider makes no vectors of texts.' },
    });
    expect(await embed(compatible(), { provider: 'other' })).toMatchObject({
      failure: { errorClass: 'provider_auth' },
    });
    expect(await embed({ type: 'openai' })).toMatchObject({ failure: { errorClass: 'provider_auth' } });
  });

  it('are refused unless all are of one length and of numbers that can be compared', () => {
    for (const bad of [
      [],
      [[1], [1, 2]],
      [
        [0, 0],
        [1, 0],
      ],
      [[1], ['1']],
      [[1], [Number.NaN]],
      [[1], []],
      ['x', [1]],
    ])
      expect(unitVectors(bad, 2)).toBeUndefined();
    expect(unitVectors([Array.from({ length: 8_193 }, () => 1)], 1)).toBeUndefined();
    expect(unitVectors([[3, 4]], 1)?.map((vector) => vector.length)).toEqual([2]);
  });
});
