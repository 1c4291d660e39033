import type { Caller } from '../../../../auth/contract.ts';
import {
  type CredentialPlace,
  credentialsExpired,
  credentialsInvalid,
  isSameHash,
  keyRevoked,
  secretHash,
} from '../../../../auth/index.ts';
import { BoundedCache, type Clock, type Log } from '../../../../base/index.ts';
import type { Bus, Store } from '../../../../store/contracts/index.ts';
import { type ApiKeyRecord, apiKeyIdOf } from './api-key-record.ts';
import { findApiKey, noteUse } from './api-key-rows.ts';

/** Subject of notifications that a key has changed; the message is its id. */
export const API_KEYS_CHANGED = 'api-keys.changed';

/** How long a record counts without a check of the store: a lost notification delays a revocation by this and one recheck. */
const FRESH_MS = 10_000;
const NOTE_MS = 60_000;
const CACHED_KEYS = 10_000;

interface CachedKey {
  readonly record: ApiKeyRecord;
  readonly caller: Caller;
  readonly loadedMs: number;
}

export interface ApiKeyDirectoryDeps {
  readonly store: Pick<Store, 'direct' | 'write'>;
  readonly bus: Pick<Bus, 'subscribe' | 'onGap'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Recognises API keys. Every open stream asks every 15 s, so what is known and fresh is answered without a promise;
 * notifications of other calls and nodes drop what changed, and age drops the rest.
 */
export class ApiKeyDirectory {
  readonly #deps: ApiKeyDirectoryDeps;
  readonly #known = new BoundedCache<string, CachedKey>(CACHED_KEYS);
  readonly #notedMs = new BoundedCache<string, number>(CACHED_KEYS);
  readonly #loads = new Map<string, Promise<CachedKey | undefined>>();
  readonly #stops: readonly (() => void)[];
  /** Notifications so far: a read that one came into may have found what was before it. */
  #changes = 0;
  /** Keys loaded before a gap in the notifications are not fresh any more. */
  #staleBeforeMs = 0;
  #isClosed = false;

  constructor(deps: ApiKeyDirectoryDeps) {
    this.#deps = deps;
    this.#stops = [
      deps.bus.subscribe(API_KEYS_CHANGED, (id) => this.#forget(String(id))),
      deps.bus.onGap(API_KEYS_CHANGED, () => {
        this.#staleBeforeMs = deps.clock.monotonicMs();
      }),
    ];
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  /** The caller behind a credential; undefined when it has not the form of an API key. Keys come in either place. */
  recognise(credential: string, _place?: CredentialPlace): Caller | Promise<Caller> | undefined {
    const id = apiKeyIdOf(credential);
    if (id === undefined) return undefined;
    const hash = secretHash(credential);
    const known = this.#fresh(id);
    if (known !== undefined) return this.#judge(known, hash);
    return this.#load(id).then((loaded) => this.#judge(loaded, hash));
  }

  /** Throws KEY_REVOKED or CREDENTIALS_EXPIRED unless the key still counts; for what was made by its holder. */
  requireLive(id: string): void | Promise<void> {
    const known = this.#fresh(id);
    if (known !== undefined) return this.#requireLive(known);
    return this.#load(id).then((loaded) => this.#requireLive(loaded));
  }

  #fresh(id: string): CachedKey | undefined {
    const known = this.#known.get(id);
    if (known === undefined || known.loadedMs < this.#staleBeforeMs) return undefined;
    return this.#deps.clock.monotonicMs() - known.loadedMs < FRESH_MS ? known : undefined;
  }

  #judge(known: CachedKey | undefined, hash: Buffer): Caller {
    if (known === undefined || !isSameHash(hash, known.record.hash)) throw credentialsInvalid();
    this.#requireLive(known);
    this.#noteUse(known.record.id);
    return known.caller;
  }

  #requireLive(known: CachedKey | undefined): void {
    if (known === undefined) throw credentialsInvalid();
    const { revokedAt, expiresAt } = known.record;
    if (revokedAt !== undefined) throw keyRevoked();
    if (expiresAt !== undefined && expiresAt <= this.#deps.clock.nowMicros()) throw credentialsExpired();
  }

  #load(id: string): Promise<CachedKey | undefined> {
    const running = this.#loads.get(id);
    if (running !== undefined) return running;
    const loading = this.#read(id).finally(() => {
      if (this.#loads.get(id) === loading) this.#loads.delete(id);
    });
    this.#loads.set(id, loading);
    return loading;
  }

  async #read(id: string): Promise<CachedKey | undefined> {
    const loadedMs = this.#deps.clock.monotonicMs();
    const changes = this.#changes;
    const record = await findApiKey(this.#deps.store.direct.instance, id);
    if (record === undefined) return undefined;
    const known = { record, loadedMs, caller: callerOf(record) };
    if (changes === this.#changes) this.#known.set(id, known);
    return known;
  }

  #forget(id: string): void {
    this.#changes += 1;
    this.#known.delete(id);
    this.#loads.delete(id);
  }

  /**
   * At most one write a minute and key, apart from the call: no one waits for it, and a lost one costs a minute of
   * precision.
   */
  #noteUse(id: string): void {
    const { clock, store, log } = this.#deps;
    const nowMs = clock.monotonicMs();
    const notedMs = this.#notedMs.get(id);
    if (this.#isClosed || (notedMs !== undefined && nowMs - notedMs < NOTE_MS)) return;
    this.#notedMs.set(id, nowMs);
    const at = clock.nowMicros();
    store
      .write((tx) => noteUse(tx, id, at))
      .catch((error: unknown) => log.warn('noting the use of an API key failed', { key: id, reason: String(error) }));
  }
}

const callerOf = (record: ApiKeyRecord): Caller =>
  Object.freeze({
    identity: `key:${record.id}`,
    subject: `key:${record.id}`,
    mode: 'api-key',
    grants: record.grants,
    apiKeyId: record.id,
    ...(record.expiresAt === undefined ? {} : { expiresAt: record.expiresAt }),
  });
