import type { Authenticator, CallerGrant } from '../../auth/contract.ts';
import {
  AuditedAuthenticator,
  type AuthConfig,
  type CredentialMethod,
  JwksCredentials,
  type JwksRule,
  LimitedAuthenticator,
  ModeAuthenticator,
} from '../../auth/index.ts';
import type { Clock } from '../../base/index.ts';
import {
  AccessTokens,
  ApiKeyDirectory,
  apiKeyOperations,
  keySetRoute,
  TokenKeys,
  tokenOperations,
} from '../../features/platform/access/index.ts';
import type { HttpRoute, Operation } from '../../operations/index.ts';
import type { Config } from '../config/index.ts';
import type { AppParts } from './operations.ts';

export interface AccessParts {
  readonly authenticator: Authenticator;
  readonly operations: readonly Operation[];
  readonly routes: readonly HttpRoute[];
}

/** Every way to sign in, and the operations that make keys and tokens. Opens the signing key of the instance. */
export const openAccess = async ({ config, engines, resources }: AppParts): Promise<AccessParts> => {
  const { store, bus, clock, ids, random, log, secretKeys } = engines;
  const { audit, ancestry } = resources;
  const ancestorsOf = (namespace: string): readonly string[] => ancestry.ancestors(namespace);
  const apiKeys = new ApiKeyDirectory({ store, bus, clock, log });
  const keys = await TokenKeys.open({ store, seal: secretKeys.ring, dataDir: config.dataDir, log });
  const tokens = new AccessTokens({
    keys,
    clock,
    ids,
    issuer: config.publicUrl,
    requireLiveKey: (id) => apiKeys.requireLive(id),
  });
  const methods: readonly CredentialMethod[] = [
    (credential) => apiKeys.recognise(credential),
    (credential, place) => tokens.recognise(credential, place),
    ...jwksMethods(config, engines),
  ];
  const modes = new ModeAuthenticator(authConfig(config.auth), clock, methods);
  return {
    authenticator: limited(new AuditedAuthenticator(modes, { store, audit, clock, log }), config, clock),
    operations: [
      ...apiKeyOperations({ store, bus, clock, ids, random, audit, ancestorsOf }),
      ...tokenOperations({ store, clock, audit, ancestorsOf, tokens }),
    ],
    routes: [keySetRoute(keys)],
  };
};

const limited = (inner: Authenticator, { auth, transport }: Config, clock: Clock): Authenticator =>
  auth.failureLimit === 0
    ? inner
    : new LimitedAuthenticator(inner, { failures: auth.failureLimit, trustProxy: transport.trustProxy, clock });

const authConfig = ({ jwt, ...auth }: Config['auth']): AuthConfig =>
  jwt === undefined ? auth : { ...auth, jwt: { ...jwt, defaultGrants: jwt.defaultGrants.map(configuredGrant) } };

/** The configuration has refused grants without a role. */
const configuredGrant = ({
  role = 'viewer',
  readSecrets = false,
  ...scope
}: NonNullable<Config['auth']['jwt']>['defaultGrants'][number]): CallerGrant => ({ role, readSecrets, ...scope });

/** The key set is where the operator says, so that no guard of outbound addresses applies. */
const jwksMethods = ({ auth }: Config, { clock, log }: AppParts['engines']): readonly CredentialMethod[] => {
  if (!auth.modes.includes('jwks') || auth.jwks === undefined) return [];
  const jwks = { ...auth.jwks, rules: auth.jwks.rules.map(jwksRule) };
  const credentials = new JwksCredentials(jwks, { fetch: globalThis.fetch, clock, log });
  return [(credential, place) => credentials.recognise(credential, place)];
};

/** The configuration has refused rules without claim, value or role. */
const jwksRule = (rule: NonNullable<Config['auth']['jwks']>['rules'][number]): JwksRule => {
  const { claim = '', value = '', role = 'viewer', ...scope } = rule;
  return { claim, value, role, ...scope };
};
