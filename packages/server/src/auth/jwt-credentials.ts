import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/index.ts';
import type { Caller, CallerGrant } from './contract.ts';
import { credentialsExpired, credentialsInvalid, subjectIdentity } from './credentials.ts';
import { isRole } from './grants.ts';

export interface JwtOptions {
  /** `auth.jwt.secret`. */
  readonly secret: string;
  /** `auth.jwt.audience`. */
  readonly audience: string;
}

const SKEW_SECONDS = 30;
const GRANTS_MAX = 64;
const SCOPES = ['namespace', 'agent', 'session', 'channel'] as const;
const CLAIMS = { namespace: 'svc:ns', agent: 'svc:agent', session: 'svc:session', channel: 'svc:channel' } as const;

type Claims = Readonly<Record<string, unknown>>;

/** True for a text of three parts, as every signed token has. */
export const looksLikeJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);

/** The caller of an HS256 token; sub, exp and aud are required, nbf is checked (API-4.1). */
export const verifyJwt = (token: string, options: JwtOptions, clock: Clock): Caller => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (parsePart(header)['alg'] !== 'HS256') throw credentialsInvalid();
  const expected = createHmac('sha256', options.secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw credentialsInvalid();
  const claims = parsePart(payload);
  const expiresAt = checkTimes(claims, clock);
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '' || !hasAudience(claims, options.audience)) throw credentialsInvalid();
  return { identity: subjectIdentity(sub), subject: sub, mode: 'jwt', grants: grantsOf(claims), expiresAt };
};

const parsePart = (text: string): Claims => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Claims;
  } catch {
    throw credentialsInvalid();
  }
  throw credentialsInvalid();
};

const checkTimes = (claims: Claims, clock: Clock): number => {
  const now = clock.nowMicros() / 1_000_000;
  const { exp, nbf } = claims;
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw credentialsInvalid();
  if (exp + SKEW_SECONDS <= now) throw credentialsExpired();
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf - SKEW_SECONDS > now)) throw credentialsInvalid();
  return Math.round((exp + SKEW_SECONDS) * 1_000_000);
};

const hasAudience = (claims: Claims, audience: string): boolean => {
  const { aud } = claims;
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
};

/** Grants of the claims: `svc:grants`, else the single claims, else everything. */
const grantsOf = (claims: Claims): readonly CallerGrant[] => {
  const list = claims['svc:grants'];
  if (list !== undefined) {
    if (!Array.isArray(list) || list.length > GRANTS_MAX) throw credentialsInvalid();
    return list.map(readGrant);
  }
  const single = Object.fromEntries(SCOPES.map((scope) => [scope, claims[CLAIMS[scope]]]));
  const role = claims['svc:role'];
  const isNamed = role !== undefined || Object.values(single).some((value) => value !== undefined);
  if (!isNamed) return [{ role: 'admin', readSecrets: true }];
  return [readGrant({ ...single, role: role ?? 'admin' })];
};

/** A Grant object in either spelling of its fields; anything else is no credential. */
const readGrant = (value: unknown): CallerGrant => {
  if (typeof value !== 'object' || value === null) throw credentialsInvalid();
  const grant = value as Claims;
  const { role } = grant;
  if (typeof role !== 'string' || !isRole(role)) throw credentialsInvalid();
  const readSecrets = grant['read_secrets'] ?? grant['readSecrets'] ?? false;
  if (typeof readSecrets !== 'boolean') throw credentialsInvalid();
  const scopes: [string, string][] = [];
  for (const scope of SCOPES) {
    const text = grant[scope];
    if (text === undefined || text === null) continue;
    if (typeof text !== 'string') throw credentialsInvalid();
    scopes.push([scope, text]);
  }
  return { role, readSecrets, ...Object.fromEntries(scopes) };
};
