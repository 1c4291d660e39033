import type { Grant } from '@svc/api/data';

/** Roles, each with everything that those before it may do. */
const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What an action touches; without any field it asks whether there is some place where it is allowed. */
export interface Target {
  readonly ns?: string | undefined;
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly channel?: string | undefined;
  /** The action concerns the whole instance: no grant for a part of it is enough. */
  readonly isEverywhere?: boolean;
}

/** Who asks, and which namespaces are above another. */
interface Rights {
  readonly grants: readonly Grant[];
  /** Names of the namespaces above `ns`, in any order. */
  readonly ancestorsOf: (ns: string) => readonly string[];
}

/**
 * True when one of the grants lets its holder do this. The server decides; the page only hides what would be refused, so a target
 * without a namespace asks whether there is any place where it is allowed.
 */
export const isAllowed = (rights: Rights, role: Role, target: Target = {}): boolean =>
  rights.grants.some((grant) => rank(grant.role) >= rank(role) && covers(grant, target, rights));

/** Where a change of a namespace itself is decided: in its parent, and for one at the root nowhere but in the whole instance. */
export const aboveOf = (name: string): Target => {
  const end = name.lastIndexOf(':');
  return end < 0 ? { isEverywhere: true } : { ns: name.slice(0, end) };
};

/** Where a write of a resource is decided; the name is '' while it has none. */
export const writtenIn = ({
  kind,
  ns,
  name,
}: {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
}): Target => {
  if (kind !== 'Namespace') return { ns };
  return name === '' ? {} : aboveOf(name);
};

const rank = (role: string): number => ROLES.indexOf(role as Role);

const covers = (grant: Grant, target: Target, rights: Rights): boolean => {
  const { namespace, agent, session, channel } = grant;
  const isUnscoped = [namespace, agent, session, channel].every((scope) => scope === undefined);
  if (isUnscoped) return true;
  if (target.isEverywhere === true || isMalformed(grant)) return false;
  const { ns } = target;
  if (ns === undefined) return true;
  const isNarrow = agent !== undefined || channel !== undefined;
  if (ns !== namespace) return !isNarrow && rights.ancestorsOf(ns).includes(namespace ?? '');
  return isWithin(agent, target.agent) && isWithin(session, target.sessionId) && isWithin(channel, target.channel);
};

/** The server takes a scope that is empty, or that misses what it lies in, for one that covers nothing. */
const isMalformed = ({ namespace, agent, session, channel }: Grant): boolean =>
  namespace === undefined ||
  [namespace, agent, session, channel].includes('') ||
  (session !== undefined && agent === undefined);

const isWithin = (scope: string | undefined, asked: string | undefined): boolean =>
  scope === undefined || scope === asked;
