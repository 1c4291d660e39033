import { isSvcError } from '@svc/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { clientFor } from '../api/client.ts';
import { Loading } from '../ui/loading.tsx';
import { Problem } from '../ui/problem.tsx';
import { millisOf } from '../ui/time-texts.ts';
import { type Access, AccessContext } from './access-context.ts';
import { type Credential, forgetCredential, readCredential, writeCredential } from './credential.ts';
import { expiry } from './expiry.ts';
import { loadNamespaces } from './load-namespaces.ts';
import { NamespaceTree } from './namespace-tree.ts';
import { ProviderReturn } from './provider/provider-return.tsx';
import { useRenewal } from './provider/use-renewal.ts';
import styles from './sign-in.module.css';
import { SignIn } from './sign-in.tsx';
import { texts } from './texts.ts';
import { whoAmIQuery } from './who-am-i.ts';

type Person = Pick<Access, 'client' | 'credential' | 'whoAmI'>;

/**
 * Shows its children to people whom the server recognises, and a sign-in to everyone else. A credential that ends later puts the sign-in
 * over the page, which stays as it is below.
 */
export const AccessProvider = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <ProviderReturn page={(problem) => <WithCredential refusal={problem}>{children}</WithCredential>} />
);

interface WithCredentialProps {
  /** Why a sign-in at a provider failed. */
  readonly refusal: Error | undefined;
  readonly children: ReactNode;
}

const WithCredential = ({ refusal, children }: WithCredentialProps): ReactElement => {
  const [credential, setCredential] = useState<Credential>(readCredential);
  const isExpired = useSyncExternalStore(expiry.watch, () => expiry.isExpired);
  const queries = useQueryClient();
  const client = useMemo(() => clientFor(credential), [credential]);
  const found = useQuery(whoAmIQuery(client, credential));
  const whoAmI = found.data;
  const [person, setPerson] = useState<Person | undefined>(() => whoAmI && { client, credential, whoAmI });
  useEffect(() => {
    if (whoAmI === undefined || whoAmI === person?.whoAmI) return;
    setPerson({ client, credential, whoAmI });
  }, [client, credential, whoAmI, person]);
  useFreshStart(person);
  const signIn = useCallback(
    (next: Credential, keep: boolean) => {
      writeCredential(next, keep);
      void queries.resetQueries({ queryKey: ['who am i', next] });
      setCredential(next);
    },
    [queries],
  );
  const replace = useCallback((next: Credential) => {
    writeCredential(next, false);
    setCredential(next);
  }, []);
  useRenewal(credential, whoAmI?.expiresAt === undefined ? undefined : millisOf(whoAmI.expiresAt), replace);
  const signOut = useCallback(() => {
    forgetCredential();
    setPerson(undefined);
    setCredential({ kind: 'none' });
    queries.clear();
  }, [queries]);
  // A server that is away is tried for as long as the page is open, but not without a word.
  const error = found.error ?? (found.failureCount > 2 ? found.failureReason : null);
  const isAsked = isExpired || (error !== null && isRefused(error));
  const problem = credential.kind === 'none' ? refusal : (error ?? undefined);
  if (person !== undefined)
    return (
      <>
        <SignedIn person={person} signOut={signOut}>
          <div className={styles.below} inert={isAsked}>
            {children}
          </div>
        </SignedIn>
        {isAsked && <SignIn isOverPage problem={problem} onSignIn={signIn} />}
      </>
    );
  if (isAsked) return <SignIn problem={problem} onSignIn={signIn} />;
  if (error !== null) return <Problem error={error} onRetry={() => void found.refetch()} />;
  return <Loading label={texts.connecting} />;
};

/**
 * After another sign-in every screen is loaded again, but only once it works with the new credential: what it asks with the former one is
 * refused, and that would ask for yet another sign-in.
 */
const useFreshStart = (person: Person | undefined): void => {
  const queries = useQueryClient();
  const former = useRef(person);
  useEffect(() => {
    const before = former.current;
    former.current = person;
    if (person === undefined || person === before) return;
    expiry.set(false);
    if (before !== undefined)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'who am i' });
  }, [person, queries]);
};

interface SignedInProps {
  readonly person: Person;
  readonly signOut: () => void;
  readonly children: ReactNode;
}

const SignedIn = ({ person, signOut, children }: SignedInProps): ReactElement => {
  const { client, credential, whoAmI } = person;
  const { data } = useQuery({
    queryKey: ['names of namespaces', credential],
    queryFn: ({ signal }) => loadNamespaces(client, whoAmI.grants, signal),
    meta: { shows: { kinds: ['Namespace'] } },
  });
  const namespaces = useMemo(() => new NamespaceTree(data ?? []), [data]);
  const access = useMemo(
    () => ({ client, credential, whoAmI, namespaces, signOut }),
    [client, credential, whoAmI, namespaces, signOut],
  );
  return <AccessContext value={access}>{children}</AccessContext>;
};

const isRefused = (error: unknown): boolean =>
  isSvcError(error) && (error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED');
