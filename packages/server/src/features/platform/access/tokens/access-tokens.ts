import { createHash } from 'node:crypto';
import type { Caller, CallerGrant } from '../../../../auth/contract.ts';
import {
  type CredentialPlace,
  credentialsExpired,
  credentialsInvalid,
  grantsOfClaims,
  KEY_CLAIM,
  subjectIdentity,
  tokenHead,
} from '../../../../auth/index.ts';
import { BoundedCache, type Clock, type Ids } from '../../../../base/index.ts';
import type { TokenKeys } from './token-keys.ts';

const ALGORITHM = 'EdDSA';
const AUDIENCE = 'svc';
const CACHED_TOKENS = 10_000;

export interface AccessTokensDeps {
  readonly keys: TokenKeys;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'next'>;
  /** `iss` of new tokens: the address of the instance. */
  readonly issuer: string;
  /** Throws unless the API key still counts. */
  readonly requireLiveKey: (id: string) => void | Promise<void>;
}

export interface NewToken {
  readonly subject: string;
  readonly grants: readonly CallerGrant[];
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly apiKeyId: string | undefined;
}

/** A token that says who asks, for another service; it opens nothing here. */
export interface PlatformToken {
  readonly audience: string;
  readonly claims: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Tokens signed by the instance: made here, recognised here; nothing of them is stored. */
export class AccessTokens {
  readonly #deps: AccessTokensDeps;
  /** Verified tokens by their hash: a signature is checked once, expiry and the key behind it every time. */
  readonly #verified = new BoundedCache<string, Caller>(CACHED_TOKENS);

  constructor(deps: AccessTokensDeps) {
    this.#deps = deps;
  }

  async sign(token: NewToken): Promise<string> {
    const { SignJWT } = await import('jose');
    const { keys, clock, ids, issuer } = this.#deps;
    const claims = {
      'svc:grants': token.grants,
      ...(token.apiKeyId === undefined ? {} : { [KEY_CLAIM]: token.apiKeyId }),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: keys.own.id, typ: 'JWT' })
      .setSubject(token.subject)
      .setAudience(AUDIENCE)
      .setIssuer(issuer)
      .setIssuedAt(seconds(clock))
      .setExpirationTime(token.expiresAt)
      .setJti(ids.next())
      .sign(keys.own.privateKey);
  }

  /** Holds no grants, which makes it useless as a credential of this instance, whatever its audience. */
  async signPlatform({ audience, claims, expiresAt }: PlatformToken): Promise<string> {
    const { SignJWT } = await import('jose');
    const { keys, clock, ids, issuer } = this.#deps;
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: keys.own.id, typ: 'JWT' })
      .setAudience(audience)
      .setIssuer(issuer)
      .setIssuedAt(seconds(clock))
      .setExpirationTime(expiresAt)
      .setJti(ids.next())
      .sign(keys.own.privateKey);
  }

  /** The caller of a token of this instance; undefined for every credential that is signed otherwise, or not at all. */
  recognise(token: string, place: CredentialPlace): Caller | Promise<Caller> | undefined {
    const head = place === 'bearer' ? tokenHead(token) : undefined;
    if (head?.algorithm !== ALGORITHM) return undefined;
    const digest = createHash('sha256').update(token).digest('base64url');
    const known = this.#verified.get(digest);
    if (known !== undefined) return this.#admit(known);
    return this.#verify(token, head.keyId).then((caller) => {
      this.#verified.set(digest, caller);
      return this.#admit(caller);
    });
  }

  #admit(caller: Caller): Caller | Promise<Caller> {
    if ((caller.expiresAt ?? 0) <= this.#deps.clock.nowMicros()) throw credentialsExpired();
    const live = caller.apiKeyId === undefined ? undefined : this.#deps.requireLiveKey(caller.apiKeyId);
    return live instanceof Promise ? live.then(() => caller) : caller;
  }

  async #verify(token: string, keyId: string): Promise<Caller> {
    const { keys, clock } = this.#deps;
    const { errors, jwtVerify } = await import('jose');
    const key = await keys.find(keyId);
    if (key === undefined) throw credentialsInvalid();
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'svc:grants'],
      currentDate: new Date(clock.nowMicros() / 1_000),
    }).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired) throw credentialsExpired();
      if (error instanceof errors.JOSEError) throw credentialsInvalid();
      throw error;
    });
    const { sub = '', exp = 0, [KEY_CLAIM]: apiKeyId } = payload;
    return Object.freeze({
      identity: subjectIdentity(sub),
      subject: sub,
      mode: 'minted',
      grants: grantsOfClaims(payload) ?? [],
      expiresAt: exp * 1_000_000,
      ...(typeof apiKeyId === 'string' ? { apiKeyId } : {}),
    });
  }
}

const seconds = (clock: Clock): number => Math.floor(clock.nowMicros() / 1_000_000);
