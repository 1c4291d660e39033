import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { Attempt, ContentChunk } from '../attempt.ts';
import { SdkAnswer } from './sdk-answer.ts';

type FinishReason = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason'];

const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const finish = (
  unified: FinishReason['unified'] = 'stop',
  usage: LanguageModelV4Usage = NO_USAGE,
): LanguageModelV4StreamPart => ({ type: 'finish', finishReason: { unified, raw: undefined }, usage });

/** What becomes of the parts of one answer. */
const read = (...parts: readonly LanguageModelV4StreamPart[]) => {
  const emitted: ContentChunk[] = [];
  const answer = new SdkAnswer({ emit: (chunk: ContentChunk) => void emitted.push(chunk) } as Attempt, 'anthropic');
  for (const part of parts) answer.read(part);
  return { emitted, outcome: answer.outcome };
};

describe('the answer of a provider package', () => {
  it('passes text and reasoning on, and goes back whole and in order when it has reasoning', () => {
    const { emitted, outcome } = read(
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'req-1' },
      { type: 'response-metadata', id: 'req-2' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { anthropic: { signature: 'sig' } } },
      { type: 'reasoning-end', id: '0', providerMetadata: { anthropic: { kept: true }, other: { a: 1 } } },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'yes' },
      { type: 'text-end', id: '0' },
      { type: 'text-start', id: '1' },
      finish(),
    );
    expect(emitted).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'yes' },
      {
        type: 'reasoning-end',
        continuation: {
          sdk: 'anthropic',
          parts: [
            {
              type: 'reasoning',
              text: 'hm',
              providerOptions: { anthropic: { signature: 'sig', kept: true }, other: { a: 1 } },
            },
            { type: 'text', text: 'yes' },
          ],
        },
      },
    ]);
    expect(outcome).toEqual({ kind: 'finish', finish: 'stop', usage: undefined, providerRequestId: 'req-1' });
  });

  it('has the calls that were whole and those that were cut, and a repeated id is another call', () => {
    const { emitted, outcome } = read(
      { type: 'tool-input-delta', id: 'unknown', delta: '{' },
      { type: 'tool-input-start', id: 'c1', toolName: 'look' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a":' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"a":1}' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '  ' },
      { type: 'tool-input-start', id: 'c2', toolName: 'dig' },
      { type: 'tool-input-delta', id: 'c2', delta: '{"deep' },
      finish(),
    );
    expect(emitted).toEqual([
      { type: 'call', providerCallId: 'c1', name: 'look', inputText: '{"a":1}' },
      { type: 'call', providerCallId: 'c1', name: 'look', inputText: '{}' },
      { type: 'call', providerCallId: 'c2', name: 'dig', inputText: '{"deep' },
    ]);
    expect(outcome).toMatchObject({ kind: 'finish', finish: 'tool_calls' });
  });

  it('goes back whole as well when a call alone carries what the provider wants back', () => {
    const providerMetadata = { google: { thoughtSignature: 'sig' } };
    const { emitted } = read(
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{}', providerMetadata },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'dig', input: '{}' },
      finish('tool-calls'),
    );
    expect(emitted[0]).toEqual({
      type: 'reasoning-end',
      continuation: {
        sdk: 'anthropic',
        parts: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {}, providerOptions: providerMetadata },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'dig', input: {} },
        ],
      },
    });
  });

  it('does not go back for text alone, whatever the provider says about it', () => {
    const { emitted } = read(
      { type: 'text-start', id: '0', providerMetadata: { openai: { itemId: 'i1' } } },
      { type: 'text-delta', id: '0', delta: 'yes' },
      finish(),
    );
    expect(emitted).toEqual([{ type: 'text', text: 'yes' }]);
  });

  it('warns of what the model does not support, and of nothing else', () => {
    const { emitted } = read({
      type: 'stream-start',
      warnings: [
        { type: 'unsupported', feature: 'topK', details: 'not for this model' },
        { type: 'unsupported', feature: 'seed' },
        { type: 'other', message: 'hello' },
      ],
    });
    expect(emitted).toEqual([
      { type: 'warning', option: 'topK', text: 'not for this model' },
      { type: 'warning', option: 'seed', text: 'not supported by the model' },
    ]);
  });

  it('names files by their media type, from bytes, base64 and addresses', () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const { emitted } = read(
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
      { type: 'file', mediaType: 'application/pdf;version=1', data: { type: 'data', data: bytes } },
      { type: 'file', mediaType: 'image/svg+xml', data: { type: 'url', url: new URL('https://a.test/b.svg') } },
      { type: 'file', mediaType: 'audio', data: { type: 'data', data: bytes } },
    );
    const media = emitted.map((chunk) => (chunk.type === 'file' ? chunk.media : undefined));
    expect(media).toMatchObject([
      { kind: 'bytes', mediaType: 'image/png', filename: 'image.png', bytes },
      { kind: 'bytes', mediaType: 'application/pdf;version=1', filename: 'file.pdf', bytes },
      { kind: 'url', mediaType: 'image/svg+xml', filename: 'image.svg', url: 'https://a.test/b.svg' },
      { kind: 'bytes', mediaType: 'audio', filename: 'file.bin', bytes },
    ]);
  });
});

