import type { Clock, Ids, Log } from '../../../../base/index.ts';
import { type McpAuthorization, McpFailure } from '../../../../protocols/mcp/contract.ts';
import { type McpOAuth, OAuthFailure } from '../../../../protocols/mcp-oauth/contract.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import type { ClientRegistrations } from './client-registrations.ts';
import { type GrantKey, grantId } from './grant-key.ts';
import { type Grant, type GrantSecrets, type Grants, tokenTimes } from './grants.ts';
import { SignInNeeded } from './sign-in-needed.ts';

export interface AccessTokensDeps {
  readonly store: Pick<Store, 'direct' | 'write' | 'now'>;
  readonly grants: Grants;
  readonly registrations: Pick<ClientRegistrations, 'forget'>;
  readonly oauth: Pick<McpOAuth, 'refresh'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Ids;
  readonly log: Pick<Log, 'info'>;
}

/** A grant as one connection uses it: that of this sign-in and of no later one. */
export interface GrantUse {
  readonly key: GrantKey;
  readonly epoch: number;
}

type Opened = Grant & { readonly secrets: GrantSecrets };

/** How long before its end a token is replaced; a quarter of its life where that is shorter. */
const MARGIN_MICROS = 60_000_000;
/** Longer than a request for a token may take: a node that takes over a lease that lapsed finds no request under way. */
const LEASE_MICROS = 30_000_000;
/** How often, and how many times, the store is read for the token that another node gets: until the lease of that node has lapsed. */
const READ_MS = 200;
const READS = 175;

/**
 * Access tokens of grants, refreshed by one node at a time: authorization servers take a refresh token once, and revoke the grant when it
 * comes twice. Who refreshes holds a lease and writes only while it does; everyone else reads the result from the store.
 */
export class AccessTokens {
  readonly #deps: AccessTokensDeps;
  /** One refresh of a grant at a time in this process. */
  readonly #refreshing = new Map<string, Promise<Opened>>();

  constructor(deps: AccessTokensDeps) {
    this.#deps = deps;
  }

  /** Tokens for the requests of one connection. They reject with SignInNeeded once the grant is not that of this sign-in any more. */
  authorization(use: GrantUse): McpAuthorization {
    let sent = '';
    return {
      token: async () => {
        const grant = await this.#current(use);
        const isDue = grant.expiresAt > 0 && this.#now >= grant.expiresAt - marginOf(grant);
        sent = (isDue ? await this.#renewed(use, grant) : grant).secrets.accessToken;
        return sent;
      },
      rejected: async () => {
        const grant = await this.#current(use);
        if (grant.secrets.accessToken === sent) await this.#refresh(use, grant);
      },
    };
  }

  /** The server refuses the newest token: from now on there is none, unless the person signed in again meanwhile. */
  async revoke({ key, epoch }: GrantUse): Promise<void> {
    const { store, grants, log } = this.#deps;
    await store.write(async (tx) => {
      const grant = await grants.find(tx, key);
      if (grant?.state !== 'active' || grant.epoch !== epoch) return;
      await grants.revoke(tx, grant);
      const { server, serverNamespace } = grant;
      tx.afterCommit(() =>
        log.info('an MCP server ended a sign-in', { namespace: key.namespace, server, serverNamespace }),
      );
    });
  }

  get #now(): number {
    return this.#deps.store.now();
  }

