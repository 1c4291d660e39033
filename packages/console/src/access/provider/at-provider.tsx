import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef } from 'react';
import type { SignInProvider } from '../../page-facts.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { Credential } from '../credential.ts';
import styles from '../sign-in.module.css';
import { texts } from '../texts.ts';
import { leaveForSignIn, type ProviderCredential } from './provider-flow.ts';
import { openWindow, signInWithin } from './sign-in-window.ts';

interface AtProviderProps {
  readonly provider: SignInProvider;
  /** The page below has to stay as it is: the person signs in in a window next to it. */
  readonly isOverPage: boolean;
  readonly onSignIn: (credential: Credential, keep: boolean) => void;
}

/** Leads to the provider, which sends the person back. */
export const AtProvider = ({ provider, isOverPage, onSignIn }: AtProviderProps): ReactElement => {
  const leave = useMutation({ mutationFn: () => leaveForSignIn(provider), networkMode: 'always' });
  const inWindow = useSignInWindow(provider, onSignIn);
  const error = leave.error ?? inWindow.error;
  return (
    <>
      <Button kind="primary" isBusy={leave.isPending} onClick={isOverPage ? inWindow.start : () => leave.mutate()}>
        {texts.atProvider(new URL(provider.issuer).host)}
      </Button>
      {inWindow.state !== 'none' && (
        <>
          <p role="status">{inWindow.state === 'open' ? texts.inWindow : texts.windowBlocked}</p>
          <Button isBusy={leave.isPending} onClick={() => leave.mutate()}>
            {texts.onThisPage}
          </Button>
        </>
      )}
      {error && <Problem error={error} />}
      <p className={styles.or}>{texts.or}</p>
    </>
  );
};

interface SignInWindow {
  readonly start: () => void;
  readonly state: 'none' | 'open' | 'blocked';
  readonly error: Error | null;
}

/** A sign-in in a window of its own. Beginning it once more ends the one before, as does leaving the form. */
const useSignInWindow = (provider: SignInProvider, onSignIn: AtProviderProps['onSignIn']): SignInWindow => {
  const last = useRef(new AbortController());
  useEffect(() => () => last.current.abort(), []);
  const { mutate, variables, error, status } = useMutation({
    mutationFn: async (opened: Window | undefined): Promise<ProviderCredential | undefined> =>
      opened && signInWithin(opened, provider, last.current.signal),
    onSuccess: (credential) => {
      if (credential !== undefined) onSignIn(credential, false);
    },
    networkMode: 'always',
  });
  const start = (): void => {
    last.current.abort();
    last.current = new AbortController();
    mutate(openWindow());
  };
  const isBlocked = status === 'success' && variables === undefined;
  const notOpen = isBlocked ? 'blocked' : 'none';
  return { start, state: status === 'pending' ? 'open' : notOpen, error };
};
