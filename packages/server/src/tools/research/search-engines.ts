import { isRecord, textOrEmpty } from '../../base/index.ts';

/** `research.search` of the configuration. */
export interface SearchSettings {
  readonly type?: 'brave' | 'tavily' | 'searxng';
  /** Where the service answers; absent = the public one of the type. */
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** One answer of a search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** One HTTP request of a search engine, and where its answer has the results. */
interface SearchEngine {
  readonly publicUrl: string | undefined;
  readonly request: (
    base: string,
    question: { readonly query: string; readonly limit: number; readonly apiKey: string },
  ) => { readonly url: URL; readonly init: RequestInit };
  readonly results: (answer: Readonly<Record<string, unknown>>) => unknown;
  /** Member of a result that has its text. */
  readonly snippet: string;
}

const withQuery = (base: string, query: Readonly<Record<string, string>>): URL => {
  const url = new URL(base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
};

/** Brave Search API: GET with the key in X-Subscription-Token. */
const brave: SearchEngine = {
  publicUrl: 'https://api.search.brave.com/res/v1/web/search',
  request: (base, { query, limit, apiKey }) => ({
    url: withQuery(base, { q: query, count: String(limit) }),
    init: { headers: { accept: 'application/json', 'x-subscription-token': apiKey } },
  }),
  results: ({ web }) => (isRecord(web) ? web['results'] : undefined),
  snippet: 'description',
};

/** Tavily Search API: POST of JSON with a bearer key. */
const tavily: SearchEngine = {
  publicUrl: 'https://api.tavily.com/search',
  request: (base, { query, limit, apiKey }) => ({
    url: new URL(base),
    init: {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, max_results: limit }),
    },
  }),
  results: ({ results }) => results,
  snippet: 'content',
};

/** The JSON format of a SearXNG instance; one that wants a key gets it as a bearer. */
const searxng: SearchEngine = {
  publicUrl: undefined,
  request: (base, { query, apiKey }) => ({
    url: withQuery(base, { q: query, format: 'json' }),
    init: { headers: { accept: 'application/json', ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }) } },
  }),
  results: ({ results }) => results,
  snippet: 'content',
};

const ENGINES: Readonly<Record<NonNullable<SearchSettings['type']>, SearchEngine>> = { brave, tavily, searxng };

/** The engine of the settings, or what they lack. */
export const engineFor = (
  settings: SearchSettings,
): { readonly engine: SearchEngine; readonly base: string } | string => {
  if (settings.type === undefined) return 'research.search.type is required';
  const engine = ENGINES[settings.type];
  const base = settings.url ?? engine.publicUrl;
  if (base === undefined) return `research.search.url is required for ${settings.type}`;
  if (settings.type !== 'searxng' && (settings.apiKey ?? '') === '')
    return `research.search.apiKey is required for ${settings.type}`;
  return { engine, base };
};

/** Characters of a title and of a snippet. */
const TITLE_CHARS = 300;
const SNIPPET_CHARS = 1_000;

/** Results of an answer in its order, those without an http or https address left out; undefined for an answer of another form. */
export const readHits = (engine: SearchEngine, answer: unknown, limit: number): readonly SearchHit[] | undefined => {
  const found = isRecord(answer) ? engine.results(answer) : undefined;
  // Brave leaves the list out when nothing was found.
  if (found === undefined && isRecord(answer)) return [];
  if (!Array.isArray(found)) return undefined;
  const hits = found.filter(isRecord).map((result) => ({
    title: textOrEmpty(result['title']).slice(0, TITLE_CHARS),
    url: textOrEmpty(result['url']),
    snippet: textOrEmpty(result[engine.snippet]).slice(0, SNIPPET_CHARS),
  }));
  return hits.filter(({ url }) => /^https?:\/\/\S+$/.test(url)).slice(0, limit);
};
