import type { Grant } from '@svc/api/data';

/** Roles, each with everything that those before it may do. */
const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What an action touches; fields that are left out mean "anywhere that the grant covers". */
export interface Target {
  readonly ns?: string | undefined;
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly channel?: string | undefined;
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

const rank = (role: string): number => ROLES.indexOf(role as Role);

const covers = (grant: Grant, { ns, agent, sessionId, channel }: Target, rights: Rights): boolean => {
  if (grant.namespace === undefined || ns === undefined) return true;
  if (ns !== grant.namespace && !rights.ancestorsOf(ns).includes(grant.namespace)) return false;
  return isWithin(grant.agent, agent) && isWithin(grant.session, sessionId) && isWithin(grant.channel, channel);
};

const isWithin = (narrow: string | undefined, asked: string | undefined): boolean =>
  narrow === undefined || narrow === '' || narrow === asked;
