import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIds, ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import type { TurnUsage, UsageMeter } from '../../../runtime/contract.ts';
import { type Store, storageFull } from '../../../store/contracts/index.ts';
import { isGivenDatabase } from '../../../store/postgres/testing/given-database.ts';
import { openGivenStore, removeGivenStore } from '../../../store/testing/given-store.ts';
import { chunkDocument, indexWords } from '../knowledge/index.ts';
import { KnowledgeLibrary } from '../knowledge/knowledge-library.ts';
import type { Embedder, Meant } from './query-meaning.ts';
import { vectorsModule } from './vectors-module.ts';

type Request = Parameters<Embedder['embed']>[0];
type Embedded = Awaited<ReturnType<Embedder['embed']>>;
type Answer = { readonly vectors: readonly Float32Array[] } | Extract<Embedded, { readonly failure: unknown }>;

const refusal = (errorClass: string, more: object = {}): Answer => ({
  failure: { errorClass, sentence: `it is ${errorClass}`, ...more },
});

/** Things that mean the same have a number in common: the axis of their vectors. */
const TOPICS = [/refund|money back|Geld/i, /ship|deliver|Versand/i, /poison|weather/i];
const vectorOf = (text: string): Float32Array => {
  const vector = Float32Array.from(TOPICS, (topic) => (topic.test(text) ? 1 : 0));
  const size = Math.hypot(...vector);
  return size === 0 ? Float32Array.of(0.6, 0.6, 0.5) : vector.map((value) => value / size);
};

/** A token for each character. */
const usageOf = ({ provider, model, texts }: Request): TurnUsage => {
  const tokens = texts.join('').length;
  return {
    inputTokens: tokens,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    totalTokens: tokens,
    usageAvailable: true,
    provider,
    model,
    costMicros: tokens * 2,
  };
};
const charges: { readonly namespace: string; readonly tokens: number; readonly costMicros: number }[] = [];
const meter: Pick<UsageMeter, 'charge'> = {
  charge: async (_tx, { namespace }, { totalTokens: tokens, costMicros = 0 }) =>
    void charges.push({ namespace, tokens, costMicros }),
};
const unavailable: Embedded = { failure: { errorClass: 'provider_auth', sentence: 'no' } };

let store: Store;
let dataDir: string;
let clock: ManualClock;
let requests: Request[];
let answer: (request: Request) => Answer | Promise<Answer>;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-vectors-'));
  clock = new ManualClock();
  requests = [];
  charges.length = 0;
  answer = ({ texts }) => ({ vectors: texts.map(vectorOf) });
  store = await openGivenStore({
    dataDir,
    clock,
    random: seededRandom(1),
    log: silentLog,
    vectors: true,
    fatal: (error) => {
      throw error;
    },
  });
});
afterEach(async () => {
  await store.close();
  await removeGivenStore(dataDir);
  rmSync(dataDir, { recursive: true });
});

let modules = 0;
const moduleOf = (model = 'm', parts: Pick<Store, 'write' | 'direct'> = store) =>
  vectorsModule({
    clock,
    ids: createIds(clock, seededRandom(++modules)),
    log: silentLog,
    store: parts,
    settings: { 'knowledge.embeddings': { provider: 'p', model } },
    meter,
    models: {
      hasProvider: (name) => name === 'p',
      embed: async (request) => {
        requests.push(request);
        const found = await answer(request);
        return 'vectors' in found ? { ...found, usage: usageOf(request) } : found;
      },
    },
  });
const run = async (module: ReturnType<typeof moduleOf>): Promise<void> => {
  for (const job of module.jobs ?? []) await job.tick();
};
const put = (path: string, content: string, namespace = 'acme') =>
  store.write((tx) =>
    tx.search.index({
      source: `${namespace}/${path}`,
      kind: 'Knowledge',
      namespace,
      name: path,
      path,
      updatedAt: 1,
      pathWords: indexWords(path),
      chunks: chunkDocument(content),
    }),
  );
