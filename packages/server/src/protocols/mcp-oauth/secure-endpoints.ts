import { isLoopbackHost } from '../../base/network/index.ts';
import { OAuthFailure } from './contract.ts';

/** Credentials go over TLS, or stay on this machine. Throws OAuthFailure. */
export const requireSecure = (url: string): void => {
  if (URL.canParse(url)) {
    const { protocol, hostname } = new URL(url);
    const isLocal = isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
    if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return;
  }
  throw new OAuthFailure('unsupported', 'an endpoint of the authorization server is not https');
};
