import { isLoopbackHost } from '../../base/network/index.ts';
import type { OAuthPlace, OAuthSelf } from './contract.ts';

/** What svc tells authorization servers about itself. */
const commonMetadata = ({ redirectUrl, softwareVersion }: OAuthSelf) => ({
  client_name: 'svc',
  client_uri: new URL('/', redirectUrl).href,
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  application_type: isLoopbackHost(new URL(redirectUrl).hostname.replace(/^\[|\]$/g, '')) ? 'native' : 'web',
  software_id: 'svc',
  software_version: softwareVersion,
});

/** The client metadata document, which is its own client id. */
export const clientDocument = (self: OAuthSelf) => ({
  client_id: self.documentUrl,
  ...commonMetadata(self),
  token_endpoint_auth_method: 'none',
});

/** What is registered: without a secret where the authorization server knows such clients. */
export const registeredMetadata = (self: OAuthSelf, { metadata }: OAuthPlace) => {
  const offered = metadata['token_endpoint_auth_methods_supported'];
  const methods: readonly unknown[] = Array.isArray(offered) ? offered : ['client_secret_basic'];
  const method = ['none', 'client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one));
  return { ...commonMetadata(self), token_endpoint_auth_method: method ?? 'none' };
};