describe('the end of an answer of a provider package', () => {
  it.each([
    ['stop', 'stop'],
    ['other', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content_filter'],
    ['tool-calls', 'tool_calls'],
  ] as const)('says %s as %s', (unified, reason) => {
    expect(read(finish(unified)).outcome).toMatchObject({ kind: 'finish', finish: reason });
  });

  it('is a failure where the package says error', () => {
    expect(read(finish('error')).outcome).toMatchObject({
      kind: 'failure',
      failure: { errorClass: 'provider_stream' },
    });
  });

  it('keeps its reason in spite of calls that were cut', () => {
    const { outcome } = read({ type: 'tool-input-start', id: 'c1', toolName: 'look' }, finish('length'));
    expect(outcome).toMatchObject({ kind: 'finish', finish: 'length' });
  });

  it('has the usage that the provider reported, with its total only where it is a number', () => {
    const counted = (raw?: { readonly [name: string]: string | number }): LanguageModelV4Usage => ({
      inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
      outputTokens: { total: 7, text: 4, reasoning: 3 },
      ...(raw === undefined ? {} : { raw }),
    });
    const expected = {
      inputTokens: 10,
      outputTokens: 7,
      cachedInputTokens: 5,
      cacheWriteTokens: 1,
      reasoningTokens: 3,
    };
    const usageOf = (usage: LanguageModelV4Usage) => {
      const { outcome } = read(finish('stop', usage));
      return outcome?.kind === 'finish' ? outcome.usage : 'none';
    };
    expect(usageOf(counted())).toEqual(expected);
    expect(usageOf(counted({ total_tokens: 17 }))).toEqual({ ...expected, totalTokens: 17 });
    expect(usageOf(counted({ totalTokenCount: 18 }))).toEqual({ ...expected, totalTokens: 18 });
    expect(usageOf(counted({ total_tokens: 'many' }))).toEqual(expected);
    const { inputTokens } = counted();
    expect(usageOf({ ...NO_USAGE, inputTokens })).toBeUndefined();
    const plain = {
      inputTokens: { ...NO_USAGE.inputTokens, total: 2 },
      outputTokens: { ...NO_USAGE.outputTokens, total: 1 },
    };
    expect(usageOf(plain)).toEqual({ inputTokens: 2, outputTokens: 1 });
  });

  it.each([
    [
      'the body that the provider sent',
      { type: 'error', error: { type: 'context_length_exceeded' } },
      'context_overflow',
    ],
    [
      'the body in an Error',
      Object.assign(new Error('no'), { data: { error: { type: 'context_length_exceeded' } } }),
      'context_overflow',
    ],
    ['an Error without one', new Error('no'), 'provider_stream'],
    ['no body at all', 'no', 'provider_stream'],
  ])('is that of an error part with %s, whatever comes behind it', (_what, error, errorClass) => {
    const { emitted, outcome } = read({ type: 'error', error }, finish());
    expect([emitted, outcome]).toMatchObject([[], { kind: 'failure', failure: { errorClass } }]);
  });

  it('is not there yet after parts that say nothing to us', () => {
    expect(read({ type: 'raw', rawValue: {} })).toEqual({ emitted: [], outcome: undefined });
  });
});