const library = new KnowledgeLibrary({ visibleNamespaces: async (_reads, name) => [name, 'shared'] });
const find = async (query: string, meant: Meant | undefined, namespace = 'acme'): Promise<readonly string[]> =>
  (await store.read((tx) => library.search(tx, namespace, { query, limit: 10, meant }))).map(({ path }) => path);
const search = async (module: ReturnType<typeof moduleOf>, query: string, namespace?: string) =>
  find(query, await module.understand(query, 'acme'), namespace);

describe('search by meaning', () => {
  it('finds what shares no word with the query, behind what words find, and only in its namespaces', async () => {
    await put('kulanz', 'Geld gibt es zurück.');
    await put('refund', 'how a refund works');
    await put('other', 'poison');
    await put('foreign', 'money back', 'rival');
    await put('common', 'money back', 'shared');
    const module = moduleOf();
    expect(await search(module, 'refund')).toEqual(['refund']);
    await run(module);
    expect(await search(module, 'refund')).toEqual(['refund', 'kulanz', 'common']);
    expect(await search(module, 'refund', 'rival')).toEqual(['foreign', 'common']);
  });

  it('finds a document by its words at once, and counts it as waiting until its vectors are made', async () => {
    const module = moduleOf();
    await put('refund', 'how a refund works');
    expect(await search(module, 'works')).toEqual(['refund']);
    expect(await module.facts()).toMatchObject({ model: 'p/m', waiting: 1, problem: undefined });
    await run(module);
    expect(await module.facts()).toMatchObject({
      engine: expect.stringMatching(isGivenDatabase() ? /^(pgvector|plain SQL)/ : /^sqlite-vec/),
      waiting: 0,
    });
    const asked = requests.length;
    await run(module);
    expect(requests).toHaveLength(asked);
  });

  it('forgets a document with its words', async () => {
    const module = moduleOf();
    await put('kulanz', 'Geld');
    await run(module);
    expect(await search(module, 'refund')).toEqual(['kulanz']);
    await store.write((tx) => tx.search.remove('acme/kulanz'));
    expect(await search(module, 'refund')).toEqual([]);
  });

  it('makes all vectors again for another model', async () => {
    await put('kulanz', 'Geld');
    await run(moduleOf());
    const other = moduleOf('new');
    expect(await search(other, 'refund')).toEqual([]);
    await run(other);
    expect(await search(other, 'refund')).toEqual(['kulanz']);
    expect(await search(moduleOf(), 'refund')).toEqual([]);
  });

  it('goes by words while the model does not answer, says so, and asks again later', async () => {
    const module = moduleOf();
    await put('refund', 'how a refund works');
    answer = () => refusal('provider_unavailable');
    const meant = await module.understand('refund', 'acme');
    expect(meant).toMatchObject({ notice: expect.stringContaining('words only') });
    expect(await find('refund', meant)).toEqual(['refund']);
    expect(await module.understand('other', 'acme')).toHaveProperty('notice');
    expect(requests).toHaveLength(1);
    clock.advance(15_000);
    answer = ({ texts }) => ({ vectors: texts.map(vectorOf) });
    expect(await module.understand('other', 'acme')).toHaveProperty('vector');
    await module.understand('other', 'acme');
    expect(requests).toHaveLength(2);
  });

  it('goes by words while the store refuses to record what vectors cost', async () => {
    await put('refund', 'how a refund works');
    const full = { direct: store.direct, write: () => Promise.reject(storageFull(undefined)) };
    const meant = await moduleOf('m', full).understand('refund', 'acme');
    expect(meant).toMatchObject({ notice: expect.stringContaining('words only') });
    expect(await find('refund', meant)).toEqual(['refund']);
  });

  it('waits three seconds for the vector of a query at most', async () => {
    const asked = Promise.withResolvers<void>();
    answer = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(refusal('provider_timeout')));
        asked.resolve();
      });
    const meant = moduleOf().understand('refund', 'acme');
    await asked.promise;
    clock.advance(3_000);
    expect(await meant).toHaveProperty('notice');
  });

  it('is charged to the namespaces of the texts, by their length, and to the one that searches once', async () => {
    const module = moduleOf();
    await put('refund', 'how a refund works');
    await put('ship', 'we deliver on Mondays, and also on every other day of the week', 'globex');
    await run(module);
    const tokens = requests[0]?.texts.join('').length ?? 0;
    expect(new Set(charges.map(({ namespace }) => namespace))).toEqual(new Set(['acme', 'globex']));
    expect(charges.reduce((sum, charge) => sum + charge.tokens, 0)).toBe(tokens);
    expect(charges.reduce((sum, charge) => sum + charge.costMicros, 0)).toBe(tokens * 2);
    const of = (name: string): number => charges.find(({ namespace }) => namespace === name)?.tokens ?? 0;
    expect(of('globex')).toBeGreaterThan(of('acme'));
    charges.length = 0;
    await module.understand('refund', 'acme');
    await module.understand('refund', 'globex');
    expect(charges).toEqual([{ namespace: 'acme', tokens: 6, costMicros: 12 }]);
  });

  it('is off unless it is configured, and refuses a provider that is not', async () => {
    const parts = { store, clock, ids: createIds(clock, seededRandom(1)), log: silentLog, meter };
    const models = { hasProvider: () => false, embed: async () => unavailable };
    const off = vectorsModule({ ...parts, models, settings: { 'knowledge.embeddings': undefined } });
    expect([off.jobs, await off.understand('x', 'acme'), await off.facts()]).toEqual([undefined, undefined, undefined]);
    const settings = { 'knowledge.embeddings': { provider: 'gone', model: 'm' } };
    expect(() => vectorsModule({ ...parts, models, settings })).toThrow(/knowledge.embeddings.provider "gone"/);
  });
});

