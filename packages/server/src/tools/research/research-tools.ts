import type { Tool } from '../contract.ts';
import { createFetchUrl, type FetchUrlDeps } from './fetch-url.ts';
import type { SearchSettings } from './search-engines.ts';
import { createWebSearch } from './web-search.ts';

interface ResearchDeps extends FetchUrlDeps {
  /** `research.search`; without it there is no web_search. */
  readonly search: SearchSettings | undefined;
  /** For the search engine. */
  readonly fetch: typeof globalThis.fetch;
}

/** What agents may read of the web. */
export const createResearchTools = ({ search, fetch, ...page }: ResearchDeps): readonly Tool[] => [
  createFetchUrl(page),
  ...(search === undefined ? [] : [createWebSearch(search, fetch)]),
];
