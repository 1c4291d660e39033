/** Stops a timer; harmless afterwards. */
type CancelTimer = () => void;

/** Time as this library sees it; tests pass their own. */
export interface ClientClock {
  /** Milliseconds that never step back. */
  nowMs(): number;
  /** Calls `fire` once after at least `delayMs`. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** What this library reads of an answer; every `Response` is one. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Bytes as they come; null when there are none. */
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What this library asks of `fetch`. */
export interface ClientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

/** The part of `globalThis.fetch` that this library uses. */
export type ClientFetch = (url: string, request: ClientRequest) => Promise<ClientAnswer>;

/** What this library takes from its host, all replaceable. */
export interface ClientEnvironment {
  readonly fetch: ClientFetch;
  readonly clock: ClientClock;
  /** Uniform in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** A text that is never the same twice, for idempotency keys. */
  readonly uniqueText: () => string;
}

/** The environment of a browser or Node.js. */
export const defaultEnvironment = (): ClientEnvironment => ({
  fetch: (input, init) => globalThis.fetch(input, init),
  clock: {
    nowMs: () => performance.now(),
    after: (delayMs, fire) => {
      const timer = setTimeout(fire, delayMs);
      return () => clearTimeout(timer);
    },
  },
  random: Math.random,
  uniqueText: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
});

/** Resolves after `delayMs`, at once when `signal` aborts; the caller looks at the signal. */
export const pause = (clock: ClientClock, delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const finish = (): void => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal?.addEventListener('abort', finish);
  });
