import type { Config } from '../config/index.ts';

type ProviderSettings = Pick<
  Config['settings'],
  'auth.jwks.issuer' | 'auth.jwks.audience' | 'console.oidc.clientId' | 'console.oidc.scope' | 'console.oidc.origins'
>;

/** How the console signs people in at an OpenID provider. */
export interface ProviderSignIn {
  /** Address of the provider; its discovery document is below it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Of the token that this server takes. */
  readonly audience: string;
}

/** Undefined where no provider is set. */
export const providerSignIn = (settings: ProviderSettings): ProviderSignIn | undefined => {
  const { 'console.oidc.clientId': clientId, 'auth.jwks.issuer': issuer } = settings;
  if (clientId === undefined || issuer === undefined) return undefined;
  return { issuer, clientId, scope: settings['console.oidc.scope'], audience: settings['auth.jwks.audience'] };
};

/** Origins other than this server's from which the console fetches tokens. */
export const providerOrigins = (settings: ProviderSettings): readonly string[] => {
  const provider = providerSignIn(settings);
  const addresses = provider === undefined ? [] : [provider.issuer, ...settings['console.oidc.origins']];
  return addresses.map((address) => new URL(address).origin);
};
