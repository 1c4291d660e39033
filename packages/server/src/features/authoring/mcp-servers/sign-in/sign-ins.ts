import { createHash } from 'node:crypto';
import type { Random } from '../../../../base/index.ts';
import { type AppendAudit, systemOrigin } from '../../../../controllers/contract.ts';
import {
  type McpOAuth,
  type OAuthClientIdentity,
  OAuthFailure,
  type OAuthPlace,
  type OAuthReach,
  type OAuthSelf,
  type OAuthTokens,
} from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { McpSignInRow, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { type Begun, type BegunSecrets, openSecrets, sealSecrets } from './begun-sign-in.ts';
import type { ClientRegistrations } from './client-registrations.ts';
import { type GrantKey, grantId, questionKey } from './grant-key.ts';
import { type Grants, type GrantTarget, tokenTimes } from './grants.ts';
import { coversScopes, joinScopes } from './scope-rules.ts';
import { queueResume } from './waiting-turns.ts';

export interface SignInsDeps {
  readonly store: Pick<Store, 'direct' | 'write' | 'now'>;
  readonly seal: ValueSeal;
  readonly grants: Grants;
  readonly registrations: Pick<ClientRegistrations, 'identity' | 'forget'>;
  readonly oauth: Pick<McpOAuth, 'discover' | 'begin' | 'requireIssuer' | 'exchange'>;
  readonly random: Pick<Random, 'fill'>;
  readonly audit: AppendAudit;
  readonly self: () => OAuthSelf;
  /** `requests.timeoutSeconds` in milliseconds: how long a person may take. */
  readonly timeoutMs: number;
  /** Has due items of the queue noticed at once. */
  readonly wake: () => void;
}

/** What a sign-in is for. */
export interface SignInSubject {
  readonly key: GrantKey;
  readonly server: string;
  readonly serverNamespace: string;
  readonly isTrusted: boolean;
  readonly target: GrantTarget;
  /** Sent to the server when it is asked where people sign in; throws a Fault for a secret that does not resolve. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** The client that was registered by hand; undefined where none is declared. Throws a Fault for a secret that does not resolve. */
  client(): Promise<DeclaredClient | undefined>;
}

/** A client that was registered at the authorization server by hand. */
export interface DeclaredClient extends Pick<OAuthClientIdentity, 'clientId' | 'clientSecret'> {
  /** The only authorization server that may learn of it; '' = the one that the server names. */
  readonly issuer: string;
}

/** A sign-in for more than the scopes that the server names for everyone. */
export interface FurtherScopes {
  readonly scope: string;
  /** Epoch of the grant that has too few. */
  readonly beyond: number;
}

/** What a person opens, and the key of the question for it. */
export interface OpenSignIn {
  readonly url: string;
  readonly question: string;
  /** Unix micros. */
  readonly expiresAt: number;
}

/** How a browser came back. */
export interface SignInAnswer {
  readonly state: string;
  readonly code: string;
  readonly iss: string | undefined;
  /** Error of the authorization server; '' = none. */
  readonly error: string;
}

export type SignInOutcome =
  | { readonly kind: 'done' | 'already' | 'refused'; readonly server: string }
  | { readonly kind: 'failed'; readonly server: string; readonly failure: OAuthFailure }
  | { readonly kind: 'unknown' };

const STATE_BYTES = 32;
/** 32 bytes as base64url. */
const STATE = /^[A-Za-z0-9_-]{43}$/;
const CODE_CHARACTERS_MAX = 8_192;
/** How long an address is shown again to further calls of the same person, instead of another one. */
const REUSE_MICROS = 3_600_000_000;
/** How long one that was used is remembered, for a page that is loaded again. */
const DONE_MICROS = 600_000_000;
const PAGE = 100;

const hashOf = (state: string): string => createHash('sha256').update(state).digest('hex');

/** Sign-ins of people at authorization servers: each begins with an address and ends at the callback, on any node. */
export class SignIns {
  readonly #deps: SignInsDeps;

  constructor(deps: SignInsDeps) {
    this.#deps = deps;
  }

  /** The address at which the person signs in; that of an hour ago at most is used again. Rejects with OAuthFailure or a Fault. */
  async begin(subject: SignInSubject, signal?: AbortSignal, more?: FurtherScopes): Promise<OpenSignIn> {
    const declared = await subject.client();
    const clientId = declared?.clientId;
    const open = await this.#openOne(subject, { clientId, more });
    if (open !== undefined) return open;
    const { oauth, random, self, store } = this.#deps;
    const { isTrusted, target, key } = subject;
    const reach = { isTrusted, ...(signal === undefined ? {} : { signal }) };
    const found = await oauth.discover({ url: target.url, headers: await subject.headers() }, reach);
    const scope = more === undefined ? '' : await this.#widened(subject, more);
    const place = { ...found, scope: joinScopes(found.scope, scope) };
    const client = await this.#client(place, declared, reach);
    const state = Buffer.from(random.fill(new Uint8Array(STATE_BYTES))).toString('base64url');
    const { redirectUrl } = self();
    const { url, verifier } = await oauth.begin(place, client, { redirectUrl, state });
    const stateHash = hashOf(state);
    const sealed = sealSecrets(this.#deps.seal, stateHash, { url, verifier, place, client, redirectUrl });
    const { server, serverNamespace } = subject;
    const expiresAt = await store.write(async (tx) => {
      const begun: Begun = {
        key,
        server,
        serverNamespace,
        isTrusted,
        target,
        begunAt: tx.now(),
        isDone: false,
        ...(scope === '' ? {} : { scope }),
        ...(clientId === undefined ? {} : { clientId }),
      };
      const until = this.#until(tx);
      await tx.mcpSignIns.put({
        stateHash,
        grantId: grantId(key),
        expiresAt: until,
        sealed,
        body: JSON.stringify(begun),
      });
      return until;
    });
    return { url, question: questionKey(key, stateHash, more?.beyond), expiresAt };
  }

  /** What a browser brought back from an authorization server. Everything that follows from it is one transaction. */
  async complete(answer: SignInAnswer): Promise<SignInOutcome> {
    const row = await this.#find(answer.state);
    const begun = row === undefined ? undefined : (JSON.parse(row.body) as Begun);
    if (row === undefined || begun === undefined) return { kind: 'unknown' };
    const { server } = begun;
    if (begun.isDone) return { kind: 'already', server };
    const secrets = openSecrets(this.#deps.seal, row);
    if (secrets === undefined) return { kind: 'unknown' };
    try {
      await this.#deps.oauth.requireIssuer(secrets.place, answer.iss);
      if (answer.error !== '' || answer.code === '') return { kind: 'refused', server };
      const tokens = await this.#exchange(begun, secrets, answer);
      return { kind: await this.#store(row.stateHash, secrets, tokens), server };
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      // The same answer may have come twice: the second one finds its code spent.
      const now = await this.#find(answer.state);
      if (now !== undefined && (JSON.parse(now.body) as Begun).isDone) return { kind: 'already', server };
      if (error.kind === 'client') await this.#forget(row, secrets);
      return { kind: 'failed', server, failure: error };
    }
  }

  /** Removes what expired; answers whether more may be left. */
  async trim(): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const rows = await tx.mcpSignIns.page('oldest', {}, { limit: PAGE });
      const over = rows.filter(({ expiresAt }) => expiresAt <= tx.now());
      for (const { stateHash } of over) await tx.mcpSignIns.remove({ stateHash });
      return over.length === PAGE;
    });
  }

  #until(tx: Pick<WriteTx, 'now'>): number {
    return tx.now() + this.#deps.timeoutMs * 1_000;
  }

  /** The newest address that may still be opened; it counts as long as a request that begins now. */
  async #openOne(
    { key, target }: SignInSubject,
    { clientId, more }: { readonly clientId: string | undefined; readonly more: FurtherScopes | undefined },
  ): Promise<OpenSignIn | undefined> {
    const { store, seal } = this.#deps;
    const equal = { grantId: grantId(key) };
    const rows = await store.direct.mcpSignIns.page('ofGrant', equal, { limit: PAGE });
    const found = rows.find((row) => {
      const { isDone, begunAt, target: known, scope = '', ...begun } = JSON.parse(row.body) as Begun;
      const isPlace = known.url === target.url && known.namespaceUid === target.namespaceUid;
      const isSame = isPlace && begun.clientId === clientId && coversScopes(scope, more?.scope ?? '');
      return isSame && !isDone && row.expiresAt > store.now() && store.now() - begunAt < REUSE_MICROS;
    });
    const secrets = found === undefined ? undefined : openSecrets(seal, found);
    if (found === undefined || secrets === undefined || secrets.redirectUrl !== this.#deps.self().redirectUrl)
      return undefined;
    const { stateHash } = found;
    const expiresAt = await store.write(async (tx) => {
      const row = await tx.mcpSignIns.get({ stateHash });
      if (row === undefined || (JSON.parse(row.body) as Begun).isDone) return undefined;
      const until = this.#until(tx);
      await tx.mcpSignIns.put({ ...row, expiresAt: until });
      return until;
    });
    if (expiresAt === undefined) return undefined;
    return { url: secrets.url, question: questionKey(key, stateHash, more?.beyond), expiresAt };
  }

  /** With the scopes that were granted before, so that the next grant is not without those. */
  async #widened({ key }: SignInSubject, { scope }: FurtherScopes): Promise<string> {
    const before = await this.#deps.grants.find(this.#deps.store.direct, key);
    return joinScopes(before?.state === 'active' ? before.scope : '', scope);
  }

  /** A declared client is shown to no other authorization server than its own. */
  async #client(
    place: OAuthPlace,
    declared: DeclaredClient | undefined,
    reach: OAuthReach,
  ): Promise<OAuthClientIdentity> {
    if (declared === undefined) return this.#deps.registrations.identity(place, reach);
    const { issuer, ...client } = declared;
    if (issuer !== '' && issuer !== place.issuer)
      throw new OAuthFailure('issuer', 'the declared client is one of another authorization server');
    return { ...client, secretExpiresAt: 0 };
  }

  async #find(state: string): Promise<McpSignInRow | undefined> {
    const { store } = this.#deps;
    const row = STATE.test(state) ? await store.direct.mcpSignIns.get({ stateHash: hashOf(state) }) : undefined;
    return row !== undefined && row.expiresAt > store.now() ? row : undefined;
  }

  /** The authorization server does not know the client in the address, so that address can never work: the next sign-in gets another one. */
  async #forget({ stateHash }: McpSignInRow, { place }: BegunSecrets): Promise<void> {
    const { registrations, store } = this.#deps;
    await registrations.forget(place.issuer);
    await store.write((tx) => tx.mcpSignIns.remove({ stateHash }));
  }

  #exchange({ isTrusted }: Begun, secrets: BegunSecrets, { code, iss }: SignInAnswer): Promise<OAuthTokens> {
    if (code.length > CODE_CHARACTERS_MAX) throw new OAuthFailure('malformed', 'the code is too long');
    const { place, client, verifier, redirectUrl } = secrets;
    return this.#deps.oauth.exchange(place, client, { code, iss, verifier, redirectUrl, isTrusted });
  }

  /** Grant, spent address, wake of the waiting turns and audit record: all of them or none. */
  #store(stateHash: string, { place, client }: BegunSecrets, tokens: OAuthTokens): Promise<'done' | 'already'> {
    const { store, grants, audit, wake } = this.#deps;
    return store.write(async (tx) => {
      const row = await tx.mcpSignIns.get({ stateHash });
      const begun = row === undefined ? undefined : (JSON.parse(row.body) as Begun);
      if (row === undefined || begun === undefined || begun.isDone) return 'already';
      const { key, server, serverNamespace, isTrusted, target } = begun;
      const before = await grants.find(tx, key);
      const now = tx.now();
      await grants.put(
        tx,
        {
          key,
          state: 'active',
          server,
          serverNamespace,
          isTrusted,
          target,
          issuer: place.issuer,
          signedInAt: now,
          ...tokenTimes(tokens, now),
          scope: tokens.scope === '' ? place.scope : tokens.scope,
          epoch: (before?.epoch ?? 0) + 1,
          version: (before?.version ?? 0) + 1,
        },
        { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, client, place },
      );
      const done: Begun = { ...begun, isDone: true };
      await tx.mcpSignIns.put({ ...row, sealed: '', expiresAt: now + DONE_MICROS, body: JSON.stringify(done) });
      await queueResume(tx, key);
      tx.afterCommit(wake);
      const origin = { ...systemOrigin('SignIn'), caller: { identity: key.identity === '' ? 'system' : key.identity } };
      const name = `McpServer/${serverNamespace}/${server}`;
      await audit(tx, origin, { target: name, namespace: key.namespace, resourceVersion: '', outcome: 'signed-in' });
      return 'done';
    });
  }
}
