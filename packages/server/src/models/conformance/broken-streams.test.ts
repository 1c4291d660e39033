import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import type { ModelRegistry } from '../contract.ts';
import {
  anthropicWire,
  Collected,
  collect,
  compatibleWire,
  googleWire,
  modelsConfig,
  openaiChatWire,
  responsesWire,
  testRegistry,
  testRequest,
  type WireAnswer,
  type WireProtocol,
  WireServer,
} from '../testing/index.ts';

const wires = [compatibleWire, openaiChatWire, responsesWire, anthropicWire, googleWire];
const PIECES = ['Gr\u00fc\u00dfe ', '\u65e5\u672c ', '\ud83d\ude00!'];
const TEXT = PIECES.join('');

let server: WireServer;
const registries = new Map<WireProtocol, ModelRegistry>();

beforeAll(async () => {
  server = await WireServer.start();
  for (const wire of wires) {
    const provider = { ...wire.provider, baseUrl: `${server.origin}${wire.basePath}`, apiKey: 'test-key' };
    const config = modelsConfig({ p: provider }, { tries: 1, breaker: { failures: 1e9, withinMs: 1, openMs: 1 } });
    registries.set(wire, testRegistry(config, { clock: new ManualClock() }));
  }
});

afterAll(async () => {
  for (const registry of registries.values()) await registry.close();
  await server.close();
});

const run = (wire: WireProtocol, answer: WireAnswer, signal?: AbortSignal) => {
  server.answer = () => answer;
  return collect(registries.get(wire)!, testRequest(`p/${wire.model}`, 'hello'), signal);
};

const bodyOf = (wire: WireProtocol): Buffer => Buffer.from(wire.events({ text: PIECES }).join(''));

/** Cuts for the packages are every byte too, but in steps that keep the suite short. */
const stepOf = (wire: WireProtocol): number => (wire === compatibleWire ? 1 : 23);

describe.each(wires.map((wire) => [wire.name, wire] as const))('streams of %s', (_name, wire) => {
  it('decode as if whole when split in two at any byte (R32)', async () => {
    const body = bodyOf(wire);
    for (let at = 1; at < body.length; at += stepOf(wire)) {
      const got = await run(wire, { chunks: [body.subarray(0, at), body.subarray(at)] });
      expect([at, got.text, got.finish?.finish]).toEqual([at, TEXT, 'stop']);
    }
  });

  it('never deliver half a surrogate pair (R32)', async () => {
    const body = bodyOf(wire);
    for (let at = 1; at < body.length; at += stepOf(wire)) {
      const got = await run(wire, { chunks: [body.subarray(0, at), body.subarray(at)] });
      for (const chunk of got.all('text')) expect(chunk.text.isWellFormed()).toBe(true);
    }
  });

  it.each(['destroy', 'end'] as const)(
    'give a true beginning and one error, or the whole, when they %s at any byte (R31)',
    async (end) => {
      const body = bodyOf(wire);
      for (let at = 0; at < body.length; at += stepOf(wire)) {
        const got = await run(wire, { chunks: at === 0 ? [] : [body.subarray(0, at)], end });
        expect(TEXT.startsWith(got.text)).toBe(true);
        expect(got.chunks.filter((chunk) => chunk.type === 'finish' || chunk.type === 'error')).toHaveLength(1);
        if (got.finish !== undefined) expect([at, got.text]).toEqual([at, TEXT]);
        else
          expect([at, got.error?.errorClass, got.error?.beforeFirstToken]).toEqual([
            at,
            'provider_stream',
            got.text === '',
          ]);
      }
    },
  );

  it('hold a surrogate half that the provider sent alone until its other half comes', async () => {
    const got = await run(wire, { chunks: wire.events({ text: ['a\ud83d', '\ude00b'] }) });
    expect(got.text).toBe('a😀b');
    for (const chunk of got.all('text')) expect(chunk.text.isWellFormed()).toBe(true);
  });

  it('stop at once when the signal aborts before headers, and free the connection (R35)', async () => {
    const stop = new AbortController();
    const arrived = server.nextRequest();
    const running = run(wire, { end: 'silent' }, stop.signal);
    await arrived;
    const gone = server.nextAbandoned();
    stop.abort();
    const got = await running;
    expect(got.error).toMatchObject({ isStopped: true, beforeFirstByte: true, beforeFirstToken: true });
    expect(got.usage).toBeUndefined();
    await gone;
  });

  it('stop in the middle with an estimate of what was used', async () => {
    const stop = new AbortController();
    server.answer = () => ({ chunks: wire.events({ text: PIECES }).slice(0, -3), end: 'hang' });
    const got = new Collected();
    const gone = server.nextAbandoned();
    await registries.get(wire)!.stream(
      testRequest(`p/${wire.model}`, 'hello there'),
      (chunk) => {
        got.chunks.push(chunk);
        if (chunk.type === 'text') stop.abort();
      },
      stop.signal,
    );
    expect(got.error).toMatchObject({ isStopped: true, beforeFirstByte: false, beforeFirstToken: false });
    expect(got.usage).toMatchObject({ estimated: true, usageAvailable: false });
    expect(got.usage!.inputTokens).toBeGreaterThan(0);
    expect(got.usage!.outputTokens).toBeGreaterThan(0);
    await gone;
  });
});