  async #current({ key, epoch }: GrantUse): Promise<Opened> {
    const { store, grants } = this.#deps;
    const grant = await grants.open(store.direct, key);
    if (grant === undefined || grant.epoch !== epoch) throw new SignInNeeded();
    return grant;
  }

  /** The next token; the one at hand while it still counts and the authorization server cannot be reached. */
  async #renewed(use: GrantUse, grant: Opened): Promise<Opened> {
    const isValid = (): boolean => this.#now < grant.expiresAt;
    if (grant.secrets.refreshToken === '' && isValid()) return grant;
    try {
      return await this.#refresh(use, grant);
    } catch (error) {
      if (error instanceof SignInNeeded || !isValid()) throw error;
      return grant;
    }
  }

  #refresh(use: GrantUse, stale: Opened): Promise<Opened> {
    const id = grantId(use.key);
    let refreshing = this.#refreshing.get(id);
    if (refreshing === undefined) {
      refreshing = this.#refreshAlone(use, stale).finally(() => this.#refreshing.delete(id));
      this.#refreshing.set(id, refreshing);
    }
    return refreshing;
  }

  async #refreshAlone(use: GrantUse, stale: Opened): Promise<Opened> {
    if (stale.secrets.refreshToken === '') return this.#lost(use);
    const lease = { name: `mcp-grant/${grantId(use.key)}`, owner: this.#deps.ids.next() };
    for (let read = 0; read < READS; read++) {
      const held = await this.#acquire(use, lease, stale.version);
      if (held === 'newer') return this.#current(use);
      if (held === 'mine') return this.#refreshHeld(use, lease);
      await this.#later();
    }
    throw new McpFailure('timeout', 'another node did not refresh the token in time');
  }

  /** Takes the lease, unless what was read is old by now: that is seen in the same transaction. */
  #acquire(
    use: GrantUse,
    { name, owner }: { readonly name: string; readonly owner: string },
    version: number,
  ): Promise<'mine' | 'taken' | 'newer'> {
    const { store, grants } = this.#deps;
    return store.write(async (tx) => {
      const grant = await grants.find(tx, use.key);
      if (grant?.version !== version) return 'newer';
      return (await tx.leases.acquire(name, owner, tx.steadyNow(), LEASE_MICROS)) ? 'mine' : 'taken';
    });
  }

  async #refreshHeld(use: GrantUse, lease: { readonly name: string; readonly owner: string }): Promise<Opened> {
    const { store, oauth, registrations } = this.#deps;
    try {
      const before = await this.#current(use);
      const { place, client, refreshToken } = before.secrets;
      const tokens = await oauth
        .refresh(place, client, { refreshToken, isTrusted: before.isTrusted })
        .catch(async (error: unknown) => {
          if (error instanceof OAuthFailure && error.kind === 'client') await registrations.forget(place.issuer);
          throw error;
        });
      const secrets = { ...before.secrets, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken };
      await store.write((tx) => this.#save(tx, lease, { before, secrets, times: tokenTimes(tokens, tx.now()) }));
      return await this.#current(use);
    } catch (error) {
      await store.write((tx) => tx.leases.release(lease.name, lease.owner));
      if (!(error instanceof OAuthFailure)) throw error;
      if (error.kind === 'client' || error.kind === 'grant') return this.#lost(use);
      throw new McpFailure(error.kind === 'unreachable' ? 'connect' : 'auth', error.message, { cause: error });
    }
  }

  /** Written only by the holder of the lease, over what it read: what came meanwhile is newer. */
  async #save(
    tx: WriteTx,
    { name, owner }: { readonly name: string; readonly owner: string },
    next: { readonly before: Opened; readonly secrets: GrantSecrets; readonly times: ReturnType<typeof tokenTimes> },
  ): Promise<void> {
    const { grants } = this.#deps;
    const { secrets: _former, ...before } = next.before;
    const stored = await grants.find(tx, before.key);
    const isMine = await tx.leases.acquire(name, owner, tx.steadyNow(), LEASE_MICROS);
    if (isMine && stored?.version === before.version)
      await grants.put(tx, { ...before, ...next.times, version: before.version + 1 }, next.secrets);
    await tx.leases.release(name, owner);
  }

  async #lost(use: GrantUse): Promise<never> {
    await this.revoke(use);
    throw new SignInNeeded();
  }

  #later(): Promise<void> {
    return new Promise((resolve) => void this.#deps.clock.after(READ_MS, resolve));
  }
}

const marginOf = ({ expiresAt, refreshedAt }: Grant): number => Math.min(MARGIN_MICROS, (expiresAt - refreshedAt) / 4);
