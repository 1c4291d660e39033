import { Fault } from '../base/index.ts';
import type { CallerGrant } from './contract.ts';
import { isRole } from './grants.ts';

/** Claims of a signed token, or a Grant object within them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Most grants of one credential, whatever its kind. */
export const CREDENTIAL_GRANTS_MAX = 64;

const GRANTS = 'svc:grants';
const ROLE = 'svc:role';
/** In tokens that svc signs: the API key with which the token was made. It grants nothing. */
export const KEY_CLAIM = 'svc:key';
/** As value of `svc:ns`: all namespaces and the instance itself. */
const EVERYTHING = '*';

type Scope = (typeof SCOPES)[number];
/** Scopes that need another scope to have a meaning. */
const NEEDS: readonly (readonly [Scope, Scope])[] = [
  ['agent', 'namespace'],
  ['channel', 'namespace'],
  ['session', 'agent'],
];
const SCOPES = ['namespace', 'agent', 'session', 'channel'] as const;
const GRANT_FIELDS: ReadonlySet<string> = new Set([...SCOPES, 'role', 'read_secrets', 'readSecrets']);
const CLAIMS = { namespace: 'svc:ns', agent: 'svc:agent', session: 'svc:session', channel: 'svc:channel' } as const;
const CLAIM_NAMES: ReadonlySet<string> = new Set([...Object.values(CLAIMS), ROLE, GRANTS, KEY_CLAIM]);
/** Frequent mistakes for svc claims, in lower case, and the claim that was meant. */
const ALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ns: 'ns',
    namespace: 'ns',
    namespaces: 'ns',
    role: 'role',
    roles: 'role',
    grant: 'grants',
    grants: 'grants',
    agent: 'agent',
    agents: 'agent',
    session: 'session',
    sessions: 'session',
    session_id: 'session',
    channel: 'channel',
    channels: 'channel',
  }),
);
const FORM = /^([\w-]+)\.[\w-]+\.[\w-]*$/;

/** What the header of a signed token says, unverified: enough to choose the method that verifies it. */
interface TokenHead {
  readonly algorithm: string;
  /** '' when absent. */
  readonly keyId: string;
}

/** The header of a signed token in compact form; undefined for any other credential. */
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

/** Micros at which a token expires, tolerance included; limited to the largest exact number, which is in the year 2255. */
export const expiryMicros = (expSeconds: number, skewSeconds: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.round((expSeconds + skewSeconds) * 1_000_000));

/**
 * Grants that a signed token carries: `svc:grants`, else the single claims `svc:ns`, `svc:agent`, `svc:session`, `svc:channel` with
 * `svc:role`. Undefined when it has no svc claim at all. Throws PERMISSION_DENIED, naming the claim, for everything that could be
 * read in two ways: an unknown or misspelt claim, null, a wrong type, a scope without a role. The signature must have been verified.
 */
export const grantsOfClaims = (claims: Claims): readonly CallerGrant[] | undefined => {
  const names = Object.keys(claims).filter((name) => /^svc:/i.test(name));
  for (const name of names)
    if (!CLAIM_NAMES.has(name)) throw claimRefused(name, `is not a claim of svc${suggestion(name)}`);
  if (Object.hasOwn(claims, GRANTS)) return listedGrants(claims[GRANTS]);
  return names.some((name) => name !== KEY_CLAIM) ? [singleGrant(claims)] : undefined;
};

/** PERMISSION_DENIED for a token without any grant; names a claim that looks like a misspelt svc claim. */
export const grantMissing = (claims: Claims, settings: string): Fault => {
  const alike = Object.keys(claims).find((name) => ALIKE.has(name.toLowerCase()));
  const hint =
    alike === undefined
      ? ''
      : `; its claim "${alike}" has no meaning here, did you mean "svc:${ALIKE.get(alike.toLowerCase())}"?`;
  return denied(
    alike ?? '',
    `the token grants nothing: it has neither svc:grants nor svc:ns with svc:role, and ${settings}${hint}`,
  );
};

const listedGrants = (list: unknown): readonly CallerGrant[] => {
  if (!Array.isArray(list)) throw claimRefused(GRANTS, 'must be a list of grants');
  if (list.length === 0) throw claimRefused(GRANTS, 'is empty, so the token grants nothing');
  if (list.length > CREDENTIAL_GRANTS_MAX) throw claimRefused(GRANTS, `has more than ${CREDENTIAL_GRANTS_MAX} grants`);
  return list.map((value, index) => readGrant(value, `${GRANTS}[${index}]`));
};

