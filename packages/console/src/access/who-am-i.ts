import type { WhoAmIResponse } from '@svc/api/gateway';
import { type Client, isSvcError } from '@svc/client';
import type { QueryClient } from '@tanstack/react-query';
import { clientFor } from '../api/client.ts';
import { type Credential, readCredential } from './credential.ts';

interface WhoAmIQuery {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<WhoAmIResponse>;
  readonly retry: (count: number, error: Error) => boolean;
  readonly retryOnMount: boolean;
  readonly staleTime: number;
}

/** Whom the server recognises by the credential; asked once for each. */
export const whoAmIQuery = (client: Client, credential: Credential): WhoAmIQuery => ({
  queryKey: ['who am i', credential],
  queryFn: ({ signal }) => client.auth.whoAmI({}, { signal }),
  retry: (_count, error) => isSvcError(error) && error.code === 'UNAVAILABLE',
  // It was asked before the page was drawn.
  retryOnMount: false,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Asks before anything is drawn, so that the answer is there when the page needs it. Never rejects: the page asks again. */
export const askWhoAmI = (queries: QueryClient): Promise<void> => {
  const credential = readCredential();
  return queries.prefetchQuery(whoAmIQuery(clientFor(credential), credential));
};
