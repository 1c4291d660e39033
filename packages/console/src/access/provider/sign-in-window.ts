import { pauseFor } from '../../live/pause-for.ts';
import type { SignInProvider } from '../../page-facts.ts';
import { newSignIn, type ProviderCredential, tradeCode } from './provider-flow.ts';

/** Names the channel over which a window tells the pages of its origin what the provider said. */
const CHANNEL = 'svc.sign-in';
/** The state of a sign-in in a window begins with it: the address that the person comes back to tells it from others. */
const MARK = 'window.';
/** No page that still waits takes longer than this to say so. */
const TAKEN_MS = 5_000;

const FEATURES = 'popup,width=520,height=680';

/** What windows and pages tell each other: the query of the address that the person came back to, or the state that a page took. */
type Told = { readonly search: string } | { readonly taken: string };

const stateOf = (search: string): string => new URLSearchParams(search).get('state') ?? '';

/** An empty window for a sign-in; undefined when the browser blocks it. To be called by the click itself, else browsers block it. */
export const openWindow = (): Window | undefined => {
  const opened = open('', '', FEATURES);
  if (opened === null) return undefined;
  // What the provider shows in it can neither reach this page nor lead it elsewhere.
  opened.opener = null;
  return opened;
};

/**
 * Lets the person sign in at the provider in `opened`, while this page stays as it is. Undefined once `signal` aborts, which also closes
 * the window; waits for as long as the person takes. Fails when the provider cannot be reached or refuses.
 */
export const signInWithin = async (
  opened: Window,
  provider: SignInProvider,
  signal: AbortSignal,
): Promise<ProviderCredential | undefined> => {
  const close = (): void => opened.close();
  signal.addEventListener('abort', close);
  try {
    const { begun, address } = await newSignIn(provider, MARK);
    const search = answerTo(begun.state, signal);
    opened.location.replace(address);
    const said = await search;
    return said === undefined ? undefined : await tradeCode(provider, begun, said);
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
  }
};

/** The query that the window with this state came back with. */
const answerTo = (state: string, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    const end = (search?: string): void => {
      channel.close();
      resolve(search);
    };
    signal.addEventListener('abort', () => end(), { once: true });
    channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if (!('search' in data) || stateOf(data.search) !== state) return;
      const told: Told = { taken: state };
      channel.postMessage(told);
      end(data.search);
    });
  });

/** True when the person comes back to a window that a page opened, not to a page that was left. */
export const isOfWindow = (search: string): boolean => stateOf(search).startsWith(MARK);

/** Tells the page that opened this window what the provider said. False when no page waits for it. */
export const handOver = async (search: string): Promise<boolean> => {
  const channel = new BroadcastChannel(CHANNEL);
  const stop = new AbortController();
  const taken = new Promise<boolean>((resolve) => {
    channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if ('taken' in data && data.taken === stateOf(search)) resolve(true);
    });
  });
  const told: Told = { search };
  channel.postMessage(told);
  const isTaken = await Promise.race([taken, pauseFor(TAKEN_MS, stop.signal).then(() => false)]);
  stop.abort();
  channel.close();
  return isTaken;
};
