import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRegistry, ModelRequest } from '../contract.ts';
import {
  anthropicWire,
  collect,
  compatibleWire,
  googleWire,
  member,
  modelsConfig,
  openaiChatWire,
  responsesWire,
  testRegistry,
  testRequest,
  type WireProtocol,
  WireServer,
} from '../testing/index.ts';

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const pngText = Buffer.from(png).toString('base64');

const tool = (name: string) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});

let server: WireServer;
const registries = new Map<WireProtocol, ModelRegistry>();
const wires = [compatibleWire, openaiChatWire, responsesWire, anthropicWire, googleWire];

beforeAll(async () => {
  server = await WireServer.start();
  for (const wire of wires) {
    const baseUrl = `${server.origin}${wire.basePath}`;
    const plain = { ...wire.provider, baseUrl, apiKey: 'test-key', headers: { 'x-extra': 'yes' } };
    const providers = {
      p: plain,
      template: { ...plain, thinkingStyle: 'template' as const },
      mute: { ...plain, thinkingStyle: 'none' as const },
    };
    registries.set(wire, testRegistry(modelsConfig(providers, { tries: 1 })));
  }
});

afterAll(async () => {
  for (const registry of registries.values()) await registry.close();
  await server.close();
});

/** Body of the request that the driver sent, and the options it said it left out. */
const sent = async (wire: WireProtocol, more: Partial<ModelRequest>, target = `p/${wire.model}`) => {
  server.answer = () => ({ chunks: wire.events({ text: ['ok'] }) });
  const registry = registries.get(wire)!;
  const asked = testRequest(target, 'hello', more);
  const told: string[] = [];
  const got = await collect(registry, { ...asked, onSent: (body) => told.push(body) });
  expect(got.error).toBeUndefined();
  const request = server.requests.at(-1)!;
  // Whatever the request holds: its body is told as it left, and built once more it is the same.
  expect(told).toEqual([request.text]);
  expect(await registry.bodyOf(asked)).toBe(request.text);
  return { ...request, warnings: got.all('warning').map((warning) => warning.option) };
};

describe.each(wires.map((wire) => [wire.name, wire] as const))('request bytes of %s (R30)', (_name, wire) => {
  it('uses its path, key and extra headers', async () => {
    const request = await sent(wire, { traceHeaders: { traceparent: '00-1-2-01' } });
    expect(request.path).toBe(wire.path);
    expect(request.headers[wire.keyHeader[0]]).toBe(wire.keyHeader[1]);
    expect(request.headers['x-extra']).toBe('yes');
    expect(request.headers['traceparent']).toBe('00-1-2-01');
  });

  it.each([0, 0.7])('sends temperature %s', async (temperature) => {
    expect(wire.temperature((await sent(wire, { temperature })).body)).toBe(temperature);
  });

  it('sends no temperature and no thinking when absent', async () => {
    const request = await sent(wire, {});
    expect(wire.temperature(request.body)).toBeUndefined();
    expect(request.text).not.toMatch(/reasoning|thinking/);
    expect(request.warnings).toEqual([]);
  });

  it('sends every offered tool with its schema', async () => {
    const request = await sent(wire, { tools: [tool('time'), tool('weather')] });
    expect(wire.toolNames(request.body)).toEqual(['time', 'weather']);
    expect(request.text).toContain('"city"');
    expect(request.text).toContain('does weather');
  });

  it('sends images as bytes', async () => {
    const media = { kind: 'bytes', mediaType: 'image/png', filename: 'a.png', bytes: png } as const;
    const request = await sent(wire, {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'media', media },
          ],
        },
      ],
    });
    expect(request.text).toContain(pngText);
    expect(request.text).toContain('look');
  });

  it('replays calls and results in pairs, with unique ids where the provider repeated or left them out (R33)', async () => {
    const call = (callId: string, providerCallId: string) =>
      ({ type: 'call', callId, providerCallId, name: 'weather', input: { city: callId } }) as const;
    const result = (callId: string, providerCallId: string) =>
      ({ type: 'result', callId, providerCallId, name: 'weather', text: `sun ${callId}`, isError: false }) as const;
    const request = await sent(wire, {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'so' }, call('call_1', 'dup'), call('call_2', 'dup'), call('call_3', '')],
        },
        { role: 'tool', content: [result('call_1', 'dup'), result('call_2', 'dup'), result('call_3', '')] },
      ],
      tools: [tool('weather')],
    });
    for (const id of ['dup', 'call_2', 'call_3'])
      expect(request.text.split(`"${id}"`).length - 1).toBeGreaterThanOrEqual(2);
    expect(request.text).toContain('be brief');
    expect(request.text).toContain('sun call_3');
  });

  it('keeps system text that comes later in the conversation (R21)', async () => {
    const request = await sent(wire, {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'first rule' }] },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
        { role: 'system', content: [{ type: 'text', text: 'later rule' }] },
        { role: 'user', content: [{ type: 'text', text: 'go on' }] },
      ],
    });
    for (const text of ['first rule', 'later rule', 'go on']) expect(request.text).toContain(text);
  });
});