/** The grant of the single claims. Only `svc:ns: "*"` covers everything, so that a forgotten claim never does. */
const singleGrant = (claims: Claims): CallerGrant => {
  const scopes = SCOPES.flatMap((scope) => {
    const value = claims[CLAIMS[scope]];
    if (value === undefined) return [];
    if (typeof value !== 'string') throw claimRefused(CLAIMS[scope], 'must be a text');
    return [[scope, value] as const];
  });
  const role = claims[ROLE];
  if (role === undefined)
    throw claimRefused(
      ROLE,
      `is missing: ${scopes.map(([scope]) => CLAIMS[scope]).join(', ')} needs a role${misnamedRole(claims)}`,
    );
  if (typeof role !== 'string' || !isRole(role)) throw claimRefused(ROLE, 'must be viewer, operator or admin');
  const scope: Partial<Record<Scope, string>> = Object.fromEntries(scopes);
  for (const [inner, outer] of NEEDS)
    if (scope[inner] !== undefined && scope[outer] === undefined)
      throw claimRefused(CLAIMS[outer], `is missing: ${CLAIMS[inner]} needs it`);
  if (scope.namespace === undefined)
    throw claimRefused(CLAIMS.namespace, 'is missing: name a namespace, or "*" for everything');
  if (scope.namespace !== EVERYTHING) return { role, readSecrets: false, ...scope };
  if (scopes.length > 1)
    throw claimRefused(
      CLAIMS.namespace,
      `is "*", which cannot be narrowed by ${scopes
        .slice(1)
        .map(([name]) => CLAIMS[name])
        .join(', ')}`,
    );
  return { role, readSecrets: false };
};

const misnamedRole = (claims: Claims): string =>
  Object.hasOwn(claims, 'role') ? '; its claim "role" has no meaning here, did you mean "svc:role"?' : '';

/** A Grant object, with field names in either spelling. */
const readGrant = (value: unknown, at: string): CallerGrant => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw claimRefused(at, 'must be a grant, such as {"role": "viewer", "namespace": "acme"}');
  const grant = value as Claims;
  // A scope that is misspelt, or known only to a newer release, would open everything if it were ignored.
  for (const name of Object.keys(grant))
    if (!GRANT_FIELDS.has(name))
      throw claimRefused(
        `${at}.${name}`,
        `is not a field of a grant (${[...SCOPES, 'role', 'read_secrets'].join(', ')})`,
      );
  const { role } = grant;
  if (typeof role !== 'string' || !isRole(role)) throw claimRefused(`${at}.role`, 'must be viewer, operator or admin');
  const readSecrets = grant['read_secrets'] ?? grant['readSecrets'] ?? false;
  if (typeof readSecrets !== 'boolean') throw claimRefused(`${at}.read_secrets`, 'must be true or false');
  const scope: Partial<Record<Scope, string>> = {};
  for (const name of SCOPES) {
    const text = grant[name];
    if (text === undefined) continue;
    // Null does not mean absent either: an issuer without a value for a scope wants to give nothing, not everything.
    if (typeof text !== 'string')
      throw claimRefused(`${at}.${name}`, 'must be a text; leave it out to cover everything');
    if (text === EVERYTHING) throw claimRefused(`${at}.${name}`, 'cannot be "*"; leave it out to cover everything');
    scope[name] = text;
  }
  for (const [inner, outer] of NEEDS)
    if (scope[inner] !== undefined && scope[outer] === undefined)
      throw claimRefused(`${at}.${outer}`, `is missing: ${inner} needs it`);
  return { role, readSecrets, ...scope };
};

const suggestion = (name: string): string => {
  const known = ALIKE.get(name.slice('svc:'.length).toLowerCase());
  return known === undefined
    ? ` (${[...CLAIM_NAMES].filter((each) => each !== KEY_CLAIM).join(', ')})`
    : `; did you mean "svc:${known}"?`;
};

const claimRefused = (claim: string, text: string): Fault => denied(claim, `claim ${claim} of the token ${text}`);

const denied = (claim: string, message: string): Fault =>
  new Fault('PERMISSION_DENIED', 'SCOPE', message, claim === '' ? {} : { metadata: { claim } });
