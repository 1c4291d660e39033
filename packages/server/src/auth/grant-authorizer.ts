import { Fault } from '../base/index.ts';
import { type Targets, targetsOf } from './access-targets.ts';
import type { AccessTarget, Authorizer, Caller, Role } from './contract.ts';
import { type AncestorsOf, coversTarget, hasRole, isUnscoped } from './grants.ts';
import { operationAccess } from './operation-access.ts';

/** Decides by the caller's grants and the names in the request alone: no read, no wait (API-4.2). */
export class GrantAuthorizer implements Authorizer {
  readonly #ancestorsOf: AncestorsOf;

  constructor(ancestorsOf: AncestorsOf) {
    this.#ancestorsOf = ancestorsOf;
  }

  authorize(method: string, request: unknown, caller: Caller): void {
    const access = operationAccess.get(method);
    if (access === undefined) throw new Error(`no access rule for ${method}`);
    const { need, target } = access;
    if (need === 'any') return;
    if (need === 'callback') throw denied('REGISTRATION', 'a callback secret is required');
    for (const grant of caller.grants) if (isUnscoped(grant) && hasRole(grant.role, need)) return;
    this.#requireGrants(caller, need, targetsOf(target, request));
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
      throw denied('ROLE', `role ${need} is required`);
    }
    if (targets === 'all') {
      const isKnown = caller.grants.some(isUnscoped);
      throw isKnown ? denied('ROLE', `role ${need} is required`) : denied('SCOPE', 'an unscoped grant is required');
    }
    for (const target of targets) this.#requireTarget(caller, need, target);
  }

  #requireTarget(caller: Caller, need: Role, target: AccessTarget): void {
    if (this.allows(caller, need, target)) return;
    if (this.allows(caller, 'viewer', target)) throw denied('ROLE', `role ${need} is required`);
    throw denied('SCOPE', 'no grant covers what the request names');
  }
}

const denied = (reason: string, message: string): Fault => new Fault('PERMISSION_DENIED', reason, message);
