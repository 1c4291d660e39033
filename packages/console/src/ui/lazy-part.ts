import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** By then a page has drawn itself. */
const WAIT_MS = 1_500;

/**
 * A part of every page that opens on demand. It is loaded soon after the page, so that the first paint need not wait for it, and what is
 * typed right after it was opened reaches it.
 */
export const lazyPart = <P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> => {
  let loading: Promise<ComponentType<P>> | undefined;
  const loadOnce = (): Promise<ComponentType<P>> => {
    loading ??= load();
    return loading;
  };
  // What fails here fails again, with a word, once it is opened.
  setTimeout(() => void loadOnce().catch(() => (loading = undefined)), WAIT_MS);
  return lazy(async () => ({ default: await loadOnce() }));
};
