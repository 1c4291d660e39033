import { Fault } from '../../base/index.ts';
import { type Tool, textResult } from '../contract.ts';
import { engineFor, readHits, type SearchHit, type SearchSettings } from './search-engines.ts';

const NAME = 'web_search';
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 10;
const QUERY_CHARS = 400;
const ANSWER_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

/**
 * web_search(query, limit): asks the configured search engine. Throws Fault INVALID_ARGUMENT at the start when the settings lack what
 * the engine needs.
 */
export const createWebSearch = (settings: SearchSettings, fetch: typeof globalThis.fetch): Tool => {
  const found = engineFor(settings);
  if (typeof found === 'string') throw new Fault('INVALID_ARGUMENT', 'SEARCH_SETTINGS', found);
  const { engine, base } = found;
  return {
    name: NAME,
    description: 'Searches the web and returns titles, addresses and snippets; fetch_url reads a page.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: QUERY_CHARS },
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: `default ${DEFAULT_LIMIT}` },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'external',
    timeoutMs: TIMEOUT_MS,
    capability: { name: 'research', action: NAME },
    run: async ({ signal }, input) => {
      const limit = Number(input['limit'] ?? DEFAULT_LIMIT);
      const question = { query: String(input['query']), limit, apiKey: settings.apiKey ?? '' };
      const { url, init } = engine.request(base, question);
      // The key must not follow a redirect to another host.
      const answer = await ask(fetch, url, { ...init, signal, redirect: 'error' });
      const hits = readHits(engine, answer, limit);
      if (hits === undefined) throw unavailable('its answer has an unexpected form');
      return textResult(hits.length === 0 ? 'Nothing was found.' : hits.map(shown).join('\n\n'), { results: hits });
    },
  };
};

const unavailable = (why: string, cause?: unknown): Fault =>
  new Fault('UNAVAILABLE', 'SEARCH_UNAVAILABLE', `the search service cannot be used: ${why}`, { cause });

/** The JSON of an answer. What the service says is not repeated: it may tell of the key or of inner hosts. */
const ask = async (fetch: typeof globalThis.fetch, url: URL, init: RequestInit): Promise<unknown> => {
  let text: string;
  try {
    const answer = await fetch(url, init);
    if (!answer.ok) {
      await answer.body?.cancel();
      throw unavailable(`it answered ${answer.status}`);
    }
    text = await limitedText(answer.body);
  } catch (error) {
    if (error instanceof Fault || init.signal?.aborted === true) throw error;
    throw unavailable('it does not answer', error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unavailable('its answer is not JSON', error);
  }
};

const limitedText = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > ANSWER_BYTES) throw unavailable(`its answer is larger than ${ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const shown = ({ title, url, snippet }: SearchHit, index: number): string =>
  [`${index + 1}. ${title}`, url, ...(snippet === '' ? [] : [snippet])].join('\n');
