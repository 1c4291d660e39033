import { type Clock, type Log, ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import type {
  ModelChunk,
  ModelRegistry,
  ModelRequest,
  ModelsConfig,
  ModelUsage,
  ProviderConfig,
  SecretResolver,
} from '../contract.ts';
import { createModelRegistry } from '../registry.ts';

/** Configuration with the documented defaults, changed as a test needs. */
export const modelsConfig = (
  providers: Readonly<Record<string, ProviderConfig>>,
  more: Partial<ModelsConfig> = {},
): ModelsConfig => ({
  providers,
  connectMs: 10_000,
  firstByteMs: 120_000,
  idleMs: 90_000,
  totalMs: 900_000,
  tries: 3,
  retryAfterMaxMs: 60_000,
  streamRestart: 1,
  breaker: { failures: 5, withinMs: 30_000, openMs: 15_000 },
  defaultWindow: 128_000,
  catalog: {},
  prices: {},
  ...more,
});

export interface BenchOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly secrets?: SecretResolver;
}

/** A registry over a manual clock that no one moves unless the test does. */
export const testRegistry = (config: ModelsConfig, options: BenchOptions = {}): ModelRegistry =>
  createModelRegistry({
    config,
    clock: options.clock ?? new ManualClock(),
    random: seededRandom(1),
    log: options.log ?? silentLog,
    environment: options.environment ?? {},
    secrets: options.secrets ?? (() => Promise.reject(new Error('no secrets in this test'))),
  });

let turns = 0;

/** A request of its own turn with one user message. */
export const testRequest = (target: string, text: string, more: Partial<ModelRequest> = {}): ModelRequest => {
  const at = target.indexOf('/');
  turns += 1;
  return {
    target: { provider: target.slice(0, at), model: target.slice(at + 1) },
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
    namespace: 'tenant',
    turnId: `turn-${turns}`,
    callNumber: 1,
    ...more,
  };
};

type Of<T extends ModelChunk['type']> = Extract<ModelChunk, { readonly type: T }>;

/** Everything one call delivered. */
export class Collected {
  readonly chunks: ModelChunk[] = [];

  get text(): string {
    return this.all('text')
      .map((chunk) => chunk.text)
      .join('');
  }

  get reasoning(): string {
    return this.all('reasoning')
      .map((chunk) => chunk.text)
      .join('');
  }

  get calls(): readonly Of<'call'>[] {
    return this.all('call');
  }

  get error(): Of<'error'>['error'] | undefined {
    return this.all('error')[0]?.error;
  }

  get finish(): Of<'finish'> | undefined {
    return this.all('finish')[0];
  }

  get usage(): ModelUsage | undefined {
    return this.finish?.usage ?? this.all('error')[0]?.usage;
  }

  get continuation(): unknown {
    return this.all('reasoning-end')[0]?.continuation;
  }

  all<T extends ModelChunk['type']>(type: T): readonly Of<T>[] {
    return this.chunks.filter((chunk): chunk is Of<T> => chunk.type === type);
  }
}

/** Runs one call to its end. */
export const collect = async (
  registry: ModelRegistry,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Collected> => {
  const collected = new Collected();
  await registry.stream(request, (chunk) => collected.chunks.push(chunk), signal);
  return collected;
};

/** Lets everything that is ready run: promises and I/O already arrived. */
export const settle = async (rounds = 20): Promise<void> => {
  for (let round = 0; round < rounds; round++) await new Promise<void>((resolve) => setImmediate(resolve));
};
