import { isSvcError } from '@svc/client/error';
import type { PlainContext } from './context.ts';

/** Pause before a broken stream is opened again, and how often in a row. */
const RETRY_MS = 1_000;
const RETRIES_MAX = 60;

/** How a stream is opened, from wherever its reader stands. */
export interface LiveSource<T> {
  open(signal: AbortSignal): AsyncIterable<T>;
  /** False while a new stream would show again what was shown. */
  canResume(): boolean;
}

/** Events until the stream ends; Ctrl-C throws CANCELLED. A connection that breaks is opened again, and that is told. */
export async function* liveEvents<T>(
  { world, note }: Pick<PlainContext, 'world' | 'note'>,
  source: LiveSource<T>,
): AsyncGenerator<T, void, undefined> {
  const abort = new AbortController();
  const release = world.onInterrupt(() => abort.abort());
  let failures = 0;
  try {
    for (;;) {
      try {
        for await (const event of source.open(abort.signal)) {
          if (failures > 0) note('connected again');
          failures = 0;
          yield event;
        }
        return;
      } catch (error) {
        if (abort.signal.aborted || failures >= RETRIES_MAX || !source.canResume() || !isBroken(error)) throw error;
        if (failures === 0) note('connection lost; trying again');
        failures += 1;
        await world.sleep(RETRY_MS);
      }
    }
  } finally {
    release();
  }
}

const isBroken = (error: unknown): boolean => isSvcError(error) && error.code === 'UNAVAILABLE';
