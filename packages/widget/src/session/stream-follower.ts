import {
  type ClientEnvironment,
  defaultRetryPolicy,
  isInterruption,
  isSvcError,
  pause,
  streamRetryMs,
} from '@svc/client/plain';
import type { WireEvent } from '../model/index.ts';

export interface FollowerParts {
  readonly environment: Pick<ClientEnvironment, 'clock' | 'random'>;
  /** Reads the conversation as it is now; answers the cursor after it. */
  readonly load: (signal: AbortSignal) => Promise<string>;
  readonly events: (
    after: string,
    options: { readonly signal: AbortSignal; readonly onOpen: () => void },
  ) => AsyncIterable<WireEvent>;
  readonly onEvent: (event: WireEvent) => void;
  readonly onConnection: (isOpen: boolean) => void;
  /** Gives up the token that was refused; false when there is no other. */
  readonly renewAccess: () => boolean;
}

/**
 * Follows a session for as long as the page is open: every event once and in order, across lost connections and restarts of the
 * server, after each of which the stream continues at the last cursor. Where the server keeps nothing from there on, the
 * conversation is loaded again.
 */
export class StreamFollower {
  readonly #parts: FollowerParts;
  /** Undefined: the conversation has to be loaded first. */
  #cursor: string | undefined;
  #failures = 0;
  /** The token was refused, and nothing was accepted since. */
  #wasRefused = false;
  #wake = new AbortController();

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Ends when `signal` aborts; throws the error after which nothing more can be expected. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#cursor ??= await this.#parts.load(signal);
        await this.#read(this.#cursor, signal);
        await this.#wait(undefined, signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#recover(error, signal);
      }
    }
  }

  /** Tries again now instead of later: the network is back. */
  wake(): void {
    this.#wake.abort();
  }

  async #read(after: string, signal: AbortSignal): Promise<void> {
    const onOpen = (): void => {
      this.#wasRefused = false;
      this.#parts.onConnection(true);
    };
    for await (const event of this.#parts.events(after, { signal, onOpen })) {
      this.#failures = 0;
      if (event.cursor !== undefined && event.cursor !== '') this.#cursor = event.cursor;
      this.#parts.onEvent(event);
    }
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (!isSvcError(error)) throw error;
    if (error.reason === 'CURSOR_EXPIRED') this.#cursor = undefined;
    else if (error.code === 'UNAUTHENTICATED' && !this.#wasRefused && this.#parts.renewAccess())
      this.#wasRefused = true;
    else if (isInterruption(error)) await this.#wait(error, signal);
    else throw error;
  }

  async #wait(error: Parameters<typeof streamRetryMs>[2]['error'], signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts.environment;
    this.#failures += 1;
    const delayMs = streamRetryMs(defaultRetryPolicy, this.#failures, { error, random });
    if (delayMs > 0) this.#parts.onConnection(false);
    this.#wake = new AbortController();
    await pause(clock, delayMs, AbortSignal.any([signal, this.#wake.signal]));
  }
}
