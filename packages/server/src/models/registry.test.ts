import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault, type Log, ManualClock } from '../base/index.ts';
import type { ModelRegistry, ModelsConfig } from './contract.ts';
import {
  anthropicWire,
  type BenchOptions,
  collect,
  compatibleWire,
  googleWire,
  modelsConfig,
  openaiChatWire,
  PauseClock,
  responsesWire,
  settle,
  testRegistry,
  testRequest,
  UNREACHED_MS,
  type WireAnswer,
  WireServer,
} from './testing/index.ts';

const wire = compatibleWire;
const good = { chunks: wire.events({ text: ['fine'] }) };

let server: WireServer;
let clock: ManualClock;
const open: ModelRegistry[] = [];

beforeAll(async () => {
  server = await WireServer.start();
});

beforeEach(() => {
  clock = new ManualClock();
  server.requests.length = 0;
});

afterAll(async () => {
  for (const registry of open) await registry.close();
  await server.close();
});

const registryOf = (more: Partial<ModelsConfig> = {}, options: BenchOptions = {}): ModelRegistry => {
  const provider = { type: 'openai-compatible', baseUrl: `${server.origin}/v1`, apiKey: 'test-key' };
  const registry = testRegistry(modelsConfig({ p: provider }, more), { clock, ...options });
  open.push(registry);
  return registry;
};

const NEVER = new AbortController().signal;

/** Runs a call whose pauses pass at once; gives what came and the pauses. */
const patient = async (more: Partial<ModelsConfig> = {}) => {
  const pausing = new PauseClock();
  const limits = {
    connectMs: UNREACHED_MS,
    firstByteMs: UNREACHED_MS,
    idleMs: UNREACHED_MS,
    totalMs: 2 * UNREACHED_MS,
  };
  const got = await collect(registryOf({ ...limits, ...more }, { clock: pausing }), testRequest('p/m', 'hello'));
  return { got, pausesMs: pausing.pausesMs };
};

