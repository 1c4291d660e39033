import type { Clock } from '../base/index.ts';
import type { Authenticator, Caller, CredentialCarrier } from './contract.ts';
import {
  type Credential,
  credentialsInvalid,
  credentialsMissing,
  isSameSecret,
  parseAuthorization,
} from './credentials.ts';
import { isJwtCredential, type JwtOptions, verifyJwt } from './jwt-credentials.ts';

type AuthMode = 'none' | 'token' | 'password' | 'jwt' | 'jwks';

/** `auth.*` of the configuration. */
export interface AuthConfig {
  readonly modes: readonly AuthMode[];
  readonly token?: string;
  readonly password?: string;
  readonly jwt?: JwtOptions;
}

/** How a credential arrived: as a bearer token, or in `x-api-key`, which holds API keys only. */
export type CredentialPlace = 'bearer' | 'api-key';

/** Another kind of credential in addition to the configured modes, such as API keys; undefined = not recognised. */
export type CredentialMethod = (token: string, place: CredentialPlace) => Caller | Promise<Caller> | undefined;

const everything = (identity: string, mode: Caller['mode']): Caller =>
  Object.freeze({
    identity,
    subject: identity,
    mode,
    grants: Object.freeze([{ role: 'admin', readSecrets: true } as const]),
  });

const ANONYMOUS = everything('anonymous', 'none');
const TOKEN = everything('token', 'token');
const PASSWORD = everything('password', 'password');

/** Authenticates by the configured modes; the first that recognises the credential decides. */
export class ModeAuthenticator implements Authenticator {
  readonly #config: AuthConfig;
  readonly #clock: Clock;
  readonly #methods: readonly CredentialMethod[];

  constructor(config: AuthConfig, clock: Clock, methods: readonly CredentialMethod[] = []) {
    this.#config = config;
    this.#clock = clock;
    this.#methods = methods;
  }

  authenticate(carrier: CredentialCarrier): Caller | Promise<Caller> {
    if (this.#config.modes.includes('none')) return ANONYMOUS;
    const header = carrier.header('authorization');
    if (header !== undefined) return this.#recognise(parseAuthorization(header));
    const key = carrier.header('x-api-key');
    if (key === undefined) throw credentialsMissing();
    return this.#byMethod(key, 'api-key') ?? fail();
  }

  #recognise(credential: Credential): Caller | Promise<Caller> {
    if (credential.scheme === 'basic') return this.#byPassword(credential.password) ?? fail();
    const { token } = credential;
    for (const mode of this.#config.modes) {
      const caller = this.#byMode(mode, token);
      if (caller !== undefined) return caller;
    }
    return this.#byMethod(token, 'bearer') ?? fail();
  }

  #byMode(mode: AuthMode, token: string): Caller | undefined {
    const { token: expected, jwt } = this.#config;
    if (mode === 'token' && expected !== undefined && isSameSecret(token, expected)) return TOKEN;
    if (mode === 'jwt' && jwt !== undefined && isJwtCredential(token)) return verifyJwt(token, jwt, this.#clock);
    return undefined;
  }

  #byPassword(password: string): Caller | undefined {
    const expected = this.#config.modes.includes('password') ? this.#config.password : undefined;
    return expected !== undefined && isSameSecret(password, expected) ? PASSWORD : undefined;
  }

  #byMethod(token: string, place: CredentialPlace): Caller | Promise<Caller> | undefined {
    for (const method of this.#methods) {
      const caller = method(token, place);
      if (caller !== undefined) return caller;
    }
    return undefined;
  }
}

const fail = (): never => {
  throw credentialsInvalid();
};
