import { isSvcError } from '@svc/client/error';
import { timeoutMs } from './connection.ts';
import type { PlainContext } from './context.ts';
import { CommandFailure, exitCodes } from './failure.ts';

/** Pause before a broken stream is reopened, and how often in a row. */
const RETRY_MS = 1_000;
const RETRIES_MAX = 60;

/** How a stream is opened, from the place its reader has reached. */
export interface LiveSource<T> {
  /** `onOpen` has to be called when the server has accepted the stream, before the first event. */
  open(signal: AbortSignal, onOpen: () => void): AsyncIterable<T>;
  /** False while a new stream would repeat what was shown. */
  canResume(): boolean;
}

type LiveContext = Pick<PlainContext, 'host' | 'note' | 'options'>;

/** Events until the stream ends, Ctrl-C or `--timeout`. A broken connection is reopened, and that is reported. */
export const liveEvents = <T>(context: LiveContext, source: LiveSource<T>): AsyncIterable<T> =>
  followWithin(context, (signal) => reopening(context, source, signal));

async function* reopening<T>(
  { host, note }: LiveContext,
  source: LiveSource<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let failures = 0;
  const onOpen = (): void => {
    if (failures > 0) note('connected again');
    failures = 0;
  };
  for (;;) {
    try {
      yield* source.open(signal, onOpen);
      return;
    } catch (error) {
      if (signal.aborted || failures >= RETRIES_MAX || !source.canResume() || !isBroken(error)) throw error;
      if (failures === 0) note(lostText(error));
      failures += 1;
      await host.sleep(RETRY_MS, signal);
    }
  }
}

/**
 * Follows the stream of `open` until it ends, until Ctrl-C, which fails as CANCELLED, or until `--timeout`, which is exit code
 * 5. The signal ends the stream.
 */
export async function* followWithin<T>(
  { host, options }: Pick<PlainContext, 'host' | 'options'>,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const [stop, over] = [new AbortController(), new AbortController()];
  const limit = timeoutMs(options);
  const release = host.onInterrupt(() => stop.abort());
  let isLate = false;
  if (limit !== undefined)
    void host.sleep(limit, over.signal).then(() => {
      if (over.signal.aborted) return;
      isLate = true;
      stop.abort();
    });
  try {
    yield* open(stop.signal);
  } catch (error) {
    if (!isLate) throw error;
    throw new CommandFailure(`stopped after --timeout ${options.timeout}`, { exitCode: exitCodes.timeout });
  } finally {
    over.abort();
    release();
  }
}

/** Why a stream ended that will be reopened. */
export const lostText = (error: unknown): string =>
  isSvcError(error) && error.reason === 'SHUTTING_DOWN'
    ? 'the server is shutting down; waiting for it to come back'
    : 'connection lost; trying again';

const isBroken = (error: unknown): boolean => isSvcError(error) && error.code === 'UNAVAILABLE';
