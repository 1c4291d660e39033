import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 10;

/**
 * Asks `look` until it answers something, at most `withinMs` (less than a test may take); then fails, naming `what`. Only for facts of another process
 * that announces nothing: what can be awaited is awaited.
 */
export const until = async <T>(what: string, look: () => Promise<T | undefined>, withinMs = 50_000): Promise<T> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(INTERVAL_MS);
  }
};
