import { describe, expect, it } from 'vitest';
import { Catalogue } from '../catalogue/index.ts';
import type { ModelContent } from '../contract.ts';
import { testRequest } from '../testing/index.ts';
import { buildChatRequest } from './chat-request.ts';

const catalogue = (facts: Readonly<Record<string, unknown>> = {}) =>
  new Catalogue({
    catalog: { 'p/m': facts },
    defaultWindow: 1000,
    prices: {},
    providers: { p: { type: 'openai-compatible' } },
  });

const bytes = new Uint8Array([1, 2, 3]);

const partOf = (mediaType: string, kind: 'bytes' | 'url' = 'bytes') => {
  const base = { mediaType, filename: 'name' };
  const media = kind === 'bytes' ? { ...base, kind, bytes } : { ...base, kind, url: 'https://example.org/x' };
  const content: ModelContent[] = [
    { type: 'text', text: 'see' },
    { type: 'media', media },
  ];
  const { body } = buildChatRequest(
    testRequest('p/m', '', { messages: [{ role: 'user', content }] }),
    catalogue().entry({ provider: 'p', model: 'm' }),
    undefined,
  );
  return (body['messages'] as { content: unknown[] }[])[0]?.content[1];
};

describe('chat request', () => {
  it('sends each kind of media as the protocol names it', () => {
    expect(partOf('image/png')).toEqual({ type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } });
    expect(partOf('image/png', 'url')).toEqual({ type: 'image_url', image_url: { url: 'https://example.org/x' } });
    expect(partOf('video/mp4', 'url')).toEqual({ type: 'video_url', video_url: { url: 'https://example.org/x' } });
    expect(partOf('audio/mpeg')).toEqual({ type: 'input_audio', input_audio: { data: 'AQID', format: 'mp3' } });
    expect(partOf('audio/wav')).toEqual({ type: 'input_audio', input_audio: { data: 'AQID', format: 'wav' } });
    expect(partOf('application/pdf')).toEqual({
      type: 'file',
      file: { filename: 'name', file_data: 'data:application/pdf;base64,AQID' },
    });
  });

  it.each([
    [{ thinking: 'none' }, { enabled: true }, undefined, ['thinking']],
    [{ thinking: 'none' }, { enabled: false }, undefined, []],
    [{ efforts: ['none', 'low'] }, { enabled: false }, 'none', []],
    [{ efforts: ['low'] }, { enabled: false }, undefined, ['thinking.enabled']],
    [{ efforts: ['low'] }, { effort: 'high' }, 'low', []],
  ])('with %j turns thinking %j into %s', (facts, thinking, ...[effort, leftOut]) => {
    const built = buildChatRequest(
      testRequest('p/m', 'x', { thinking }),
      catalogue(facts).entry({ provider: 'p', model: 'm' }),
      'effort',
    );
    expect(built.body['reasoning_effort']).toBe(effort);
    expect(built.leftOut.map((left) => left.option)).toEqual(leftOut);
  });

  it('sends the output cap of the request, else of the catalogue, else none', () => {
    const entry = catalogue({ maxOutput: 500 }).entry({ provider: 'p', model: 'm' });
    const unknown = catalogue().entry({ provider: 'p', model: 'other' });
    expect(buildChatRequest(testRequest('p/m', 'x'), entry, undefined).body['max_tokens']).toBe(500);
    expect(buildChatRequest(testRequest('p/m', 'x', { maxOutputTokens: 7 }), entry, undefined).body['max_tokens']).toBe(
      7,
    );
    expect(buildChatRequest(testRequest('p/m', 'x'), unknown, undefined).body['max_tokens']).toBeUndefined();
  });

  it('sends reasoning back only with continuation data, and no content beside lone calls (R23)', () => {
    const messages = [
      {
        role: 'assistant' as const,
        content: [
          { type: 'reasoning' as const, text: 'why', continuation: { field: 'reasoning', details: [{ a: 1 }] } },
          { type: 'reasoning' as const, text: 'of another provider', continuation: { sdk: 'google' } },
          { type: 'call' as const, callId: 'c1', providerCallId: 'x1', name: 't', input: {} },
        ],
      },
    ];
    const { body } = buildChatRequest(
      testRequest('p/m', '', { messages }),
      catalogue().entry({ provider: 'p', model: 'm' }),
      undefined,
    );
    expect(body['messages']).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning: 'why',
        reasoning_details: [{ a: 1 }],
        tool_calls: [{ id: 'x1', type: 'function', function: { name: 't', arguments: '{}' } }],
      },
    ]);
  });
});
