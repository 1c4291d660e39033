import type { Clock } from '../../../../base/index.ts';
import type {
  McpOAuth,
  OAuthClientIdentity,
  OAuthPlace,
  OAuthReach,
  OAuthSelf,
} from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { Store } from '../../../../store/contracts/index.ts';

export interface ClientRegistrationsDeps {
  readonly store: Pick<Store, 'direct' | 'write'>;
  readonly seal: ValueSeal;
  readonly oauth: Pick<McpOAuth, 'documentIdentity' | 'register'>;
  readonly clock: Pick<Clock, 'nowMicros'>;
  /** How svc presents itself; its address is known once it listens. */
  readonly self: () => OAuthSelf;
}

/** How long before its end svc registers again: a person may take a while to sign in. */
const MARGIN_SECONDS = 86_400;
const PAGE = 100;

/** What svc is to each authorization server: known by its metadata document, else registered once. */
export class ClientRegistrations {
  readonly #deps: ClientRegistrationsDeps;

  constructor(deps: ClientRegistrationsDeps) {
    this.#deps = deps;
  }

  /** Rejects with OAuthFailure. Two that register at the same time both work: the later registration is kept. */
  async identity(place: OAuthPlace, reach: OAuthReach): Promise<OAuthClientIdentity> {
    const { oauth, self, store } = this.#deps;
    const presented = self();
    const known = oauth.documentIdentity(place, presented) ?? (await this.#stored(place.issuer));
    if (known !== undefined) return known;
    const made = await oauth.register(place, presented, reach);
    const { redirectUrl } = presented;
    const sealed = this.#deps.seal.seal(placeOf(place.issuer), JSON.stringify(made));
    await store.write((tx) => tx.oauthClients.put({ issuer: place.issuer, redirectUrl, sealed }));
    return made;
  }

  /** The authorization server does not know svc any more. */
  async forget(issuer: string): Promise<void> {
    const { redirectUrl } = this.#deps.self();
    await this.#deps.store.write((tx) => tx.oauthClients.remove({ issuer, redirectUrl }));
  }

  /** Encrypts all with the newest key; what no key opens is left alone. */
  async reseal(): Promise<void> {
    const { store, seal } = this.#deps;
    for (let after: { readonly issuer: string; readonly redirectUrl: string } | undefined; ; ) {
      const rows = await store.direct.oauthClients.page('all', {}, { after, limit: PAGE });
      for (const { issuer, redirectUrl } of rows)
        await store.write(async (tx) => {
          const row = await tx.oauthClients.get({ issuer, redirectUrl });
          if (row === undefined || seal.isNewest(row.sealed)) return;
          const text = seal.open(placeOf(issuer), row.sealed);
          if (text !== undefined) await tx.oauthClients.put({ ...row, sealed: seal.seal(placeOf(issuer), text) });
        });
      if (rows.length < PAGE) return;
      after = rows.at(-1);
    }
  }

  async #stored(issuer: string): Promise<OAuthClientIdentity | undefined> {
    const { store, seal, self, clock } = this.#deps;
    const row = await store.direct.oauthClients.get({ issuer, redirectUrl: self().redirectUrl });
    const text = row === undefined ? undefined : seal.open(placeOf(issuer), row.sealed);
    if (text === undefined) return undefined;
    const identity = JSON.parse(text) as OAuthClientIdentity;
    const { secretExpiresAt } = identity;
    const isOver = secretExpiresAt > 0 && clock.nowMicros() / 1_000_000 > secretExpiresAt - MARGIN_SECONDS;
    return isOver ? undefined : identity;
  }
}

const placeOf = (issuer: string): string => `oauth-client/${issuer}`;