type Row = readonly [string, WireProtocol, string, Partial<ModelRequest>, readonly (string | number)[], unknown];

const on = (more: ModelRequest['thinking']): Partial<ModelRequest> => ({ thinking: { enabled: true, ...more } });

const rows: readonly Row[] = [
  ['effort as is', compatibleWire, 'p/x', on({ effort: 'high' }), ['reasoning_effort'], 'high'],
  ['enabled alone', compatibleWire, 'p/x', on({}), ['reasoning_effort'], 'medium'],
  ['nearest effort of a budget', compatibleWire, 'p/x', on({ budgetTokens: 5000 }), ['reasoning_effort'], 'low'],
  ['template on', compatibleWire, 'template/x', on({}), ['chat_template_kwargs', 'enable_thinking'], true],
  [
    'template off',
    compatibleWire,
    'template/x',
    { thinking: { enabled: false } },
    ['chat_template_kwargs', 'enable_thinking'],
    false,
  ],
  ['style none', compatibleWire, 'mute/x', on({ effort: 'high' }), ['reasoning_effort'], undefined],
  ['effort', responsesWire, 'p/gpt-5', on({ effort: 'low' }), ['reasoning'], { effort: 'low', summary: 'auto' }],
  ['enabled alone', responsesWire, 'p/gpt-5', on({}), ['reasoning'], { effort: 'medium', summary: 'auto' }],
  [
    'effort without enabled',
    responsesWire,
    'p/gpt-5',
    { thinking: { effort: 'high' } },
    ['reasoning'],
    { effort: 'high' },
  ],
  ['unsupported effort lowered', responsesWire, 'p/gpt-5.1', on({ effort: 'max' }), ['reasoning', 'effort'], 'high'],
  ['disabled', responsesWire, 'p/gpt-5.1', { thinking: { enabled: false } }, ['reasoning'], { effort: 'none' }],
  ['disabled, not supported', responsesWire, 'p/gpt-5', { thinking: { enabled: false } }, ['reasoning'], undefined],
  ['no stored state', responsesWire, 'p/gpt-5', {}, ['store'], false],
  ['effort', openaiChatWire, 'p/gpt-5', on({ effort: 'low' }), ['reasoning_effort'], 'low'],
  [
    'budget model, budget',
    anthropicWire,
    'p/claude-sonnet-4-5',
    on({ budgetTokens: 2048 }),
    ['thinking'],
    { type: 'enabled', budget_tokens: 2048 },
  ],
  [
    'budget model, effort',
    anthropicWire,
    'p/claude-sonnet-4-5',
    on({ effort: 'medium' }),
    ['thinking', 'budget_tokens'],
    10_240,
  ],
  [
    'budget model, both',
    anthropicWire,
    'p/claude-sonnet-4-5',
    on({ effort: 'low', budgetTokens: 3000 }),
    ['thinking', 'budget_tokens'],
    3000,
  ],
  [
    'budget added to the cap',
    anthropicWire,
    'p/claude-sonnet-4-5',
    { maxOutputTokens: 1000, ...on({ budgetTokens: 2048 }) },
    ['max_tokens'],
    3048,
  ],
  [
    'no temperature while thinking',
    anthropicWire,
    'p/claude-sonnet-4-5',
    { temperature: 0.5, ...on({ budgetTokens: 2048 }) },
    ['temperature'],
    undefined,
  ],
  ['cap of the catalogue', anthropicWire, 'p/claude-sonnet-4-5', {}, ['max_tokens'], 64_000],
  ['default cap', anthropicWire, 'p/other-model', {}, ['max_tokens'], 8192],
  [
    'disabled',
    anthropicWire,
    'p/claude-sonnet-4-5',
    { thinking: { enabled: false } },
    ['thinking'],
    { type: 'disabled' },
  ],
  ['adaptive model', anthropicWire, 'p/claude-opus-4-8', on({}), ['thinking'], { type: 'adaptive' }],
  [
    'adaptive model, effort',
    anthropicWire,
    'p/claude-opus-4-8',
    on({ effort: 'xhigh' }),
    ['output_config', 'effort'],
    'xhigh',
  ],
  [
    'adaptive model, budget',
    anthropicWire,
    'p/claude-opus-4-8',
    on({ budgetTokens: 11_000 }),
    ['output_config', 'effort'],
    'medium',
  ],
  [
    'budget',
    googleWire,
    'p/gemini-2.5-flash',
    on({ budgetTokens: 900 }),
    ['generationConfig', 'thinkingConfig'],
    { thinkingBudget: 900, includeThoughts: true },
  ],
  [
    'effort as budget',
    googleWire,
    'p/gemini-2.5-flash',
    { thinking: { effort: 'low' } },
    ['generationConfig', 'thinkingConfig'],
    { thinkingBudget: 4096 },
  ],
  [
    'largest budget',
    googleWire,
    'p/gemini-2.5-flash',
    { thinking: { effort: 'max' } },
    ['generationConfig', 'thinkingConfig'],
    { thinkingBudget: 24_576 },
  ],
  [
    'disabled',
    googleWire,
    'p/gemini-2.5-flash',
    { thinking: { enabled: false } },
    ['generationConfig', 'thinkingConfig'],
    { thinkingBudget: 0 },
  ],
  [
    'level',
    googleWire,
    'p/gemini-3-flash-preview',
    on({ effort: 'low' }),
    ['generationConfig', 'thinkingConfig'],
    { thinkingLevel: 'low', includeThoughts: true },
  ],
  [
    'level of a budget',
    googleWire,
    'p/gemini-3-flash-preview',
    { thinking: { budgetTokens: 30_000 } },
    ['generationConfig', 'thinkingConfig'],
    { thinkingLevel: 'high' },
  ],
  [
    'lowest level when off',
    googleWire,
    'p/gemini-3-flash-preview',
    { thinking: { enabled: false } },
    ['generationConfig', 'thinkingConfig'],
    { thinkingLevel: 'minimal' },
  ],
];

