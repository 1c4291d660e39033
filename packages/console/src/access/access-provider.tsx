import { isSvcError } from '@svc/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useCallback, useMemo, useState } from 'react';
import { clientFor } from '../api/client.ts';
import { Loading } from '../ui/loading.tsx';
import { Problem } from '../ui/problem.tsx';
import { AccessContext } from './access-context.ts';
import { type Credential, forgetCredential, readCredential, writeCredential } from './credential.ts';
import { loadNamespaces } from './load-namespaces.ts';
import { NamespaceTree } from './namespace-tree.ts';
import { SignIn } from './sign-in.tsx';

/** Shows its children to whoever the server recognises, and a sign-in to everyone else. */
export const AccessProvider = ({ children }: { readonly children: ReactNode }): ReactElement => {
  const [credential, setCredential] = useState<Credential>(readCredential);
  const queries = useQueryClient();
  const client = useMemo(() => clientFor(credential), [credential]);
  const found = useQuery({
    queryKey: ['who am i', credential],
    queryFn: ({ signal }) => client.auth.whoAmI({}, { signal }),
    retry: (_count, error) => !isRefused(error),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const namespaces = useQuery({
    queryKey: ['names of namespaces', credential],
    queryFn: ({ signal }) => loadNamespaces(client, found.data?.grants ?? [], signal),
    enabled: found.isSuccess,
    meta: { shows: { kinds: ['Namespace'] } },
  });
  const signIn = useCallback((next: Credential, keep: boolean) => {
    writeCredential(next, keep);
    setCredential(next);
  }, []);
  const signOut = useCallback(() => {
    forgetCredential();
    setCredential({ kind: 'none' });
    queries.clear();
  }, [queries]);
  const tree = useMemo(() => new NamespaceTree(namespaces.data ?? []), [namespaces.data]);
  const access = useMemo(
    () => found.data && { client, credential, whoAmI: found.data, namespaces: tree, signOut },
    [client, credential, found.data, tree, signOut],
  );
  if (access !== undefined) return <AccessContext value={access}>{children}</AccessContext>;
  if (found.error === null) return <Loading label="Connecting" />;
  if (!isRefused(found.error)) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  return <SignIn problem={credential.kind === 'none' ? undefined : found.error} onSignIn={signIn} />;
};

const isRefused = (error: unknown): boolean =>
  isSvcError(error) && (error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED');
