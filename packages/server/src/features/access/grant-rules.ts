import { create } from '@bufbuild/protobuf';
import { type Grant, GrantSchema } from '@svc/api/data';
import type { CallerGrant } from '../../auth/contract.ts';
import {
  type AncestorsOf,
  CREDENTIAL_GRANTS_MAX,
  coversGrant,
  coversTarget,
  hasRole,
  isRole,
  isUnscoped,
} from '../../auth/index.ts';
import { Fault, type FieldViolation, invalidFields } from '../../base/index.ts';

const SCOPES = ['namespace', 'agent', 'session', 'channel'] as const;
const NEEDS = { agent: 'namespace', channel: 'namespace', session: 'agent' } as const;
const SCOPE_MAX = 253;

/** The grants a caller asks a credential to carry; INVALID_ARGUMENT with every violation (API-4.2). */
export const readGrants = (messages: readonly Grant[]): readonly CallerGrant[] => {
  const violations: FieldViolation[] = [];
  const refuse = (field: string, description: string): void => {
    violations.push({ field, description, reason: 'FIELD_INVALID' });
  };
  if (messages.length === 0) refuse('grants', 'must hold at least one grant');
  if (messages.length > CREDENTIAL_GRANTS_MAX) refuse('grants', `must hold at most ${CREDENTIAL_GRANTS_MAX} grants`);
  const grants = messages.flatMap((message, index) => readGrant(message, `grants[${index}]`, refuse) ?? []);
  if (violations.length > 0) throw invalidFields(violations);
  return grants;
};

const readGrant = (
  message: Grant,
  field: string,
  refuse: (field: string, description: string) => void,
): CallerGrant | undefined => {
  const { role, readSecrets } = message;
  const scopes = SCOPES.flatMap((scope) => (message[scope] === undefined ? [] : [[scope, message[scope]] as const]));
  for (const [scope, value] of scopes)
    if (value === '' || value.length > SCOPE_MAX) refuse(`${field}.${scope}`, `must have 1 to ${SCOPE_MAX} characters`);
  for (const [scope, needed] of Object.entries(NEEDS))
    if (message[scope as keyof typeof NEEDS] !== undefined && message[needed] === undefined)
      refuse(`${field}.${needed}`, `is needed by ${scope}`);
  if (isRole(role)) return { role, readSecrets, ...Object.fromEntries(scopes) };
  refuse(`${field}.role`, 'must be viewer, operator or admin');
  return undefined;
};

/** Grants as the API shows them. */
export const grantMessage = (grant: CallerGrant): Grant => create(GrantSchema, grant);

/** True when every grant lies within one of the owner's. */
export const areWithin = (
  grants: readonly CallerGrant[],
  owner: readonly CallerGrant[],
  ancestorsOf: AncestorsOf,
): boolean => grants.every((inner) => owner.some((outer) => coversGrant(outer, inner, ancestorsOf)));

/** Nobody gives away more than they have: PERMISSION_DENIED ROLE or SCOPE, naming the first grant that goes beyond. */
export const requireWithin = (
  grants: readonly CallerGrant[],
  owner: readonly CallerGrant[],
  ancestorsOf: AncestorsOf,
): void => {
  for (const [index, inner] of grants.entries()) {
    if (areWithin([inner], owner, ancestorsOf)) continue;
    const reaching = owner.filter((outer) =>
      isUnscoped(inner) ? isUnscoped(outer) : coversTarget(outer, inner, ancestorsOf),
    );
    const why = reaching.length === 0 ? 'reaches beyond your grants' : beyond(inner, reaching);
    const reason = reaching.length === 0 ? 'SCOPE' : 'ROLE';
    throw new Fault('PERMISSION_DENIED', reason, `grants[${index}] ${why}`);
  }
};

const beyond = (inner: CallerGrant, reaching: readonly CallerGrant[]): string =>
  reaching.some((outer) => hasRole(outer.role, inner.role))
    ? 'reads secrets that you may not read'
    : `has role ${inner.role}, which you do not have there`;