describe('the job that makes vectors', () => {
  it('asks in batches, whatever the number of documents, and splits none of their chunks', async () => {
    await store.write(async (tx) => {
      for (let index = 0; index < 150; index++)
        await tx.search.index({
          source: `s${index}`,
          kind: 'Knowledge',
          namespace: 'acme',
          name: `d${index}`,
          path: `d${index}`,
          updatedAt: 1,
          pathWords: 'd',
          chunks: [{ heading: '', text: index === 0 ? '' : 'text', words: 'text' }],
        });
    });
    const module = moduleOf();
    await run(module);
    expect(requests.map(({ texts }) => texts.length)).toEqual([64, 64, 22]);
    expect(requests[0]?.texts[0]).toBe('d0');
    expect(requests.every(({ purpose }) => purpose === 'document')).toBe(true);
    expect(await module.facts()).toMatchObject({ waiting: 0 });
  });

  it('asks again for what was not stored when the process ended, and for nothing else', async () => {
    await put('a', 'refund');
    const died = new Error('killed');
    const dying = moduleOf('m', {
      direct: store.direct,
      write: (work) =>
        store.write(async (tx) => {
          if ((await tx.search.bareDocuments('p/m', 1)) > 0 && requests.length > 0) throw died;
          return work(tx);
        }),
    });
    await expect(run(dying)).rejects.toBe(died);
    clock.advance(90_000);
    const next = moduleOf();
    await run(next);
    expect(await search(next, 'money back')).toEqual(['a']);
    expect(requests.map(({ texts }) => texts.length)).toEqual([1, 1, 1]);
  });

  it('leaves what is written meanwhile to the next request', async () => {
    await put('a', 'refund');
    answer = async ({ texts }) => {
      if (requests.length === 1) await put('a', 'poison');
      return { vectors: texts.map(vectorOf) };
    };
    const module = moduleOf();
    await run(module);
    expect(requests.map(({ texts }) => texts)).toEqual([['refund'], ['poison']]);
    expect(await search(module, 'weather')).toEqual(['a']);
  });

  it('is done by one process at once, and by another one as soon as that has ended', async () => {
    await put('a', 'refund');
    const [first, second] = [moduleOf(), moduleOf()];
    answer = async ({ texts }) => {
      if (requests.length === 1) await run(second);
      return { vectors: texts.map(vectorOf) };
    };
    await run(first);
    expect(requests).toHaveLength(1);
    await put('b', 'ship');
    await run(second);
    expect(requests).toHaveLength(2);
  });

  it('waits longer after every failure, as long as the provider asks, and says what is wrong', async () => {
    await put('a', 'refund');
    const module = moduleOf();
    answer = () => refusal('provider_auth');
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 1, problem: 'it is provider_auth' });
    await run(module);
    expect(requests).toHaveLength(1);
    clock.advance(2_000);
    await run(module);
    clock.advance(2_000);
    await run(module);
    expect(requests).toHaveLength(2);
    clock.advance(2_000);
    answer = () => refusal('provider_rate_limited', { retryAfterMs: 60_000 });
    await run(module);
    clock.advance(30_000);
    await run(module);
    expect(requests).toHaveLength(3);
    clock.advance(30_000);
    answer = ({ texts }) => ({ vectors: texts.map(vectorOf) });
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 0, problem: undefined });
  });

  it('leaves a document alone whose text is refused, makes the others, and tries it again in an hour', async () => {
    for (const [path, text] of [
      ['a', 'refund'],
      ['b', 'poison'],
      ['c', 'ship'],
    ] as const)
      await put(path, text);
    answer = ({ texts }) =>
      texts.some((text) => text.includes('poison'))
        ? refusal('provider_invalid_request')
        : { vectors: texts.map(vectorOf) };
    const module = moduleOf();
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 1 });
    const asked = requests.length;
    await run(module);
    expect(requests).toHaveLength(asked);
    expect(await search(module, 'poison')).toEqual(['b']);
    clock.advance(3_600_000);
    answer = ({ texts }) => ({ vectors: texts.map(vectorOf) });
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 0 });
  });

  it('makes the other vectors although several texts in a row are refused', async () => {
    const isBad = (text: string): boolean => text.includes('poison');
    for (const path of ['a', 'b', 'c', 'd']) await put(path, 'poison');
    await put('e', 'ship');
    answer = ({ texts }) => (texts.some(isBad) ? refusal('content_filter') : { vectors: texts.map(vectorOf) });
    const module = moduleOf();
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 4, problem: undefined });
    expect(await search(module, 'deliver')).toEqual(['e']);
    const asked = requests.length;
    clock.advance(300_000);
    await run(module);
    expect(requests).toHaveLength(asked);
  });

  it('remembers which documents were refused when a limit of the provider ends the run', async () => {
    for (const path of ['a', 'b', 'c']) await put(path, 'poison');
    await put('d', 'ship');
    answer = ({ texts }) => {
      if (texts.some((text) => text.includes('poison'))) return refusal('content_filter');
      return requests.length === 6 ? refusal('provider_rate_limited') : { vectors: texts.map(vectorOf) };
    };
    const module = moduleOf();
    await run(module);
    expect(requests.at(-1)?.texts).toEqual(['ship']);
    clock.advance(2_000);
    await run(module);
    expect(requests.slice(6).map(({ texts }) => texts)).toEqual([['ship']]);
    expect(await module.facts()).toMatchObject({ waiting: 3, problem: undefined });
  });

  it('says what is wrong with a provider that refuses everything, however few documents there are', async () => {
    await put('a', 'refund');
    answer = () => refusal('provider_invalid_request');
    const module = moduleOf();
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 1, problem: 'it is provider_invalid_request' });
  });

  it('takes a model that refuses everything for broken, and leaves no document out', async () => {
    for (const path of ['a', 'b', 'c', 'd', 'e']) await put(path, 'refund');
    answer = () => refusal('provider_invalid_request');
    const module = moduleOf();
    await run(module);
    expect(requests).toHaveLength(4);
    answer = ({ texts }) => ({ vectors: texts.map(vectorOf) });
    clock.advance(2_000);
    await run(module);
    expect(await module.facts()).toMatchObject({ waiting: 0, problem: undefined });
  });
});
