import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/index.ts';
import type { Caller, CallerGrant } from './contract.ts';
import { credentialsExpired, credentialsInvalid, subjectIdentity } from './credentials.ts';
import { type Claims, expiryMicros, grantMissing, grantsOfClaims, parseTokenPart, tokenHead } from './token-claims.ts';

export interface JwtOptions {
  /** `auth.jwt.secret`. */
  readonly secret: string;
  /** `auth.jwt.audience`. */
  readonly audience: string;
  /** `auth.jwt.defaultGrants`: what a token without svc claims may do; if empty, such a token is refused. */
  readonly defaultGrants: readonly CallerGrant[];
}

/** Tolerated clock difference of issuers, in seconds. */
export const TOKEN_SKEW_SECONDS = 30;

/** True for a token of mode jwt: signed tokens with other algorithms belong to other methods, or to none. */
export const isJwtCredential = (token: string): boolean => tokenHead(token)?.algorithm === 'HS256';

/**
 * The caller of an HS256 token; sub, exp and aud are required, nbf is checked. Throws UNAUTHENTICATED for a token that is not valid,
 * PERMISSION_DENIED for a valid one that grants nothing or whose svc claims cannot be read.
 */
export const verifyJwt = (token: string, options: JwtOptions, clock: Clock): Caller => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  // Extensions that a token marks as critical are unknown here; ignoring them would misread the token.
  if (!isJwtCredential(token) || parseTokenPart(header)?.['crit'] !== undefined) throw credentialsInvalid();
  const expected = createHmac('sha256', options.secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw credentialsInvalid();
  const claims = parseTokenPart(payload);
  if (claims === undefined) throw credentialsInvalid();
  const expiresAt = checkTimes(claims, clock);
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '' || !hasAudience(claims, options.audience)) throw credentialsInvalid();
  const grants = grantsOfClaims(claims) ?? options.defaultGrants;
  if (grants.length === 0) throw grantMissing(claims, 'auth.jwt.defaultGrants is empty');
  return { identity: subjectIdentity(sub), subject: sub, mode: 'jwt', grants, expiresAt };
};

const checkTimes = (claims: Claims, clock: Clock): number => {
  const now = clock.nowMicros() / 1_000_000;
  const { exp, nbf } = claims;
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw credentialsInvalid();
  if (exp + TOKEN_SKEW_SECONDS <= now) throw credentialsExpired();
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf - TOKEN_SKEW_SECONDS > now)) throw credentialsInvalid();
  return expiryMicros(exp, TOKEN_SKEW_SECONDS);
};

const hasAudience = (claims: Claims, audience: string): boolean => {
  const { aud } = claims;
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
};
