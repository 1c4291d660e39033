/** Stops a timer; does nothing afterwards. */
type CancelTimer = () => void;

/** Time for this library; tests pass their own. */
export interface ClientClock {
  /** Milliseconds that never step back. */
  nowMs(): number;
  /** Calls `fire` once after at least `delayMs`. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** The part of a response that this library reads; every `Response` has it. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Bytes as they arrive; null when there are none. */
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The request options that this library passes to `fetch`. */
export interface ClientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

/** The part of `globalThis.fetch` that this library uses. */
export type ClientFetch = (url: string, request: ClientRequest) => Promise<ClientAnswer>;

/** What this library needs from its host; everything can be replaced. */
export interface ClientEnvironment {
  readonly fetch: ClientFetch;
  readonly clock: ClientClock;
  /** Uniform in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** A text that is never the same twice, for idempotency keys. */
  readonly uniqueText: () => string;
}

/** The bytes of a body; not every browser can iterate over its own streams. */
async function* chunksOf(body: Pick<ReadableStream<Uint8Array>, 'getReader'>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** The environment of a browser or Node.js. */
export const defaultEnvironment = (): ClientEnvironment => ({
  fetch: async (input, init) => {
    const response = await globalThis.fetch(input, init);
    return {
      status: response.status,
      headers: response.headers,
      body: response.body === null ? null : chunksOf(response.body),
      text: () => response.text(),
      arrayBuffer: () => response.arrayBuffer(),
    };
  },
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

/** Resolves after `delayMs`, or at once when `signal` aborts; the caller checks the signal. */
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
