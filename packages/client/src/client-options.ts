import { type ClientEnvironment, defaultEnvironment } from './environment.ts';
import type { Connection, Credentials, RetryPolicy } from './transport/index.ts';

/** Address, credential and timeouts of a client. */
export interface ClientOptions extends Credentials {
  /** Such as `http://127.0.0.1:7420`. */
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly retry?: Partial<RetryPolicy>;
  /** Time limit of one attempt, default 60 s. */
  readonly timeoutMs?: number;
  /** Replaces parts of the environment, for tests and special networks. */
  readonly fetch?: ClientEnvironment['fetch'];
  readonly clock?: ClientEnvironment['clock'];
  readonly random?: ClientEnvironment['random'];
  readonly uniqueText?: ClientEnvironment['uniqueText'];
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** The connection that options describe; opens nothing. Throws TypeError for a malformed address. */
export const connectionOf = (options: ClientOptions): Connection => {
  const url = new URL(options.baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${options.baseUrl} is not an http address`);
  const environment = defaultEnvironment();
  const { fetch, clock, random, uniqueText, token, apiKey, basic } = options;
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    credentials: {
      ...(token === undefined ? {} : { token }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(basic === undefined ? {} : { basic }),
    },
    headers: options.headers ?? {},
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    environment: {
      fetch: fetch ?? environment.fetch,
      clock: clock ?? environment.clock,
      random: random ?? environment.random,
      uniqueText: uniqueText ?? environment.uniqueText,
    },
  };
};
