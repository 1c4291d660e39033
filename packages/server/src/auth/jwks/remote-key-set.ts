import type { createLocalJWKSet, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { Clock, Log } from '../../base/index.ts';

export interface RemoteKeySetDeps {
  /** `auth.jwks.url`. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly log: Log;
}

/** Least time between two fetches, whatever key ids tokens name. */
const REFETCH_MS = 60_000;
/** A key that the provider has withdrawn is trusted for at most this long. */
const MAX_AGE_MS = 600_000;
const FETCH_MS = 5_000;
const BYTES_MAX = 256 * 1024;

/** The provider's keys could not be read, now or within the last minute. */
export class KeySetUnreadable extends Error {}

/** Public keys of an OIDC provider, fetched on first use, when they are old, and for an unknown key id. */
export class RemoteKeySet {
  readonly #deps: RemoteKeySetDeps;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #fetchedMs = 0;
  #triedMs: number | undefined;
  #fetching: Promise<void> | undefined;

  constructor(deps: RemoteKeySetDeps) {
    this.#deps = deps;
  }

  /** The key for a token, of the type its algorithm needs; throws errors of jose, or KeySetUnreadable. */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const { clock } = this.#deps;
    if (this.#keys === undefined || clock.monotonicMs() - this.#fetchedMs >= MAX_AGE_MS) await this.#refetch();
    try {
      return await this.#known()(header, token);
    } catch (error) {
      const { errors } = await import('jose');
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#refetch())) throw error;
      return this.#known()(header, token);
    }
  };

  #known(): ReturnType<typeof createLocalJWKSet> {
    if (this.#keys === undefined) throw new KeySetUnreadable('no key set could be read');
    return this.#keys;
  }

  /** False when the last attempt is less than a minute old; concurrent callers share one. */
  async #refetch(): Promise<boolean> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#fetching === undefined) {
      if (this.#triedMs !== undefined && nowMs - this.#triedMs < REFETCH_MS) return false;
      this.#triedMs = nowMs;
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    }
    await this.#fetching;
    return true;
  }

  /** If the provider fails, the known keys stay valid: its outage must not become ours. */
  async #fetch(): Promise<void> {
    const { url, fetch, clock, log } = this.#deps;
    const jose = await import('jose');
    const startedMs = clock.monotonicMs();
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(FETCH_MS),
      });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      this.#keys = jose.createLocalJWKSet(JSON.parse(await readText(response)) as JSONWebKeySet);
      this.#fetchedMs = startedMs;
    } catch (error) {
      log.warn('the key set of auth.jwks.url could not be read', { reason: String(error) });
    }
  }
}

/** The body as text, up to the size that a key set can reasonably have. */
const readText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > BYTES_MAX) throw new Error(`is larger than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
