import type { CallerGrant, Role } from '../contract.ts';
import type { Claims } from '../token-claims.ts';

/** One entry of `auth.jwks.rules`: tokens with this value in this claim get this grant. */
export interface JwksRule {
  /** Name of the claim, or a path through nested ones such as `realm_access.roles`. */
  readonly claim: string;
  readonly value: string;
  readonly role: Role;
  readonly namespace?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly channel?: string;
  readonly readSecrets?: boolean;
}

/** Claims that are lists in one text, separated by spaces (RFC 8693, and a habit of providers). */
const BLANK_LISTS: ReadonlySet<string> = new Set(['scope', 'scp']);

/** The grants that the rules give for these claims; none when no rule matches. */
export const grantsOfRules = (rules: readonly JwksRule[], claims: Claims): readonly CallerGrant[] =>
  rules
    .filter((rule) => valuesOf(rule.claim, claims).includes(rule.value))
    .map(({ claim: _claim, value: _value, readSecrets = false, ...grant }) => ({ ...grant, readSecrets }));

const valuesOf = (name: string, claims: Claims): readonly unknown[] => {
  const found = Object.hasOwn(claims, name) ? claims[name] : nested(name.split('.'), claims);
  if (Array.isArray(found)) return found;
  return BLANK_LISTS.has(name) && typeof found === 'string' ? found.split(' ') : [found];
};

const nested = (path: readonly string[], claims: Claims): unknown => {
  let at: unknown = claims;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Claims)[name];
  }
  return at;
};
