import { createHash } from 'node:crypto';
import type { errors, JWTPayload } from 'jose';
import { BoundedCache, Fault } from '../../base/index.ts';
import type { Caller } from '../contract.ts';
import { credentialsExpired, credentialsInvalid, subjectIdentity } from '../credentials.ts';
import { TOKEN_SKEW_SECONDS } from '../jwt-credentials.ts';
import type { CredentialPlace } from '../mode-authenticator.ts';
import { expiryMicros, grantMissing, grantsOfClaims, tokenHead } from '../token-claims.ts';
import { grantsOfRules, type JwksRule } from './jwks-rules.ts';
import { KeySetUnreadable, RemoteKeySet, type RemoteKeySetDeps } from './remote-key-set.ts';

/** `auth.jwks.*` of the configuration. */
export interface JwksConfig {
  readonly url: string;
  readonly issuer?: string;
  readonly audience: string;
  readonly algorithms: readonly ('RS256' | 'ES256')[];
  readonly rules: readonly JwksRule[];
}

/** How long a verified token is accepted before its signature is checked against the provider's keys again. */
const VERIFIED_MS = 15_000;
const CACHED_TOKENS = 10_000;

interface Verified {
  readonly caller: Caller;
  readonly verifiedMs: number;
}

/** Recognises tokens of an OIDC provider by its key set (mode jwks). */
export class JwksCredentials {
  readonly #config: JwksConfig;
  readonly #deps: Omit<RemoteKeySetDeps, 'url'>;
  readonly #keys: RemoteKeySet;
  readonly #verified = new BoundedCache<string, Verified>(CACHED_TOKENS);

  constructor(config: JwksConfig, deps: Omit<RemoteKeySetDeps, 'url'>) {
    this.#config = config;
    this.#deps = deps;
    this.#keys = new RemoteKeySet({ ...deps, url: config.url });
  }

  /** Undefined for tokens of other algorithms: those belong to other methods, or to none. */
  recognise(token: string, place: CredentialPlace): Caller | Promise<Caller> | undefined {
    const head = place === 'bearer' ? tokenHead(token) : undefined;
    const isMine = this.#config.algorithms.some((algorithm) => algorithm === head?.algorithm);
    if (!isMine) return undefined;
    const digest = createHash('sha256').update(token).digest('base64url');
    const known = this.#verified.get(digest);
    const nowMs = this.#deps.clock.monotonicMs();
    if (known !== undefined && nowMs - known.verifiedMs < VERIFIED_MS) return this.#admit(known.caller);
    return this.#verify(token).then((caller) => {
      this.#verified.set(digest, { caller, verifiedMs: nowMs });
      return this.#admit(caller);
    });
  }

  #admit(caller: Caller): Caller {
    if ((caller.expiresAt ?? 0) <= this.#deps.clock.nowMicros()) throw credentialsExpired();
    return caller;
  }

  async #verify(token: string): Promise<Caller> {
    const { audience, issuer, algorithms, rules } = this.#config;
    const jose = await import('jose');
    const { payload } = await jose
      .jwtVerify(token, this.#keys.keyFor, {
        algorithms: [...algorithms],
        audience,
        ...(issuer === undefined ? {} : { issuer }),
        requiredClaims: ['sub', 'exp'],
        clockTolerance: TOKEN_SKEW_SECONDS,
        currentDate: new Date(this.#deps.clock.nowMicros() / 1_000),
      })
      .catch((error: unknown) => refuse(error, jose.errors));
    const { sub, exp = 0 } = payload;
    if (typeof sub !== 'string' || sub === '') throw credentialsInvalid();
    return Object.freeze({
      identity: subjectIdentity(sub),
      subject: sub,
      mode: 'jwks',
      grants: grantsOf(payload, rules),
      expiresAt: expiryMicros(exp, TOKEN_SKEW_SECONDS),
    });
  }
}

/** A token of the provider alone gives no access: it must carry grants, or match a rule. */
const grantsOf = (payload: JWTPayload, rules: readonly JwksRule[]): Caller['grants'] => {
  const carried = grantsOfClaims(payload);
  if (carried !== undefined) return carried;
  const given = grantsOfRules(rules, payload);
  if (given.length > 0) return given;
  throw grantMissing(payload, 'no rule of auth.jwks.rules fits it');
};

/** Everything wrong with a token or its key has the same answer, except that it has expired. */
const refuse = (error: unknown, { JOSEError, JWTExpired }: typeof errors): never => {
  if (error instanceof JWTExpired) throw credentialsExpired();
  if (error instanceof KeySetUnreadable)
    throw new Fault('UNAUTHENTICATED', 'CREDENTIALS_INVALID', 'the credential cannot be checked at the moment', {
      cause: error,
    });
  // Keys that are too short or of another type are TypeErrors of the library.
  if (error instanceof JOSEError || error instanceof TypeError) throw credentialsInvalid();
  throw error;
};
