import { boolean, choice, decimal, duration, integer, list, mapOf, record, secret, text, url } from '../kinds/index.ts';
import { key, optional } from './key-row.ts';

const count = integer({ min: 1, max: 1_000_000 });
const name = (value: string): string | undefined =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value) ? undefined : 'letters, digits and . _ - (at most 63)';
const modelName = (value: string): string | undefined => (/^[^/\s]+\/\S+$/.test(value) ? undefined : 'provider/model');

const provider = record(
  {
    type: choice('demo', 'openai', 'anthropic', 'google', 'openai-compatible'),
    apiKey: secret,
    baseUrl: url('http', 'https'),
    api: choice('responses', 'chat'),
    headers: mapOf(secret),
    thinkingStyle: choice('effort', 'template', 'none'),
    maxConcurrency: count,
    rate: decimal({ max: 1_000_000 }),
  },
  ['type'],
);

const prices = record(
  { input: decimal(), output: decimal(), cachedInput: decimal(), cacheWrite: decimal(), reasoning: decimal() },
  ['input', 'output'],
);

const modelFacts = record({
  window: integer({ min: 256 }),
  maxOutput: integer({ min: 16 }),
  inputs: list(choice('text', 'image', 'audio', 'video', 'file')),
  tools: boolean,
  temperature: boolean,
  thinking: choice('none', 'effort', 'budget', 'adaptive'),
  efforts: list(text()),
  prices,
});

const breaker = record({ failures: count, within: duration({ min: 1 }), open: duration({ min: 1 }) });

/** Execution of turns. */
export const runtimeKeys = {
  'runtime.lease': key(
    duration({ min: 3_000, max: 600_000 }),
    10_000,
    'Lifetime of a claim; the turn of a worker that was cut off continues after it.',
  ),
  'runtime.sweep': optional(
    duration({ min: 100, max: 60_000 }),
    'How often the server searches for ready and abandoned turns.',
    '1s, 2s with `bus.url`',
  ),
  'runtime.maxAttempts': key(
    integer({ min: 1, max: 100 }),
    5,
    'Attempts of a turn, including the first one; after them it fails.',
  ),
  'runtime.maxSteps': key(integer({ min: 1, max: 10_000 }), 25, 'Model calls of a turn.'),
  'runtime.maxToolCalls': key(integer({ min: 1, max: 100_000 }), 128, 'Tool calls of a turn.'),
  'runtime.maxBatchCalls': key(integer({ min: 1, max: 1_000 }), 32, 'Tool calls of one model answer.'),
  'runtime.maxTurnTokens': key(integer(), 0, 'Tokens of a turn; 0 means no limit.'),
  'runtime.parallelTools': key(integer({ min: 1, max: 256 }), 8, 'Tools of a turn that run at once.'),
  'runtime.turnTimeout': key(duration({ min: 1_000 }), 1_800_000, 'Active time of a turn.'),
  'runtime.toolTimeout': key(
    duration({ min: 100, max: 600_000 }),
    60_000,
    'Time of one tool call, unless the tool says otherwise.',
  ),
  'runtime.concurrency': optional(
    integer({ min: 1, max: 100_000 }),
    'Turns that one process runs at once.',
    'memory / 128 KiB, from 64 to 10000',
  ),
} as const;

/** Model providers, their timeouts and retries. */
export const modelKeys = {
  'models.default': optional(
    text('provider/model', modelName),
    'Model of agents that name none.',
    'the first usable provider, else demo/echo',
  ),
  'models.providers': key(
    mapOf(provider, name),
    {},
    'Model providers by name. `openai`, `anthropic` and `google` are there when OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY is set; `demo` always.',
  ),
  'models.connect': key(duration({ min: 100 }), 10_000, 'Wait for a connection to a provider.'),
  'models.firstByte': key(duration({ min: 100 }), 120_000, 'Wait for the first byte of an answer.'),
  'models.idle': key(duration({ min: 100 }), 90_000, 'Wait between two bytes of an answer.'),
  'models.total': key(duration({ min: 1_000 }), 900_000, 'Longest answer.'),
  'models.tries': key(integer({ min: 1, max: 20 }), 3, 'Tries of one call before its first token.'),
  'models.retryAfterMax': key(duration(), 60_000, 'Longest wait that a provider may ask for.'),
  'models.streamRestart': key(
    integer({ max: 20 }),
    1,
    'Restarts of a step whose connection broke after its first token.',
  ),
  'models.breaker': key(
    breaker,
    { failures: 5, within: 30_000, open: 15_000 },
    'Failures within a time after which a model is left alone for another time.',
  ),
  'models.defaultWindow': key(
    integer({ min: 256 }),
    128_000,
    'Context window of models that the catalogue does not know.',
  ),
  'models.catalog': key(
    mapOf(modelFacts, modelName),
    {},
    'Facts about models by `provider/model`, which override the shipped catalogue.',
  ),
  'models.prices': key(
    mapOf(prices, modelName),
    {},
    'Prices per million tokens by `provider/model`; they go before those of `models.catalog`.',
  ),
} as const;
