import type { AuthorizationServerMetadata, OAuthTokens as LibraryTokens } from '@modelcontextprotocol/client';
import { clientDocument, registeredMetadata } from './client-metadata.ts';
import {
  type McpOAuth,
  type OAuthClientIdentity,
  OAuthFailure,
  type OAuthPlace,
  type OAuthReach,
  type OAuthSelf,
  type OAuthTokens,
} from './contract.ts';
import { discoverPlace } from './discovery.ts';
import { Exchanges, type ExchangesDeps } from './exchanges.ts';
import { oauthFailureOf } from './oauth-failures.ts';
import { requireSecure } from './secure-endpoints.ts';

type Library = typeof import('@modelcontextprotocol/client');

/** Longest token that is kept; those in use are below 10 KiB. */
const TOKEN_CHARACTERS_MAX = 64 * 1024;
const VISIBLE = /^[\x21-\x7e]+$/;

/** Tokens of authorization servers by the official library. */
export const createMcpOAuth = (deps: ExchangesDeps): McpOAuth => new OAuthClient(deps);

class OAuthClient implements McpOAuth {
  readonly #deps: ExchangesDeps;

  constructor(deps: ExchangesDeps) {
    this.#deps = deps;
  }

  discover(server: Parameters<McpOAuth['discover']>[0], reach: OAuthReach): Promise<OAuthPlace> {
    return this.#step(reach, (library, exchanges) => discoverPlace({ library, exchanges }, server));
  }

  documentIdentity({ metadata }: OAuthPlace, { documentUrl }: OAuthSelf): OAuthClientIdentity | undefined {
    const isTaken = metadata['client_id_metadata_document_supported'] === true;
    if (!isTaken || new URL(documentUrl).protocol !== 'https:') return undefined;
    return { clientId: documentUrl, secretExpiresAt: 0 };
  }

  document(self: OAuthSelf): Readonly<Record<string, unknown>> {
    return clientDocument(self);
  }

  register(place: OAuthPlace, self: OAuthSelf, reach: OAuthReach): Promise<OAuthClientIdentity> {
    return this.#step(reach, async ({ registerClient }, { fetch: fetchFn }) => {
      const endpoint = place.metadata['registration_endpoint'];
      if (typeof endpoint !== 'string')
        throw new OAuthFailure('unsupported', 'the authorization server lets no client register itself');
      requireSecure(endpoint);
      const metadata = metadataOf(place);
      const found = await registerClient(place.issuer, {
        metadata,
        clientMetadata: registeredMetadata(self, place),
        fetchFn,
        ...(place.scope === '' ? {} : { scope: place.scope }),
      });
      const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: secretExpiresAt = 0 } = found;
      return { clientId, secretExpiresAt, ...(clientSecret === undefined ? {} : { clientSecret }) };
    });
  }

  async begin(
    place: OAuthPlace,
    client: OAuthClientIdentity,
    { redirectUrl, state }: { readonly redirectUrl: string; readonly state: string },
  ): Promise<{ readonly url: string; readonly verifier: string }> {
    const { startAuthorization } = await import('@modelcontextprotocol/client');
    const { authorizationUrl, codeVerifier } = await startAuthorization(place.issuer, {
      metadata: metadataOf(place),
      clientInformation: informationOf(client),
      redirectUrl,
      state,
      resource: place.resource,
      ...(place.scope === '' ? {} : { scope: place.scope }),
    });
    return { url: authorizationUrl.href, verifier: codeVerifier };
  }

  async requireIssuer({ issuer, metadata }: OAuthPlace, iss: string | undefined): Promise<void> {
    const { validateAuthorizationResponseIssuer } = await import('@modelcontextprotocol/client');
    const issParameterSupported = metadata['authorization_response_iss_parameter_supported'] === true;
    try {
      validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported });
    } catch (error) {
      throw oauthFailureOf(error, { problem: undefined });
    }
  }

  exchange(
    place: OAuthPlace,
    client: OAuthClientIdentity,
    { code, iss, verifier, redirectUrl, ...reach }: Parameters<McpOAuth['exchange']>[2],
  ): Promise<OAuthTokens> {
    return this.#step(reach, async ({ exchangeAuthorization }, { fetch: fetchFn }) =>
      tokensOf(
        await exchangeAuthorization(place.issuer, {
          metadata: metadataOf(place),
          clientInformation: informationOf(client),
          authorizationCode: code,
          codeVerifier: verifier,
          redirectUri: redirectUrl,
          resource: place.resource,
          fetchFn,
          ...(iss === undefined ? {} : { iss }),
        }),
      ),
    );
  }

  refresh(
    place: OAuthPlace,
    client: OAuthClientIdentity,
    { refreshToken, ...reach }: Parameters<McpOAuth['refresh']>[2],
  ): Promise<OAuthTokens> {
    return this.#step(reach, async ({ refreshAuthorization }, { fetch: fetchFn }) =>
      tokensOf(
        await refreshAuthorization(place.issuer, {
          metadata: metadataOf(place),
          clientInformation: informationOf(client),
          refreshToken,
          resource: place.resource,
          fetchFn,
        }),
      ),
    );
  }

  async revoke(
    place: OAuthPlace,
    { clientId, clientSecret }: OAuthClientIdentity,
    { token, ...reach }: Parameters<McpOAuth['revoke']>[2],
  ): Promise<void> {
    const endpoint = place.metadata['revocation_endpoint'];
    if (typeof endpoint !== 'string') return;
    requireSecure(endpoint);
    await this.#step(reach, async (_library, exchanges) => {
      const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
      const body = new URLSearchParams({ token, client_id: clientId, ...secret });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { ok } = await exchanges.fetch(endpoint, { method: 'POST', headers, body: body.toString() });
      if (!ok) throw new OAuthFailure('rejected', 'the authorization server did not revoke the token');
    });
  }

  async #step<T>(reach: OAuthReach, work: (library: Library, exchanges: Exchanges) => Promise<T>): Promise<T> {
    const library = await import('@modelcontextprotocol/client');
    const exchanges = new Exchanges(this.#deps, reach);
    try {
      return await work(library, exchanges);
    } catch (error) {
      if (reach.signal?.aborted === true) throw reach.signal.reason;
      throw oauthFailureOf(error, exchanges);
    } finally {
      exchanges.end();
    }
  }
}

/** What discovery has checked. */
const metadataOf = ({ metadata }: OAuthPlace): AuthorizationServerMetadata =>
  metadata as unknown as AuthorizationServerMetadata;

const informationOf = ({ clientId, clientSecret }: OAuthClientIdentity) => ({
  client_id: clientId,
  ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
});

const tokensOf = (tokens: LibraryTokens): OAuthTokens => {
  const { access_token: accessToken, refresh_token: refreshToken = '', expires_in: expiresInSeconds } = tokens;
  const isToken = (text: string): boolean => text.length <= TOKEN_CHARACTERS_MAX && VISIBLE.test(text);
  if (!isToken(accessToken) || (refreshToken !== '' && !isToken(refreshToken)))
    throw new OAuthFailure('malformed', 'the authorization server answered without a token that can be sent');
  if (tokens.token_type.toLowerCase() !== 'bearer')
    throw new OAuthFailure('unsupported', 'the authorization server gave a token of another type than Bearer');
  return { accessToken, refreshToken, expiresInSeconds, scope: tokens.scope ?? '' };
};
