import { createResearchTools } from '../../tools/index.ts';
import type { Config } from '../config/index.ts';
import { GuardedFetch } from './guarded-fetch.ts';

/** Tools that read the web, under the rules for addresses that a namespace names; searches go where the operator says. */
export const researchOutbound = (
  settings: Config['settings'],
  htmlText: Parameters<typeof createResearchTools>[0]['htmlText'],
) => {
  const fetcher = new GuardedFetch({ allow: settings['net.allow'] });
  return createResearchTools({
    fetchPage: (namespace, url, options) => fetcher.fetch(namespace, url, options),
    htmlText,
    search: settings['research.search'],
    fetch: globalThis.fetch,
  });
};