describe('the own driver', () => {
  const chat = (...events: unknown[]): WireAnswer => ({
    chunks: [...events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)],
  });
  const delta = (fields: unknown, finish: string | null = null) => ({
    choices: [{ index: 0, delta: fields, finish_reason: finish }],
  });
  const call = (fields: Readonly<Record<string, unknown>>) => delta({ tool_calls: [fields] });

  it.each([
    [
      'without index',
      [
        call({ id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
        call({ id: 'b', function: { name: 'y', arguments: '{}' } }),
      ],
    ],
    [
      'with one index for all',
      [
        call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
        call({ index: 0, id: 'b', function: { name: 'y', arguments: '{}' } }),
      ],
    ],
    [
      'without ids',
      [
        call({ index: 0, function: { name: 'x', arguments: '{"n"' } }),
        call({ index: 0, function: { arguments: ':1}' } }),
        call({ index: 1, function: { name: 'y' } }),
      ],
    ],
    [
      'with repeated ids',
      [
        call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
        call({ index: 1, id: 'a', function: { name: 'y', arguments: '{}' } }),
      ],
    ],
    [
      'with neither',
      [call({ function: { name: 'x', arguments: '{"n":1}' } }), call({ function: { name: 'y', arguments: '{}' } })],
    ],
    [
      'with arguments as an object',
      [
        call({ index: 0, id: 'a', function: { name: 'x', arguments: { n: 1 } } }),
        call({ index: 1, id: 'b', function: { name: 'y', arguments: {} } }),
      ],
    ],
  ])('tells calls apart %s (R33)', async (_what, events) => {
    const got = await run(compatibleWire, chat(...events, delta({}, 'tool_calls'), '[DONE]'));
    expect(got.calls.map(({ name, inputText }) => [name, inputText])).toEqual([
      ['x', '{"n":1}'],
      ['y', '{}'],
    ]);
  });

  it('passes on a call cut by the output cap as it was written', async () => {
    const got = await run(
      compatibleWire,
      chat(call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":' } }), delta({}, 'length'), '[DONE]'),
    );
    expect(got.calls[0]?.inputText).toBe('{"n":');
    expect(got.finish?.finish).toBe('length');
  });

  it('counts reasoning once for servers that report it apart', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 22,
      completion_tokens_details: { reasoning_tokens: 7 },
    };
    const got = await run(
      compatibleWire,
      chat(delta({ content: 'x' }), delta({}, 'stop'), { choices: [], usage }, '[DONE]'),
    );
    expect(got.usage).toMatchObject({ inputTokens: 10, outputTokens: 12, reasoningTokens: 7, totalTokens: 22 });
  });

  it('takes the last complete usage report', async () => {
    const got = await run(
      compatibleWire,
      chat(
        { ...delta({ content: 'x' }), usage: { prompt_tokens: 10, completion_tokens: 1 } },
        { ...delta({}, 'stop'), usage: { prompt_tokens: 10, completion_tokens: 4 } },
        { choices: [], usage: { prompt_tokens: 11 } },
        '[DONE]',
      ),
    );
    expect(got.usage).toMatchObject({ inputTokens: 10, outputTokens: 4, totalTokens: 14 });
  });

  it('estimates usage that the server left out', async () => {
    const got = await run(compatibleWire, chat(delta({ content: 'one two three' }), delta({}, 'stop'), '[DONE]'));
    expect(got.usage).toMatchObject({ estimated: true, usageAvailable: false });
    expect(got.usage!.outputTokens).toBeGreaterThanOrEqual(3);
  });

  it('reads CRLF line ends, comments and events of several lines', async () => {
    const body = `: hello\r\n\r\ndata: {"choices":[{"delta":\r\ndata: {"content":"hi"}}]}\r\n\r\ndata:{"choices":[{"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n`;
    const got = await run(compatibleWire, { chunks: [body] });
    expect([got.text, got.finish?.finish]).toEqual(['hi', 'stop']);
  });

  it('takes a whole completion from a server that does not stream', async () => {
    const body = JSON.stringify({
      id: 'c1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    });
    const got = await run(compatibleWire, { headers: { 'content-type': 'application/json' }, chunks: [body] });
    expect([got.text, got.finish?.finish, got.usage?.totalTokens]).toEqual(['whole', 'stop', 4]);
  });

  it('joins deltas of one network chunk into one', async () => {
    const body = compatibleWire.events({ text: Array.from({ length: 50 }, (_, index) => `${index} `) }).join('');
    const got = await run(compatibleWire, { chunks: [body] });
    expect(got.all('text')).toHaveLength(1);
  });

  it('reads texts alike whether their event has the known shape or not', async () => {
    const texts = [
      'plain',
      ' two',
      ' "quoted"',
      ' back\\slash',
      '\nline',
      ' \u65e5\u672c',
      ' \ud83d\ude00',
      '\ud83d',
      '\ude00',
      '"',
      ',',
      ' end',
    ];
    const got = await run(compatibleWire, { chunks: compatibleWire.events({ text: texts }) });
    expect(got.text).toBe(texts.join(''));
    const mixed = [
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      { ...delta({ content: 'c' }), usage: { prompt_tokens: 1, completion_tokens: 2 } },
      delta({ content: 'd' }, 'length'),
      '[DONE]',
    ];
    const end = await run(compatibleWire, chat(...mixed));
    expect([end.text, end.finish?.finish, end.usage?.outputTokens]).toEqual(['abcd', 'length', 2]);
  });

  it('ends only its own call when the consumer throws (R19)', async () => {
    server.answer = () => ({ chunks: compatibleWire.events({ text: ['a', 'b'] }) });
    const got = new Collected();
    await registries.get(compatibleWire)!.stream(
      testRequest('p/x', 'hello'),
      (chunk) => {
        got.chunks.push(chunk);
        throw new Error('consumer is broken');
      },
      new AbortController().signal,
    );
    expect(got.chunks.map((chunk) => chunk.type)).toEqual(['text', 'error']);
    expect((await run(compatibleWire, { chunks: compatibleWire.events({ text: ['fine'] }) })).text).toBe('fine');
  });

  it('refuses a broken event', async () => {
    const got = await run(compatibleWire, { chunks: ['data: {"choices":[{"delta":\n\n'] });
    expect(got.error?.errorClass).toBe('provider_stream');
  });

  it('takes an answer without anything in it for an outage', async () => {
    const got = await run(compatibleWire, chat(delta({ content: '' }), delta({}, 'stop'), '[DONE]'));
    expect(got.error).toMatchObject({ errorClass: 'provider_unavailable', beforeFirstToken: true });
  });
});
