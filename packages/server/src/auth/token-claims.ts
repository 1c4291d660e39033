import type { CallerGrant } from './contract.ts';
import { credentialsInvalid } from './credentials.ts';
import { isRole } from './grants.ts';

/** Claims of a signed token, or one Grant object among them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Most grants of one credential, whatever its kind. */
export const CREDENTIAL_GRANTS_MAX = 64;

const SCOPES = ['namespace', 'agent', 'session', 'channel'] as const;
const GRANT_FIELDS: ReadonlySet<string> = new Set([...SCOPES, 'role', 'read_secrets', 'readSecrets']);
const CLAIMS = { namespace: 'svc:ns', agent: 'svc:agent', session: 'svc:session', channel: 'svc:channel' } as const;
const FORM = /^([\w-]+)\.[\w-]+\.[\w-]*$/;

/** What the head of a signed token says about it, unverified: enough to tell which method it belongs to. */
export interface TokenHead {
  readonly algorithm: string;
  /** '' when absent. */
  readonly keyId: string;
}

/** The head of a signed token in compact form; undefined for any other credential. */
export const tokenHead = (token: string): TokenHead | undefined => {
  const [, text] = FORM.exec(token) ?? [];
  const head = text === undefined ? undefined : parseTokenPart(text);
  const { alg, kid } = head ?? {};
  return typeof alg === 'string' ? { algorithm: alg, keyId: typeof kid === 'string' ? kid : '' } : undefined;
};

/** The object in one part of a compact token; undefined when it holds none. */
export const parseTokenPart = (text: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Micros at which a token ends, skew included: never later than a number holds exactly, which is in the year 2255. */
export const expiryMicros = (expSeconds: number, skewSeconds: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.round((expSeconds + skewSeconds) * 1_000_000));

/** Grants of the claims: `svc:grants`, else the single claims; undefined when the token carries neither (API-4.1). */
export const grantsOfClaims = (claims: Claims): readonly CallerGrant[] | undefined => {
  const list = claims['svc:grants'];
  if (list !== undefined) {
    if (!Array.isArray(list) || list.length > CREDENTIAL_GRANTS_MAX) throw credentialsInvalid();
    return list.map(readGrant);
  }
  const single = Object.fromEntries(SCOPES.map((scope) => [scope, claims[CLAIMS[scope]]]));
  const role = claims['svc:role'];
  const isNamed = role !== undefined || Object.values(single).some((value) => value !== undefined);
  return isNamed ? [readGrant({ ...single, role: role === undefined ? 'admin' : role })] : undefined;
};

/** A Grant object in either spelling of its fields; anything else is no credential. */
const readGrant = (value: unknown): CallerGrant => {
  if (typeof value !== 'object' || value === null) throw credentialsInvalid();
  const grant = value as Claims;
  // A scope that is misspelt or that only a newer release knows would open everything if it were passed over.
  if (!Object.keys(grant).every((name) => GRANT_FIELDS.has(name))) throw credentialsInvalid();
  const { role } = grant;
  if (typeof role !== 'string' || !isRole(role)) throw credentialsInvalid();
  const readSecrets = grant['read_secrets'] ?? grant['readSecrets'] ?? false;
  if (typeof readSecrets !== 'boolean') throw credentialsInvalid();
  const scopes: [string, string][] = [];
  for (const scope of SCOPES) {
    const text = grant[scope];
    if (text === undefined) continue;
    // Nor is null read as left out: an issuer that has no value for a scope means to give nothing, not everything.
    if (typeof text !== 'string') throw credentialsInvalid();
    scopes.push([scope, text]);
  }
  return { role, readSecrets, ...Object.fromEntries(scopes) };
};
