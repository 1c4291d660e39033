import type { AccessTarget, CallerGrant, Role } from './contract.ts';

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** True when `role` may do what `needed` may do. */
export const hasRole = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed];

/** True for the name of a role. */
export const isRole = (text: string): text is Role => text === 'viewer' || text === 'operator' || text === 'admin';

/** A grant without any scope covers everything. */
export const isUnscoped = (grant: CallerGrant): boolean =>
  grant.namespace === undefined &&
  grant.agent === undefined &&
  grant.session === undefined &&
  grant.channel === undefined;

/** Ancestors of a namespace, nearest first, answered without waiting. */
export type AncestorsOf = (namespace: string) => readonly string[];

/** True when the grant's scope contains the target; an empty string in a scope covers nothing. */
export const coversTarget = (grant: CallerGrant, target: AccessTarget, ancestorsOf: AncestorsOf): boolean => {
  if (isUnscoped(grant)) return true;
  const { namespace, agent, session, channel } = grant;
  if (namespace === undefined || namespace === '' || target.namespace === undefined) return false;
  if (session !== undefined && agent === undefined) return false;
  if (agent === undefined && channel === undefined)
    return target.namespace === namespace || ancestorsOf(target.namespace).includes(namespace);
  if (target.namespace !== namespace) return false;
  if (agent !== undefined && (agent === '' || target.agent !== agent)) return false;
  if (session !== undefined && (session === '' || target.session !== session)) return false;
  return channel === undefined || (channel !== '' && target.channel === channel);
};

/** True when everything `inner` allows is allowed by `outer` as well: role, scope and reading of secrets. */
export const coversGrant = (outer: CallerGrant, inner: CallerGrant, ancestorsOf: AncestorsOf): boolean => {
  if (!hasRole(outer.role, inner.role) || (inner.readSecrets && !outer.readSecrets)) return false;
  if (isUnscoped(outer)) return true;
  if (isUnscoped(inner)) return false;
  return coversTarget(outer, inner, ancestorsOf);
};
