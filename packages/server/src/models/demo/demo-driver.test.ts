import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import type { ModelContent, ModelMessage, ModelRequest } from '../contract.ts';
import { Collected, collect, modelsConfig, PauseClock, settle, testRegistry, testRequest } from '../testing/index.ts';
import { DEMO_EMBEDDING_DIMENSIONS, embedDemo } from './embeddings.ts';

const fast = modelsConfig({ demo: { type: 'demo', rate: 0 } });

const run = (text: string, more: Partial<ModelRequest> = {}, target = 'demo/echo') =>
  collect(testRegistry(fast, { clock: new PauseClock() }), testRequest(target, text, more));

const reply = async (text: string, more?: Partial<ModelRequest>) => (await run(text, more)).text;

const words = (role: ModelMessage['role'], text: string): ModelMessage => ({ role, content: [{ type: 'text', text }] });

const tool = (name: string) => ({ name, description: '', inputSchema: { type: 'object' } });

/** History after the calls that an answer made were run. */
const afterCalls = (
  history: readonly ModelMessage[],
  got: Collected,
  output: (name: string) => string,
): ModelMessage[] => {
  const calls = got.calls.map((call, index) => ({
    type: 'call' as const,
    callId: `c${history.length}_${index}`,
    providerCallId: call.providerCallId,
    name: call.name,
    input: {},
  }));
  const results = calls.map(
    (call): ModelContent => ({ ...call, type: 'result', text: output(call.name), isError: false }),
  );
  return [...history, { role: 'assistant', content: calls }, { role: 'tool', content: [...results].reverse() }];
};

