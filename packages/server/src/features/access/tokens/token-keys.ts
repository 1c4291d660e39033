import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import type { Clock } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { TokenKey } from './token-key-file.ts';

/** Value of the instance with the public keys of all its nodes, oldest first. */
const PUBLISHED = 'token-keys';
/** Keys kept for tokens still under way; a node adds one when its key file was lost. */
const PUBLISHED_MAX = 64;
/** Least time between looks at the store for a key nobody here knows. */
const LOOK_MS = 1_000;

/** The keys of every node: each signs with its own and publishes the public half, so that any node can verify. */
export class TokenKeys {
  readonly own: TokenKey;
  readonly #store: Pick<Store, 'direct'>;
  readonly #clock: Clock;
  #published: readonly JWK[] = [];
  readonly #imported = new Map<string, KeyObject>();
  #lookedMs: number | undefined;

  private constructor(own: TokenKey, deps: { readonly store: Pick<Store, 'direct'>; readonly clock: Clock }) {
    this.own = own;
    this.#store = deps.store;
    this.#clock = deps.clock;
  }

  /** Publishes the node's own key and answers all of them. */
  static async open(
    own: TokenKey,
    deps: { readonly store: Pick<Store, 'direct' | 'write'>; readonly clock: Clock },
  ): Promise<TokenKeys> {
    const keys = new TokenKeys(own, deps);
    keys.#published = await deps.store.write(async (tx) => {
      const present = parse(await tx.instance.value(PUBLISHED));
      if (present.some((key) => key.kid === own.id)) return present;
      const all = [...present, own.publicJwk].slice(-PUBLISHED_MAX);
      await tx.instance.setValue(PUBLISHED, JSON.stringify(all));
      return all;
    });
    return keys;
  }

  /** The key set as `/.well-known/jwks.json` shows it. */
  async keySet(): Promise<{ readonly keys: readonly JWK[] }> {
    await this.#look();
    return { keys: this.#published };
  }

  /** The public key of an id; undefined when no node has it. */
  async find(id: string): Promise<KeyObject | undefined> {
    let jwk = this.#published.find((key) => key.kid === id);
    if (jwk === undefined) {
      await this.#look();
      jwk = this.#published.find((key) => key.kid === id);
    }
    if (jwk === undefined) return undefined;
    const imported = this.#imported.get(id) ?? createPublicKey({ key: { ...jwk }, format: 'jwk' });
    this.#imported.set(id, imported);
    return imported;
  }

  async #look(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#lookedMs !== undefined && nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    this.#published = parse(await this.#store.direct.instance.value(PUBLISHED));
  }
}

const parse = (text: string | undefined): readonly JWK[] =>
  text === undefined ? [] : (JSON.parse(text) as readonly JWK[]);
