import { useEffect } from 'react';
import { pauseFor } from '../../live/pause-for.ts';
import type { Credential } from '../credential.ts';
import { ProviderRefusal } from './provider-calls.ts';
import { renewed } from './provider-flow.ts';

/** A token is renewed this long before it ends, and a provider that is away asked again this often. */
const EARLY_MS = 60_000;
const AGAIN_MS = 5_000;
/** The longest time that a timer of a browser takes. */
const TIMER_MAX_MS = 2_147_483_647;

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
      const left = Math.max(0, endsAt - Date.now());
      // A token that lives shorter than that is renewed after half of its time, not again and again.
      await pauseFor(Math.min(Math.max(left - EARLY_MS, left / 2), TIMER_MAX_MS), stop.signal);
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