describe('demo provider: replies', () => {
  it('repeats the input, trimmed, with its attachments (X1)', async () => {
    const media = { kind: 'bytes', mediaType: 'image/png', filename: 'cat.png', bytes: new Uint8Array([1]) } as const;
    const content: ModelContent[] = [
      { type: 'text', text: '  hi there ' },
      { type: 'media', media },
    ];
    expect(await reply('  hi there ')).toBe('You said: hi there');
    expect(await reply('', { messages: [{ role: 'user', content }] })).toBe('You said: hi there [image/png cat.png]');
  });

  it('reads only own text of the user messages after the last assistant message (X1)', async () => {
    const messages: ModelMessage[] = [
      words('system', 'rules'),
      { role: 'user', content: [{ type: 'text', text: 'a skill', isAdded: true }] },
      words('user', 'first'),
      words('assistant', 'old reply'),
      words('user', 'one'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'two' },
          { type: 'text', text: 'post history', isAdded: true },
        ],
      },
    ];
    expect(await reply('', { messages })).toBe('You said: one\ntwo');
  });

  it('sends one delta for each word with its blanks, at the configured pace (X2)', async () => {
    const clock = new ManualClock();
    const registry = testRegistry(modelsConfig({ demo: { type: 'demo', rate: 10 } }), { clock });
    const got = new Collected();
    const running = registry.stream(
      testRequest('demo/echo', 'a  b'),
      (chunk) => got.chunks.push(chunk),
      new AbortController().signal,
    );
    const seen: number[] = [];
    for (let step = 0; step < 4; step++) {
      await settle(3);
      seen.push(got.all('text').length);
      clock.advance(100);
    }
    await running;
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(got.all('text').map((chunk) => chunk.text)).toEqual(['You ', 'said: ', 'a  ', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('paces at 50 chunks a second without configuration (X2)', async () => {
    const clock = new PauseClock();
    await collect(testRegistry(modelsConfig({}), { clock }), testRequest('demo/echo', 'x'));
    expect(clock.pausesMs.filter((pause) => pause <= 40)).toEqual([20, 40]);
  });

  it('counts words of the whole prompt and of reply and reasoning (X3)', async () => {
    const messages = [words('system', 'be very brief'), words('user', 'hello you')];
    const got = await run('', { messages, thinking: { enabled: true }, turnId: 'T1', callNumber: 4 });
    expect(got.usage).toMatchObject({
      inputTokens: 5,
      outputTokens: 8,
      reasoningTokens: 4,
      totalTokens: 13,
      usageAvailable: true,
      providerRequestId: 'demo-T1-4',
      provider: 'demo',
      model: 'echo',
    });
  });

  it('thinks about the first eight words when thinking is enabled (X4)', async () => {
    const got = await run('one two three four five six seven eight nine', { thinking: { enabled: true } });
    expect(got.reasoning).toBe('Thinking about: one two three four five six seven eight');
    expect((await run('x', { thinking: { enabled: false } })).reasoning).toBe('');
  });

  it.each(['!nonsense 1', '!delay soon', '!error what', '!finish maybe', '!usage {'])(
    'refuses %s by name (X5)',
    async (line) => {
      const got = await run(`hello\n${line}`);
      expect(got.error?.errorClass).toBe('provider_invalid_request');
      expect(got.error?.sentence).toContain(line.split(' ')[0]);
    },
  );

  it('replaces reply and reasoning (X7), repeats chunks (X8)', async () => {
    const got = await run('!think deep\n!say a b\n!repeat 3 ho');
    expect([got.reasoning, got.text]).toEqual(['deep', 'a bho ho ho ']);
    expect(got.all('text').map((chunk) => chunk.text)).toEqual(['a ', 'b', 'ho ', 'ho ', 'ho ']);
  });

  it('pauses before headers and between chunks, changes the pace (X9)', async () => {
    const clock = new PauseClock();
    const got = await collect(
      testRegistry(fast, { clock }),
      testRequest('demo/echo', '!connect 300\n!delay 700\n!rate 4\n!say x y'),
    );
    expect(got.text).toBe('x y');
    expect(clock.pausesMs.filter((pause) => pause < 10_000)).toEqual([300, 700, 250]);
  });

  it.each(['length', 'content_filter'])('finishes with %s (X12)', async (finish) => {
    expect((await run(`hi\n!finish ${finish}`)).finish?.finish).toBe(finish);
  });

  it('reports exactly the given usage, or nothing (X13)', async () => {
    const given = await run(
      'hi\n!usage {"input_tokens":7,"output_tokens":2,"cached_input_tokens":3,"cache_write_tokens":1,"total_tokens":99}',
    );
    expect(given.usage).toMatchObject({
      inputTokens: 7,
      cachedInputTokens: 3,
      cacheWriteTokens: 1,
      outputTokens: 2,
      totalTokens: 99,
      estimated: false,
    });
    const none = await run('hi\n!usage none');
    expect(none.usage).toMatchObject({ estimated: true, usageAvailable: false, outputTokens: 3 });
  });

  it('returns files (X14)', async () => {
    const got = await run('!image\n!file a.txt some text');
    const media = got.all('file').map((chunk) => chunk.media);
    expect(media.map((item) => [item.mediaType, item.filename])).toEqual([
      ['image/png', 'image.png'],
      ['text/plain', 'a.txt'],
    ]);
    const [image, file] = media;
    expect(image?.kind === 'bytes' && Buffer.from(image.bytes).subarray(1, 4).toString()).toBe('PNG');
    expect(file?.kind === 'bytes' && Buffer.from(file.bytes).toString()).toBe('some text');
    expect(got.text).toBe('');
  });

  it('shows the prompt and the tools it was sent, canonically (X15)', async () => {
    const messages = [words('system', 'rules'), words('user', '!prompt')];
    expect(JSON.parse(await reply('', { messages, temperature: 0 }))).toEqual({
      system: 'rules',
      messages: [{ role: 'user', content: [{ type: 'text', text: '!prompt' }] }],
      options: { model: 'echo', temperature: 0 },
    });
    expect(await reply('!tools', { tools: [tool('b'), tool('a')] })).toBe('["a","b"]');
  });

  it('answers a compaction request with the number of messages (X18)', async () => {
    const messages: ModelMessage[] = [
      words('system', 'summarise'),
      words('user', 'a'),
      words('assistant', 'b'),
      { role: 'user', content: [{ type: 'text', text: 'now summarise', isAdded: true }] },
    ];
    expect(await reply('', { messages, purpose: 'compaction' })).toBe('Summary of 2 messages.');
  });

  it('keeps to the small window and output cap of demo/small', async () => {
    expect((await run('word '.repeat(2100), {}, 'demo/small')).error?.errorClass).toBe('context_overflow');
    const long = await run('!repeat 300 x', {}, 'demo/small');
    expect([long.finish?.finish, long.usage?.outputTokens]).toEqual(['length', 200]);
  });
});

describe('demo provider: tools', () => {
  it('runs adjacent calls as one batch, then the next directive, then shows results (X6)', async () => {
    const history = [words('user', '!tool alpha {"n":1}\n!tool beta\n!delay 1\n!tool gamma not json')];
    const first = await run('', { messages: history });
    expect(first.calls.map(({ name, inputText }) => [name, inputText])).toEqual([
      ['alpha', '{"n":1}'],
      ['beta', '{}'],
    ]);
    expect([first.finish?.finish, first.text]).toEqual(['tool_calls', '']);
    const second = afterCalls(history, first, (name) => `${name} result`);
    const again = await run('', { messages: second });
    expect(again.calls.map(({ name, inputText }) => [name, inputText])).toEqual([['gamma', 'not json']]);
    const last = await run('', { messages: afterCalls(second, again, () => 'g'.repeat(300)) });
    expect(last.text).toBe(`gamma -> ${'g'.repeat(200)}`);
    expect(last.finish?.finish).toBe('stop');
  });

  it('shows one line for each result of a batch, in call order (X6)', async () => {
    const history = [words('user', '!tool alpha {}\n!tool beta {}')];
    const first = await run('', { messages: history });
    expect(await reply('', { messages: afterCalls(history, first, (name) => `${name} ok`) })).toBe(
      'alpha -> alpha ok\nbeta -> beta ok',
    );
  });

  it('gives the text behind the calls instead of the results when there is some (X6)', async () => {
    const history = [words('user', '!tool alpha {}\n!say done now')];
    const first = await run('', { messages: history });
    expect(await reply('', { messages: afterCalls(history, first, () => 'x') })).toBe('done now');
  });

  it('answers a message that joined in the middle of the loop', async () => {
    const history = [words('user', '!tool alpha {}')];
    const first = await run('', { messages: history });
    const messages = [...afterCalls(history, first, () => 'x'), words('user', 'wait'), words('user', 'stop')];
    expect(await reply('', { messages })).toBe('You said: wait\nstop');
  });

  it('follows plain words when such a tool is offered (X17)', async () => {
    const tools = [tool('current_time')];
    const got = await run('please Use the tool CURRENT_TIME', { tools });
    expect(got.calls.map((call) => [call.name, call.inputText])).toEqual([['current_time', '{}']]);
    const history = [words('user', 'now call current_time with {"timezone":"UTC"}')];
    const called = await run('', { messages: history, tools });
    expect(called.calls[0]?.inputText).toBe('{"timezone":"UTC"}');
    expect(await reply('', { messages: afterCalls(history, called, () => 'noon'), tools })).toBe(
      'current_time -> noon',
    );
    expect(await reply('use the tool other', { tools })).toBe('You said: use the tool other');
  });
});

describe('demo provider: failures', () => {
  it.each([
    'provider_auth',
    'provider_rate_limited',
    'provider_unavailable',
    'provider_timeout',
    'provider_stream',
    'provider_invalid_request',
    'content_filter',
    'context_overflow',
  ])('fails with %s (X10)', async (errorClass) => {
    const got = await run(`!error ${errorClass}`);
    expect(got.error).toMatchObject({ errorClass, beforeFirstByte: true, beforeFirstToken: true });
  });

  it('fails for the first requests of a message only, when told so (X10)', async () => {
    expect(await reply('hi\n!error provider_unavailable 2')).toBe('You said: hi');
    expect((await run('hi\n!error provider_unavailable 3')).error?.errorClass).toBe('provider_unavailable');
  });

  it('fails after text when the directive stands there (X10)', async () => {
    const got = await run('!say some text\n!error provider_stream');
    expect(got.text).toBe('some text');
    expect(got.error).toMatchObject({ beforeFirstToken: false, beforeFirstByte: false });
  });

  it('asks for a pause before the next try (X10)', async () => {
    const clock = new PauseClock();
    await collect(
      testRegistry(fast, { clock }),
      testRequest('demo/echo', 'x\n!retry-after 9\n!error provider_rate_limited 1'),
    );
    expect(clock.pausesMs).toContain(9000);
    const long = await run('!retry-after 90\n!error provider_rate_limited');
    expect(long.error?.retryAfterMs).toBe(90_000);
  });

  it('breaks off once after so many chunks, then answers (X11)', async () => {
    const registry = testRegistry(fast, { clock: new PauseClock() });
    const request = testRequest('demo/echo', 'hello\n!break 2');
    const first = await collect(registry, request);
    expect([first.text, first.error?.errorClass]).toEqual(['You said: ', 'provider_stream']);
    expect((await collect(registry, request)).text).toBe('You said: hello');
  });

  it('waits for the release of a hold, however long, and later holds pass (X16)', async () => {
    const clock = new ManualClock();
    const registry = testRegistry(fast, { clock });
    const running = collect(registry, testRequest('demo/echo', '!hold gate\n!say through'));
    await settle();
    clock.advance(300_000);
    await settle();
    registry.releaseHold('gate');
    expect((await running).text).toBe('through');
    expect((await collect(registry, testRequest('demo/echo', '!hold gate\n!say again'))).text).toBe('again');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['!hold never', '!delay 1000', '!connect 1000'])('stops at once during %s (X16, R35)', async (line) => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const running = collect(testRegistry(fast, { clock }), testRequest('demo/echo', line), stop.signal);
    await settle();
    stop.abort();
    expect((await running).error?.isStopped).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('demo embeddings (X19)', () => {
  it('have 64 dimensions and unit length, also without words', () => {
    for (const text of ['the cat sat', '', '  !!']) {
      const vector = embedDemo(text);
      expect(vector).toHaveLength(DEMO_EMBEDDING_DIMENSIONS);
      expect(Math.hypot(...vector)).toBeCloseTo(1);
    }
  });

  it('are the same for the same words and closer for texts that share words', () => {
    const near = (left: string, right: string): number => {
      const other = embedDemo(right);
      return embedDemo(left).reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
    };
    expect(near('Cats like FISH', 'fish like cats')).toBeCloseTo(1);
    expect(near('cats like fish', 'cats like milk')).toBeGreaterThan(near('cats like fish', 'quantum tax law'));
  });
});
