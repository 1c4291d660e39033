import { isFault } from '../../base/index.ts';
import { OAuthFailure, type OAuthFailureKind } from './contract.ts';
import type { Exchanges } from './exchanges.ts';

/** How many causes of an error are examined. */
const CAUSES = 8;

const TEXTS: Readonly<Record<OAuthFailureKind, string>> = {
  unreachable: 'the authorization server could not be reached',
  refused: 'the address of the authorization server is not allowed',
  unsupported: 'the authorization server lacks something that signing in needs',
  malformed: 'the authorization server does not keep to the standards',
  issuer: 'another authorization server answered than the one that was asked',
  client: 'the authorization server does not know svc as its client',
  grant: 'the authorization server does not accept this sign-in any more',
  rejected: 'the authorization server refused the request',
};

/** Errors of the standards (RFC 6749, RFC 7009, RFC 8707) and what they mean here. */
const CODES: Readonly<Record<string, OAuthFailureKind>> = {
  invalid_grant: 'grant',
  invalid_client: 'client',
  unauthorized_client: 'client',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
  too_many_requests: 'unreachable',
  unsupported_grant_type: 'unsupported',
  unsupported_response_type: 'unsupported',
};

/** Errors of the library by their names. */
const NAMES: Readonly<Record<string, OAuthFailureKind>> = {
  IssuerMismatchError: 'issuer',
  RegistrationRejectedError: 'rejected',
  InsecureTokenEndpointError: 'unsupported',
};

/** The failure with its usual text. */
export const failure = (kind: OAuthFailureKind, cause?: unknown): OAuthFailure =>
  new OAuthFailure(kind, TEXTS[kind], { cause });

/** The failure that an error of the library stands for, by what happened on the wire meanwhile. */
export const oauthFailureOf = (error: unknown, exchanges: Pick<Exchanges, 'problem'>): OAuthFailure => {
  const chain = causes(error);
  const own = chain.find((one) => one instanceof OAuthFailure);
  if (own instanceof OAuthFailure) return own;
  const fault = [...chain, ...causes(exchanges.problem)].find(isFault);
  if (fault !== undefined) return new OAuthFailure('refused', fault.message, { cause: error });
  for (const one of chain) {
    const { name, code } = one as { readonly name?: unknown; readonly code?: unknown };
    const kind = name === 'OAuthError' ? (CODES[String(code)] ?? 'rejected') : NAMES[String(name)];
    if (kind !== undefined) return failure(exchanges.problem === undefined ? kind : 'unreachable', error);
  }
  return failure(exchanges.problem === undefined ? 'malformed' : 'unreachable', error);
};

const causes = (error: unknown): readonly unknown[] => {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (typeof next === 'object' && next !== null && chain.length < CAUSES) {
    chain.push(next);
    next = (next as { readonly cause?: unknown }).cause;
  }
  return chain;
};
