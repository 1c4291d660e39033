import { Fault } from '../base/index.ts';
import { notAllowed, placeOf, roleNeeded, unscopedNeeded } from './access-denial.ts';
import { type Targets, targetsOf } from './access-targets.ts';
import type {
  AccessTarget,
  Authorizer,
  Caller,
  CallerGrant,
  EarlyAuthorizer,
  EarlyNames,
  OperationAccess,
  Role,
  TargetRule,
} from './contract.ts';
import { type AncestorsOf, coversTarget, hasRole, isUnscoped } from './grants.ts';

/** Targets looked up in a list, which may be as long as the request itself. */
const LISTED_TARGETS: ReadonlySet<TargetRule> = new Set(['batch', 'manifests']);

/** Targets of which `ns` names the namespace. */
const NAMED_BY_NS: ReadonlySet<TargetRule> = new Set(['fields', 'readable-fields', 'written-resource']);

/** Decides by the caller's grants and the names in the request alone: no reads, no waiting. */
export class GrantAuthorizer implements Authorizer, EarlyAuthorizer {
  readonly #ancestorsOf: AncestorsOf;

  constructor(ancestorsOf: AncestorsOf) {
    this.#ancestorsOf = ancestorsOf;
  }

  authorize({ need, target }: OperationAccess, request: unknown, caller: Caller): void {
    if (need === 'any') return;
    if (need === 'callback') {
      if (caller.registration !== undefined) return;
      throw new Fault('PERMISSION_DENIED', 'REGISTRATION', 'a callback secret is required');
    }
    for (const grant of caller.grants) if (isUnscoped(grant) && hasRole(grant.role, need)) return;
    this.#requireGrants(caller, need, targetsOf(target, request));
  }

  authorizeEarly(access: OperationAccess, { names, isComplete }: EarlyNames, caller: Caller): void {
    const { need, target } = access;
    if (need === 'any' || need === 'callback') return this.authorize(access, names, caller);
    if (isComplete && !LISTED_TARGETS.has(target)) return this.authorize(access, names, caller);
    const { ns = '' } = names as { readonly ns?: string };
    const isNamed = NAMED_BY_NS.has(target) && ns !== '' && ns !== '-';
    const mayCover = (grant: CallerGrant): boolean =>
      !isNamed || coversTarget(grant, { ...scopeOf(grant), namespace: ns }, this.#ancestorsOf);
    const covering = caller.grants.filter(mayCover);
    if (covering.some((grant) => hasRole(grant.role, need))) return;
    const place = isNamed ? placeOf({ namespace: ns }) : '';
    throw isNamed && covering.length === 0 ? notAllowed(caller, place) : roleNeeded(caller, need, place);
  }

  allows(caller: Caller, role: Role, target: AccessTarget): boolean {
    return caller.grants.some((grant) => hasRole(grant.role, role) && coversTarget(grant, target, this.#ancestorsOf));
  }

  readsSecrets(caller: Caller, target: AccessTarget): boolean {
    return caller.grants.some((grant) => grant.readSecrets && coversTarget(grant, target, this.#ancestorsOf));
  }

  #requireGrants(caller: Caller, need: Role, targets: Targets): void {
    if (targets === 'own') {
      if (caller.grants.some((grant) => hasRole(grant.role, need))) return;
      throw roleNeeded(caller, need, '');
    }
    if (targets === 'all') {
      const isKnown = caller.grants.some(isUnscoped);
      throw isKnown ? roleNeeded(caller, need, '') : unscopedNeeded(caller);
    }
    for (const target of targets) this.#requireTarget(caller, need, target);
  }

  #requireTarget(caller: Caller, need: Role, target: AccessTarget): void {
    if (this.allows(caller, need, target)) return;
    const place = placeOf(target);
    throw this.allows(caller, 'viewer', target) ? roleNeeded(caller, need, place) : notAllowed(caller, place);
  }
}

/** The narrowest grant that covers the target: everything that the target names. */
const scopeOf = ({ agent, session, channel }: CallerGrant): AccessTarget => ({
  ...(agent === undefined ? {} : { agent }),
  ...(session === undefined ? {} : { session }),
  ...(channel === undefined ? {} : { channel }),
});
