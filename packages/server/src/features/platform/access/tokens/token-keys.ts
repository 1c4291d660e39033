import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { assert, CoalescedRuns, type Log } from '../../../../base/index.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import { INSTANCE_TOKEN_KEY, type Store } from '../../../../store/contracts/index.ts';
import { makeTokenKey, parseTokenKey, readTokenKeyFile, type TokenKey, textOfTokenKey } from './token-key.ts';

/** Value of the instance with the public keys of all tokens that may be under way, oldest first. */
const PUBLISHED = 'token-keys';
/** Keys kept for tokens still under way; one is added where the key in the store cannot be opened. */
const PUBLISHED_MAX = 64;
/** What the sealed key is bound to. */
const PLACE = 'instance/token-key';
/** Where the sealed key is, for a rotation that encrypts everything again. */
export const SEALED_TOKEN_KEY = { name: INSTANCE_TOKEN_KEY, place: PLACE } as const;

export interface TokenKeysDeps {
  readonly store: Pick<Store, 'direct' | 'write'>;
  /** Seals the private half: the nodes of a store have the same keys for that. */
  readonly seal: ValueSeal;
  /** Where a release before kept the key of this node. */
  readonly dataDir: string;
  readonly log: Pick<Log, 'warn'>;
}

/** The key by which every node of the store signs, and the public halves by which all of them, and anyone, verify. */
export class TokenKeys {
  readonly #deps: TokenKeysDeps;
  readonly #runs: CoalescedRuns;
  #own: TokenKey | undefined;
  #published: readonly JWK[] = [];
  readonly #imported = new Map<string, KeyObject>();

  constructor(deps: TokenKeysDeps) {
    this.#deps = deps;
    this.#runs = new CoalescedRuns(async () => {
      this.#published = parse(await deps.store.direct.instance.value(PUBLISHED));
    });
  }

  /** The key that new tokens are signed with. */
  get own(): TokenKey {
    assert(this.#own !== undefined, 'the key of tokens is opened before the first token');
    return this.#own;
  }

  /**
   * Takes the key in the store; the first node puts there the one of a release before, or a fresh one. One that cannot be
   * opened, because the keys of secrets were lost, is replaced: tokens signed by it stay good. Throws KEY_FILE for a file of a
   * release before that cannot be used.
   */
  async open(): Promise<void> {
    const { store, seal, dataDir, log } = this.#deps;
    const isThere = openKey(this.#deps, await store.direct.instance.value(INSTANCE_TOKEN_KEY)) !== undefined;
    const candidate = (isThere ? undefined : await readTokenKeyFile(dataDir)) ?? makeTokenKey();
    const found = await store.write(async (tx): Promise<Found> => {
      const stored = await tx.instance.value(INSTANCE_TOKEN_KEY);
      const known = openKey(this.#deps, stored);
      const own = known ?? candidate;
      if (stored === undefined || known === undefined || !seal.isNewest(stored))
        await tx.instance.setValue(INSTANCE_TOKEN_KEY, seal.seal(PLACE, textOfTokenKey(own)));
      const present = parse(await tx.instance.value(PUBLISHED));
      const isLost = stored !== undefined && known === undefined;
      if (present.some((key) => key.kid === own.id)) return { own, published: present, isLost };
      const published = [...present, own.publicJwk].slice(-PUBLISHED_MAX);
      await tx.instance.setValue(PUBLISHED, JSON.stringify(published));
      return { own, published, isLost };
    });
    if (found.isLost) log.warn('the key that signs tokens could not be opened: another one signs from now on');
    this.#own = found.own;
    this.#published = found.published;
  }

  /** The key set as `/.well-known/jwks.json` shows it. */
  async keySet(): Promise<{ readonly keys: readonly JWK[] }> {
    await this.#runs.request();
    return { keys: this.#published };
  }

  /** The public key of an id; undefined when no node ever signed by it. One read of the store serves all who ask meanwhile. */
  async find(id: string): Promise<KeyObject | undefined> {
    let jwk = this.#published.find((key) => key.kid === id);
    if (jwk === undefined) {
      await this.#runs.request();
      jwk = this.#published.find((key) => key.kid === id);
    }
    if (jwk === undefined) return undefined;
    const imported = this.#imported.get(id) ?? createPublicKey({ key: { ...jwk }, format: 'jwk' });
    this.#imported.set(id, imported);
    return imported;
  }
}

interface Found {
  readonly own: TokenKey;
  readonly published: readonly JWK[];
  readonly isLost: boolean;
}

const openKey = ({ seal }: Pick<TokenKeysDeps, 'seal'>, sealed: string | undefined): TokenKey | undefined => {
  const text = sealed === undefined ? undefined : seal.open(PLACE, sealed);
  return text === undefined ? undefined : parseTokenKey(text);
};

const parse = (text: string | undefined): readonly JWK[] =>
  text === undefined ? [] : (JSON.parse(text) as readonly JWK[]);
