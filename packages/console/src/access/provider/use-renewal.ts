import { useEffect } from 'react';
import { pauseFor } from '../../live/pause-for.ts';
import type { Credential } from '../credential.ts';
import { ProviderRefusal } from './provider-calls.ts';
import { renewed } from './provider-flow.ts';
import { renewalWait } from './token-rules.ts';

/** How often a provider that is away is asked again. */
const AGAIN_MS = 5_000;

/** Renews a token of a provider before it ends, without a word. `endsAt` in Unix milliseconds; `onRenewed` must not change. */
export const useRenewal = (
  credential: Credential,
  endsAt: number | undefined,
  onRenewed: (next: Credential) => void,
): void => {
  useEffect(() => {
    if (credential.kind !== 'provider' || credential.refresh === undefined || endsAt === undefined) return undefined;
    const stop = new AbortController();
    const renew = async (): Promise<void> => {
      await pauseFor(renewalWait(endsAt - Date.now()), stop.signal);
      while (!stop.signal.aborted) {
        try {
          const next = await renewed(credential);
          if (next !== undefined && !stop.signal.aborted) onRenewed(next);
          return;
        } catch (error) {
          // A person who is refused signs in again when the token has ended; the page then asks for it.
          if (error instanceof ProviderRefusal) return;
          await pauseFor(AGAIN_MS, stop.signal);
        }
      }
    };
    void renew();
    return () => stop.abort();
  }, [credential, endsAt, onRenewed]);
};