describe('tries before the first token (RT-4.3)', () => {
  it.each([429, 408, 409, 500, 503, 529])('tries again after HTTP %i', async (status) => {
    server.answer = (_request, index) => (index < 2 ? { status } : good);
    const { got } = await patient();
    expect([got.text, server.requests.length]).toEqual(['fine', 3]);
  });

  it('doubles the pause between tries, with jitter', async () => {
    server.answer = () => ({ status: 500 });
    const { pausesMs } = await patient({ tries: 8 });
    expect(pausesMs).toHaveLength(7);
    for (const [index, pause] of pausesMs.entries()) {
      expect(pause).toBeLessThanOrEqual(Math.min(20_000, 500 * 2 ** index));
      expect(pause).toBeGreaterThan(0);
    }
    expect(new Set(pausesMs.map((pause, index) => pause / 2 ** index)).size).toBe(7);
  });

  it('gives up after `tries` and says that no byte came', async () => {
    server.answer = () => ({ status: 503, chunks: [wire.errorBody('x')] });
    const { got } = await patient();
    expect(server.requests).toHaveLength(3);
    expect(got.error).toEqual({
      errorClass: 'provider_unavailable',
      sentence: 'The model provider is not available (HTTP 503).',
      httpStatus: 503,
      beforeFirstByte: true,
      beforeFirstToken: true,
    });
  });

  it.each([
    ['a connection that breaks before headers', { end: 'reset' as const }],
    ['a body that ends at once', { chunks: [] }],
    ['a body that breaks at once', { chunks: [], end: 'destroy' as const }],
  ])('tries again after %s', async (_what, answer) => {
    server.answer = (_request, index) => (index === 0 ? answer : good);
    const { got } = await patient();
    expect([got.text, server.requests.length]).toEqual(['fine', 2]);
  });

  it('never tries again after the first token (R31)', async () => {
    server.answer = () => ({ chunks: wire.events({ text: ['a', 'b'] }).slice(0, 2), end: 'destroy' });
    const { got } = await patient();
    expect(server.requests).toHaveLength(1);
    expect(got.error).toMatchObject({ errorClass: 'provider_stream', beforeFirstToken: false, beforeFirstByte: false });
  });

  it.each([400, 401, 403, 404, 422])('does not try again after HTTP %i', async (status) => {
    server.answer = () => ({ status });
    await patient();
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as Retry-After says, in seconds', async () => {
    server.answer = (_request, index) => (index === 0 ? { status: 429, headers: { 'retry-after': '7' } } : good);
    const { got, pausesMs } = await patient();
    expect([got.text, pausesMs[0]]).toEqual(['fine', 7000]);
  });

  it('waits as long as Retry-After says, as a date', async () => {
    const date = new Date(Math.ceil(new PauseClock().nowMicros() / 1e6) * 1000 + 12_000).toUTCString();
    server.answer = (_request, index) => (index === 0 ? { status: 503, headers: { 'retry-after': date } } : good);
    const { got, pausesMs } = await patient();
    expect([got.text, pausesMs[0]]).toEqual(['fine', 12_000]);
  });

  it('leaves a longer Retry-After to fail-over', async () => {
    server.answer = () => ({ status: 429, headers: { 'retry-after': '61' } });
    const { got } = await patient();
    expect(server.requests).toHaveLength(1);
    expect(got.error).toMatchObject({
      errorClass: 'provider_rate_limited',
      retryAfterMs: 61_000,
      beforeFirstToken: true,
    });
  });

  it('stops at once while it waits for the next try', async () => {
    server.answer = () => ({ status: 429, headers: { 'retry-after': '30' } });
    const stop = new AbortController();
    const arrived = server.nextRequest();
    const running = collect(registryOf(), testRequest('p/m', 'hello'), stop.signal);
    await arrived;
    await settle();
    stop.abort();
    expect((await running).error?.isStopped).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports a server that nobody listens at as provider_unavailable', async () => {
    const config = modelsConfig({ p: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' } }, { tries: 1 });
    const registry = testRegistry(config, { clock });
    open.push(registry);
    expect((await collect(registry, testRequest('p/m', 'hello'))).error).toMatchObject({
      errorClass: 'provider_unavailable',
      beforeFirstByte: true,
    });
  });
});

describe('time-outs (RT-4.3)', () => {
  const alone = { tries: 1 };

  const afterAnswer = async (answer: WireAnswer, ms: number, more: Partial<ModelsConfig> = {}) => {
    server.answer = () => answer;
    const arrived = server.nextRequest();
    let isDone = false;
    const running = collect(registryOf({ ...alone, ...more }), testRequest('p/m', 'hello'), NEVER).finally(() => {
      isDone = true;
    });
    await arrived;
    await settle();
    clock.advance(ms - 1);
    await settle();
    const before = isDone;
    clock.advance(1);
    return { before, got: await running };
  };

  it('ends when no first byte comes', async () => {
    const { before, got } = await afterAnswer({ end: 'silent' }, 120_000);
    expect(before).toBe(false);
    expect(got.error).toMatchObject({ errorClass: 'provider_timeout', beforeFirstByte: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the bytes cease', async () => {
    const { before, got } = await afterAnswer(
      { chunks: wire.events({ text: ['a', 'b'] }).slice(0, 2), end: 'hang' },
      90_000,
    );
    expect(before).toBe(false);
    expect(got.error).toMatchObject({ errorClass: 'provider_timeout', beforeFirstToken: false });
    expect(got.text).toBe('a');
  });

  it('ends when the whole call takes too long', async () => {
    const { before, got } = await afterAnswer({ chunks: wire.events({ text: ['a'] }).slice(0, 2), end: 'hang' }, 5000, {
      totalMs: 5000,
    });
    expect(before).toBe(false);
    expect(got.error?.errorClass).toBe('provider_timeout');
  });
});

describe('error classes (RT-4.5)', () => {
  const wires = [compatibleWire, openaiChatWire, responsesWire, anthropicWire, googleWire];

  const refused = async (one: (typeof wires)[number], status: number, body: string) => {
    server.answer = () => ({ status, chunks: [body] });
    const config = modelsConfig(
      { p: { ...one.provider, baseUrl: `${server.origin}${one.basePath}`, apiKey: 'test-key' } },
      { tries: 1 },
    );
    const registry = testRegistry(config, { clock });
    open.push(registry);
    return collect(registry, testRequest(`p/${one.model}`, 'private prompt'));
  };

  const classes = [
    [400, 'provider_invalid_request'],
    [401, 'provider_auth'],
    [403, 'provider_auth'],
    [404, 'provider_invalid_request'],
    [408, 'provider_unavailable'],
    [409, 'provider_unavailable'],
    [422, 'provider_invalid_request'],
    [429, 'provider_rate_limited'],
    [500, 'provider_unavailable'],
    [529, 'provider_unavailable'],
  ] as const;

  it.each(
    wires.flatMap((one) =>
      classes.map(([status, name]) => [[one.name, status, name].join(' '), { status, errorClass: name, one }] as const),
    ),
  )('%s', async (_name, { status, errorClass, one }) => {
    const got = await refused(one, status, one.errorBody('some_error'));
    expect(got.error).toMatchObject({
      errorClass,
      httpStatus: status,
      beforeFirstByte: true,
      beforeFirstToken: true,
    });
    expect(got.error?.sentence).not.toMatch(/secret|private|test-key/);
  });

  it.each(wires.map((one) => [one.name, one] as const))(
    '%s: a prompt that is too long is context_overflow',
    async (_name, one) => {
      const got = await refused(one, one.overflow.status, one.overflow.body);
      expect(got.error?.errorClass).toBe('context_overflow');
    },
  );

  it.each(wires.map((one) => [one.name, one] as const))(
    '%s: a request refused by a filter is content_filter',
    async (_name, one) => {
      const got = await refused(one, 400, one.errorBody('content_filter'));
      expect(got.error?.errorClass).toBe('content_filter');
    },
  );
});

describe('breaker (RT-4.3)', () => {
  it('refuses without a request after repeated failures, probes once, and closes after a success', async () => {
    const registry = registryOf({ tries: 1, breaker: { failures: 3, withinMs: 30_000, openMs: 15_000 } });
    server.answer = () => ({ status: 500 });
    for (let call = 0; call < 3; call++) await collect(registry, testRequest('p/m', 'x'));
    const refused = await collect(registry, testRequest('p/m', 'x'));
    expect(server.requests).toHaveLength(3);
    expect(refused.error).toMatchObject({ errorClass: 'provider_unavailable', beforeFirstByte: true });
    expect((await collect(registry, testRequest('p/other', 'x'))).error?.httpStatus).toBe(500);
    clock.advance(15_000);
    await collect(registry, testRequest('p/m', 'x'));
    await collect(registry, testRequest('p/m', 'x'));
    expect(server.requests).toHaveLength(5);
    clock.advance(15_000);
    server.answer = () => good;
    expect((await collect(registry, testRequest('p/m', 'x'))).text).toBe('fine');
    expect((await collect(registry, testRequest('p/m', 'x'))).text).toBe('fine');
  });

  it('forgets failures that are too old, and does not count refused requests', async () => {
    const registry = registryOf({ tries: 1, breaker: { failures: 2, withinMs: 1000, openMs: 15_000 } });
    const statuses = [500, 401, 429, 500, 500];
    server.answer = (_request, index) => ({ status: statuses[index] ?? 500 });
    for (let call = 0; call < 5; call++) {
      await collect(registry, testRequest('p/m', 'x'));
      clock.advance(600);
    }
    expect(server.requests).toHaveLength(5);
  });
});

describe('concurrency', () => {
  it('lets calls wait in order when `maxConcurrency` are running, and a waiting one can be stopped', async () => {
    const provider = { type: 'openai-compatible', baseUrl: `${server.origin}/v1`, maxConcurrency: 1 };
    const registry = testRegistry(modelsConfig({ p: provider }), { clock });
    open.push(registry);
    server.answer = () => ({ chunks: [], end: 'hang' });
    const first = new AbortController();
    const arrived = server.nextRequest();
    const running = collect(registry, testRequest('p/m', 'first'), first.signal);
    await arrived;
    const second = new AbortController();
    const waiting = collect(registry, testRequest('p/m', 'second'), second.signal);
    const third = collect(registry, testRequest('p/m', 'third'));
    await settle();
    expect(server.requests).toHaveLength(1);
    second.abort();
    expect((await waiting).error?.isStopped).toBe(true);
    server.answer = () => good;
    first.abort();
    await running;
    expect((await third).text).toBe('fine');
    expect(server.requests.map((request) => request.text.includes('second'))).toEqual([false, false]);
  });
});

describe('keys (R34)', () => {
  const keyed = async (
    apiKey: NonNullable<ModelsConfig['providers'][string]['apiKey']> | undefined,
    options: BenchOptions,
    type = 'openai-compatible',
  ) => {
    server.answer = () => good;
    const config = modelsConfig({
      p: { type, baseUrl: `${server.origin}/v1`, ...(apiKey === undefined ? {} : { apiKey }) },
    });
    const registry = testRegistry(config, { clock, ...options });
    open.push(registry);
    return collect(registry, testRequest('p/m', 'x'));
  };

  it('reads a literal, an environment variable and a secret of the namespace', async () => {
    await keyed('literal', {});
    await keyed({ env: 'MY_KEY' }, { environment: { MY_KEY: 'from-env' } });
    await keyed('secret://keys/main', { secrets: async (namespace, reference) => `${namespace} ${reference}` });
    expect(server.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer literal',
      'Bearer from-env',
      'Bearer tenant secret://keys/main',
    ]);
  });

  it.each([
    ['environment variable', { env: 'MISSING' }, {}],
    [
      'secret',
      'secret://keys/main',
      { secrets: () => Promise.reject(new Fault('NOT_FOUND', 'SECRET_NOT_FOUND', 'gone')) },
    ],
  ])('reports a missing %s as provider_auth without any request', async (_what, apiKey, options) => {
    const got = await keyed(apiKey, options);
    expect(got.error).toMatchObject({ errorClass: 'provider_auth', beforeFirstByte: true });
    expect(server.requests).toHaveLength(0);
  });

  it('reports a key that cannot be read now as provider_unavailable', async () => {
    const got = await keyed('secret://keys/main', {
      secrets: () => Promise.reject(new Fault('UNAVAILABLE', 'STORE', 'down')),
    });
    expect(got.error?.errorClass).toBe('provider_unavailable');
  });

  it('stops at once while a key is being read (R35)', async () => {
    const stop = new AbortController();
    const registry = registryOf(
      { providers: { p: { type: 'openai-compatible', baseUrl: server.origin, apiKey: 'secret://a/b' } } },
      { secrets: () => new Promise(() => undefined) },
    );
    const running = collect(registry, testRequest('p/m', 'x'), stop.signal);
    stop.abort();
    expect((await running).error?.isStopped).toBe(true);
  });

  it.each(['openai', 'anthropic', 'google'])('never calls %s without a key, and never falls to demo', async (type) => {
    const got = await keyed(undefined, {}, type);
    expect(got.error?.errorClass).toBe('provider_auth');
    expect(got.text).toBe('');
  });

  it('calls a local server without a key', async () => {
    expect((await keyed(undefined, {})).text).toBe('fine');
    expect(server.requests[0]?.headers['authorization']).toBeUndefined();
  });
});

describe('configuration', () => {
  it('chooses the configured default, else the first usable provider, else demo/echo', () => {
    const openai = { type: 'openai', apiKey: { env: 'OPENAI_API_KEY' } };
    const defaultOf = (config: ModelsConfig, environment = {}) => testRegistry(config, { environment }).defaultTarget;
    expect(defaultOf(modelsConfig({}))).toEqual({ provider: 'demo', model: 'echo' });
    expect(defaultOf(modelsConfig({ openai }))).toEqual({ provider: 'demo', model: 'echo' });
    expect(defaultOf(modelsConfig({ openai }), { OPENAI_API_KEY: 'k' }).provider).toBe('openai');
    expect(defaultOf(modelsConfig({ openai }, { default: 'openai/a/b' }))).toEqual({
      provider: 'openai',
      model: 'a/b',
    });
  });

  it.each([
    [{ providers: { x: { type: 'nonsense' } } }],
    [{ providers: { x: { type: 'openai-compatible' } } }],
    [{ providers: { x: { type: 'openai', baseUrl: 'not a url' } } }],
    [{ default: 'missing/model' }],
  ])('stops the start for %j', (more) => {
    expect(() => testRegistry(modelsConfig({}, more))).toThrow(Fault);
  });

  it('refuses a provider that is not configured', async () => {
    const got = await collect(registryOf(), testRequest('nobody/m', 'x'));
    expect(got.error).toMatchObject({ errorClass: 'provider_auth', beforeFirstToken: true });
    expect(registryOf().hasProvider('nobody')).toBe(false);
    expect(registryOf().hasProvider('demo')).toBe(true);
  });

  it('adds the cost of priced models, cached input at its own price', async () => {
    const usage = { input: 1_000_000, cached: 400_000, output: 100_000, reasoning: 0 };
    server.answer = () => ({ chunks: wire.events({ text: ['x'], usage }) });
    const registry = registryOf({ prices: { 'p/m': { input: 2, output: 10, cachedInput: 0.5 } } });
    expect((await collect(registry, testRequest('p/m', 'x'))).usage?.costMicros).toBe(2_400_000);
    expect([registry.isPriced('p/m'), registry.isPriced('p/other')]).toEqual([true, false]);
  });

  it('leaves out what the catalogue says the model cannot take, and logs it once', async () => {
    const warned: string[] = [];
    const none = (): void => undefined;
    const log: Log = {
      debug: none,
      info: none,
      error: none,
      warn: (message, fields) => warned.push(`${message} ${String(fields?.['option'])}`),
    };
    server.answer = () => good;
    const registry = registryOf(
      { catalog: { 'p/m': { tools: false, temperature: false, inputs: ['text'] } } },
      { log },
    );
    const media = { kind: 'bytes', mediaType: 'image/png', filename: 'cat.png', bytes: new Uint8Array([1]) } as const;
    const more = {
      temperature: 0.3,
      tools: [{ name: 'x', description: '', inputSchema: {} }],
      messages: [{ role: 'user', content: [{ type: 'media', media }] }],
    } as const;
    const got = await collect(registry, testRequest('p/m', '', more));
    await collect(registry, testRequest('p/m', '', more));
    expect(
      got
        .all('warning')
        .map((warning) => warning.option)
        .sort(),
    ).toEqual(['inputs', 'temperature', 'tools']);
    expect(warned).toHaveLength(3);
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
    expect(server.requests[0]?.text).toContain('[image/png cat.png]');
  });

  it('knows facts of common models, merges the configuration over them, and is open for unknown ones', () => {
    const registry = testRegistry(
      modelsConfig(
        { anthropic: { type: 'anthropic' } },
        { catalog: { 'anthropic/claude-sonnet-4-5': { window: 5 } }, defaultWindow: 77 },
      ),
    );
    expect(registry.facts({ provider: 'demo', model: 'small' })).toMatchObject({
      window: 2000,
      maxOutput: 200,
      known: true,
    });
    expect(registry.facts({ provider: 'anthropic', model: 'claude-sonnet-4-5' })).toMatchObject({
      window: 5,
      thinking: 'budget',
    });
    expect(registry.facts({ provider: 'anthropic', model: 'what' })).toMatchObject({
      window: 77,
      known: false,
      tools: true,
    });
  });

  it('counts tokens with the encoding of the model, 10 % more for unknown ones, and never above the bound', () => {
    const registry = testRegistry(modelsConfig({ openai: { type: 'openai' } }));
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    const exact = registry.countTokens({ provider: 'openai', model: 'gpt-4o' }, text);
    const other = { provider: 'other', model: 'x' };
    expect(exact).toBeGreaterThan(150);
    expect(registry.countTokens(other, text)).toBe(Math.ceil(exact * 1.1));
    expect(registry.countTokens({ provider: 'demo', model: 'echo' }, ' a  b\nc ')).toBe(3);
    expect(registry.countTokens({ provider: 'openai', model: 'gpt-4' }, '<|endoftext|>')).toBeGreaterThan(1);
    for (const sample of [text, '日本語 😀', '']) {
      expect(registry.tokenBound(other, sample)).toBeGreaterThanOrEqual(registry.countTokens(other, sample));
    }
  });
});
