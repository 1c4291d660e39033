import { CSPProvider } from '@base-ui/react/csp-provider';
import { isSvcError } from '@svc/client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactElement, useEffect } from 'react';
import { AccessProvider } from '../access/access-provider.tsx';
import { expiry } from '../access/expiry.ts';
import { askWhoAmI } from '../access/who-am-i.ts';
import { keepFocus } from '../keys/keep-focus.ts';
import { LiveProvider } from '../live/live-provider.tsx';
import { Notices } from '../ui/notices.tsx';
import { router } from './router.ts';

/** Answers are fresh until the live stream says otherwise. Refusals are not asked again; the client repeats what is worth it. */
const queries = new QueryClient({
  queryCache: new QueryCache({ onError: expiry.report }),
  mutationCache: new MutationCache({ onError: expiry.report }),
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: (count, error) => isSvcError(error) && error.code === 'UNAVAILABLE' && count < 5,
      refetchOnWindowFocus: false,
    },
  },
});

/** Asks the server who this is and loads the screen of the address, both at once. Never rejects: the page shows what went wrong. */
export const prepare = async (): Promise<void> => {
  await Promise.allSettled([askWhoAmI(queries), router.load()]);
};

export const App = (): ReactElement => {
  useEffect(() => keepFocus(document), []);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <AccessProvider>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
        </AccessProvider>
        <Notices />
      </QueryClientProvider>
    </CSPProvider>
  );
};
