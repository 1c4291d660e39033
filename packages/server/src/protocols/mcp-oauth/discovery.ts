import type { OAuthServerInfo } from '@modelcontextprotocol/client';
import { OAuthFailure, type OAuthPlace } from './contract.ts';
import type { Exchanges } from './exchanges.ts';
import { failure } from './oauth-failures.ts';
import { requireSecure } from './secure-endpoints.ts';

/** What of the metadata is used later; the rest is not kept. */
const KEPT = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'client_id_metadata_document_supported',
  'authorization_response_iss_parameter_supported',
] as const;

/** The scope that makes some authorization servers give refresh tokens. */
const OFFLINE = 'offline_access';

/** A request that does nothing: the server refuses it with where people sign in. */
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

interface Discovery {
  readonly library: typeof import('@modelcontextprotocol/client');
  readonly exchanges: Exchanges;
}

/** Where people sign in for the server, by RFC 9728 and RFC 8414, with everything checked that can be. */
export const discoverPlace = async (
  { library, exchanges }: Discovery,
  server: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<OAuthPlace> => {
  const challenge = await challengeOf({ library, exchanges }, server);
  const info = await library.discoverOAuthServerInfo(server.url, {
    fetchFn: exchanges.fetch,
    ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  });
  const metadata = checkedMetadata(info, exchanges);
  const { resourceMetadata } = info;
  const resource = resourceMetadata?.resource ?? library.resourceUrlFromServerUrl(server.url).href;
  if (!library.checkResourceAllowed({ requestedResource: server.url, configuredResource: resource }))
    throw new OAuthFailure('malformed', 'the server says that its tokens are for another server');
  const scope = challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ') ?? '';
  return { issuer: String(metadata['issuer']), resource, scope: withOffline(scope, info), metadata };
};

/** What the server says when it is asked without a token; nothing where it does not say. */
const challengeOf = async (
  { library, exchanges }: Discovery,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> => {
  const sent = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await exchanges.headersOf(url, { method: 'POST', headers: sent, body: PING }).catch((error) => {
    if (error instanceof OAuthFailure) throw error;
    exchanges.problem ??= error instanceof Error ? error : new Error(String(error));
    throw new OAuthFailure('unreachable', 'the MCP server could not be reached', { cause: error });
  });
  return response.status === 401 ? library.extractWWWAuthenticateParams(response) : {};
};

const checkedMetadata = (
  { authorizationServerMetadata }: OAuthServerInfo,
  exchanges: Exchanges,
): Readonly<Record<string, unknown>> => {
  if (authorizationServerMetadata === undefined) {
    if (exchanges.problem !== undefined) throw failure('unreachable', exchanges.problem);
    throw new OAuthFailure('unsupported', 'the server does not say where people sign in for it');
  }
  const all = authorizationServerMetadata as unknown as Readonly<Record<string, unknown>>;
  const metadata = Object.fromEntries(KEPT.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
  requireSecure(String(metadata['authorization_endpoint']));
  requireSecure(String(metadata['token_endpoint']));
  const methods = metadata['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256'))
    throw new OAuthFailure('unsupported', 'the authorization server does not say that it supports PKCE with S256');
  return metadata;
};

const withOffline = (scope: string, { authorizationServerMetadata }: OAuthServerInfo): string => {
  const { scopes_supported: offered = [] } = (authorizationServerMetadata ?? {}) as { scopes_supported?: string[] };
  const scopes = scope.split(' ').filter((one) => one !== '');
  return offered.includes(OFFLINE) && !scopes.includes(OFFLINE) ? [...scopes, OFFLINE].join(' ') : scopes.join(' ');
};
