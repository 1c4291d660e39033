import { create } from '@bufbuild/protobuf';
import { type Grant, GrantSchema } from '@svc/api/data';
import type { Caller, CallerGrant } from '../../../auth/contract.ts';
import {
  type AncestorsOf,
  CREDENTIAL_GRANTS_MAX,
  coversGrant,
  coversTarget,
  hasRole,
  isRole,
  isUnscoped,
} from '../../../auth/index.ts';
import { Fault, type FieldViolation, invalidFields } from '../../../base/index.ts';
import { namespaceKey } from '../../../resources/index.ts';
import type { ReadTx } from '../../../store/contracts/index.ts';

const SCOPES = ['namespace', 'agent', 'session', 'channel'] as const;
const NEEDS = { agent: 'namespace', channel: 'namespace', session: 'agent' } as const;
const SCOPE_MAX = 253;

/** The grants a caller asks a credential to carry; INVALID_ARGUMENT with every violation. */
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

/** FAILED_PRECONDITION AUTH_REQUIRED where every call without a credential is an admin already, so that a new one would restrict nothing. */
export const requireRestriction = ({ mode }: Caller): void => {
  if (mode === 'none')
    throw new Fault(
      'FAILED_PRECONDITION',
      'AUTH_REQUIRED',
      'auth.mode is none, so every caller may do everything and a credential would restrict nothing; set auth.mode first',
    );
};

/**
 * FAILED_PRECONDITION NAMESPACE_MISSING for a grant on a namespace that does not exist, which mostly is a misspelt one, unless the
 * caller forces it: once somebody makes a namespace of that name, the credential reaches it.
 */
export const requireNamespaces = async (
  reads: Pick<ReadTx, 'resources'>,
  grants: readonly CallerGrant[],
  isForced: boolean,
): Promise<void> => {
  if (isForced) return;
  for (const [index, { namespace }] of grants.entries()) {
    if (namespace === undefined || (await reads.resources.get(namespaceKey(namespace))) !== undefined) continue;
    throw new Fault(
      'FAILED_PRECONDITION',
      'NAMESPACE_MISSING',
      `grants[${index}].namespace does not exist: ${namespace}; create it first, or set force`,
      { metadata: { ns: namespace, field: `grants[${index}].namespace` } },
    );
  }
};

/** No one gives away more than they have: PERMISSION_DENIED ROLE or SCOPE, naming the first grant that goes beyond. */
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
