import type { Authenticator, CallerGrant, Role } from '../../../auth/contract.ts';
import type { AuditAppender } from '../../../auth/index.ts';
import {
  AuditedAuthenticator,
  type AuthConfig,
  type CredentialMethod,
  JwksCredentials,
  LimitedAuthenticator,
  ModeAuthenticator,
} from '../../../auth/index.ts';
import type { Clock, Log } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';

/** A grant as it is configured; the configuration has refused those without a role. */
interface ConfiguredGrant extends Omit<CallerGrant, 'role' | 'readSecrets'> {
  readonly role?: Role;
  readonly readSecrets?: boolean;
}

/** A rule as it is configured; the configuration has refused those without claim, value or role. */
interface ConfiguredRule extends ConfiguredGrant {
  readonly claim?: string;
  readonly value?: string;
}

/** `auth.*` of the configuration. */
interface SignInConfig extends Omit<AuthConfig, 'jwt'> {
  /** Failed sign-ins of one address in a minute before it is slowed down; 0 = no limit. */
  readonly failureLimit: number;
  readonly jwt?: Omit<NonNullable<AuthConfig['jwt']>, 'defaultGrants'> & {
    readonly defaultGrants: readonly ConfiguredGrant[];
  };
  readonly jwks?: Omit<ConstructorParameters<typeof JwksCredentials>[0], 'rules'> & {
    readonly rules: readonly ConfiguredRule[];
  };
}

export interface SignInDeps {
  readonly config: SignInConfig;
  /** True when a proxy in front names the client's address. */
  readonly trustProxy: boolean;
  readonly store: Pick<Store, 'write'>;
  readonly audit: AuditAppender;
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the key set of the identity provider, which is where the operator says: no guard of outbound addresses applies. */
  readonly fetch: typeof globalThis.fetch;
}

/** Every configured way to sign in, and those of `methods`; failures are audited and slowed down. */
export const signIn = (deps: SignInDeps, methods: readonly CredentialMethod[]): Authenticator => {
  const { config, clock, trustProxy } = deps;
  const modes = new ModeAuthenticator(modesOf(config), clock, [...methods, ...jwksMethods(deps)]);
  const audited = new AuditedAuthenticator(modes, deps);
  return config.failureLimit === 0
    ? audited
    : new LimitedAuthenticator(audited, { failures: config.failureLimit, trustProxy, clock });
};

const modesOf = ({ jwt, ...modes }: SignInConfig): AuthConfig =>
  jwt === undefined ? modes : { ...modes, jwt: { ...jwt, defaultGrants: jwt.defaultGrants.map(grantOf) } };

const grantOf = ({ role = 'viewer', readSecrets = false, ...scope }: ConfiguredGrant): CallerGrant => ({
  role,
  readSecrets,
  ...scope,
});

const jwksMethods = ({ config, fetch, clock, log }: SignInDeps): readonly CredentialMethod[] => {
  if (!config.modes.includes('jwks') || config.jwks === undefined) return [];
  const rules = config.jwks.rules.map(({ claim = '', value = '', role = 'viewer', ...scope }) => ({
    claim,
    value,
    role,
    ...scope,
  }));
  const credentials = new JwksCredentials({ ...config.jwks, rules }, { fetch, clock, log });
  return [(credential, place) => credentials.recognise(credential, place)];
};
