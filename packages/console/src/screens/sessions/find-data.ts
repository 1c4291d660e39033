import type { SearchSessionsResponse } from '@svc/api/gateway';
import { usePages } from '../../api/use-call.ts';

/** Messages with these words, in the sessions used last first; each page is one bounded read of the server. */
export const useFoundMessages = (asked: { readonly ns: string; readonly agent: string; readonly query: string }) =>
  usePages<SearchSessionsResponse>({
    key: ['SearchSessions', asked.ns, asked.agent, asked.query],
    call: (client, pageToken, signal) => client.sessionControl.searchSessions({ ...asked, pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
  });
