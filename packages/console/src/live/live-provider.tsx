import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { useAccess } from '../access/access-context.ts';
import { credentialHeaders } from '../access/credential.ts';
import { expiry } from '../access/expiry.ts';
import { LiveContext } from './live-context.ts';
import { LiveStream } from './live-stream.ts';
import { pauseFor } from './pause-for.ts';
import { refreshQueries } from './refresh-queries.ts';

/** A hidden tab gives its connection back after this time: browsers allow six to one server over HTTP/1.1. */
const HIDDEN_MS = 60_000;

/** Opens the live stream of the signed-in person, and keeps the cache of answers fresh with it. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }): ReactElement => {
  const { credential } = useAccess();
  const latest = useRef(credential);
  const queries = useQueryClient();
  const [stream] = useState(
    () =>
      new LiveStream({
        open: (after, signal) =>
          fetch(`/v1/ui/events${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`, {
            headers: credentialHeaders(latest.current),
            signal,
            credentials: 'omit',
            cache: 'no-store',
          }),
        pause: pauseFor,
        failed: reportError,
        random: Math.random,
      }),
  );
  useEffect(() => {
    const stopRefresh = refreshQueries(stream, queries);
    const stopVisibility = followVisibility(stream);
    const stopWatch = stream.watch(() => {
      if (stream.state === 'refused') expiry.set(true);
    });
    stream.start();
    return () => {
      stopRefresh();
      stopVisibility();
      stopWatch();
      stream.stop();
    };
  }, [stream, queries]);
  useEffect(() => {
    latest.current = credential;
    if (stream.state === 'refused') stream.start();
  }, [stream, credential]);
  return <LiveContext value={stream}>{children}</LiveContext>;
};

const followVisibility = (stream: LiveStream): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') stream.start();
    else timer = setTimeout(() => stream.stop(), HIDDEN_MS);
  };
  // A network that came back is used at once; one that went may have been the way to the server or not, so it is tried.
  const connectAgain = (): void => {
    stream.stop('waiting');
    stream.start();
  };
  document.addEventListener('visibilitychange', change);
  addEventListener('online', connectAgain);
  addEventListener('offline', connectAgain);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', change);
    removeEventListener('online', connectAgain);
    removeEventListener('offline', connectAgain);
  };
};