describe('thinking on the wire (RT-4.2)', () => {
  it.each(rows.map((row) => [row[1].name, row[0], row] as const))(
    '%s: %s',
    async (_wire, _what, [, wire, target, more, path, value]) => {
      expect(member((await sent(wire, more, target)).body, ...path)).toEqual(value);
    },
  );

  it('tells what was left out', async () => {
    const mute = await sent(compatibleWire, on({ effort: 'high' }), 'mute/x');
    expect(mute.warnings).toEqual(['thinking']);
    const fixed = await sent(responsesWire, { temperature: 0.5 }, 'p/gpt-5');
    expect(fixed.warnings).toEqual(['temperature']);
    expect(fixed.body['temperature']).toBeUndefined();
  });
});

describe('continuation data (R23)', () => {
  const answer = {
    reasoning: ['deep thought'],
    calls: [{ id: 'w1', name: 'weather', input: { city: 'Bonn' } }],
  };

  it.each([
    [compatibleWire, 'p/x', ['"reasoning_content":"deep thought"']],
    [responsesWire, 'p/gpt-5', ['"encrypted_content":"sealed-1"', 'deep thought']],
    [anthropicWire, 'p/claude-sonnet-4-5', ['"signature":"signed-1"', '"thinking":"deep thought"']],
    [googleWire, 'p/gemini-2.5-flash', ['"thoughtSignature":"signed-1"']],
  ] as const)('goes back to the provider that gave it', async (wire, target, expected) => {
    server.answer = () => ({ chunks: wire.events(answer) });
    const registry = registries.get(wire)!;
    const first = await collect(registry, testRequest(target, 'hello', { tools: [tool('weather')], ...on({}) }));
    const [call] = first.calls;
    const request = await sent(
      wire,
      {
        ...on({}),
        tools: [tool('weather')],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'hello' }] },
          {
            role: 'assistant',
            content: [
              { type: 'reasoning', text: first.reasoning, continuation: first.continuation },
              {
                type: 'call',
                callId: 'call_1',
                providerCallId: call!.providerCallId,
                name: call!.name,
                input: { city: 'Bonn' },
              },
            ],
          },
          {
            role: 'tool',
            content: [
              {
                type: 'result',
                callId: 'call_1',
                providerCallId: call!.providerCallId,
                name: 'weather',
                text: 'rain',
                isError: false,
              },
            ],
          },
        ],
      },
      target,
    );
    for (const text of expected) expect(request.text).toContain(text);
    expect(request.text).toContain('Bonn');
    expect(request.text).toContain('rain');
  });
});
