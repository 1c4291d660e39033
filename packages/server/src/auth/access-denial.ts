import { Fault } from '../base/index.ts';
import type { AccessTarget, Caller, CallerGrant, Role } from './contract.ts';

/** Grants that a refusal shows; the rest is counted. */
const SHOWN_GRANTS = 5;

/** PERMISSION_DENIED SCOPE: no grant of the caller covers `place`, such as `namespace acme`; lists what its grants cover instead. */
export const notAllowed = (caller: Caller, place: string): Fault =>
  new Fault('PERMISSION_DENIED', 'SCOPE', `not allowed in ${place}; ${ownGrants(caller)}`);

/** PERMISSION_DENIED SCOPE: only a grant without a scope is enough. */
export const unscopedNeeded = (caller: Caller): Fault =>
  new Fault('PERMISSION_DENIED', 'SCOPE', `a grant on everything is required; ${ownGrants(caller)}`);

/** PERMISSION_DENIED ROLE: the caller's grants cover the target, but with a lower role. */
export const roleNeeded = (caller: Caller, role: Role, place: string): Fault =>
  new Fault(
    'PERMISSION_DENIED',
    'ROLE',
    `role ${role} is required${place === '' ? '' : ` in ${place}`}; ${ownGrants(caller)}`,
  );

/** What a target names, for people: `namespace acme`, or `agent acme/helper`. */
export const placeOf = ({ namespace, agent, session, channel }: AccessTarget): string => {
  if (namespace === undefined || namespace === '') return 'the instance as a whole';
  if (session !== undefined) return `session ${namespace}/${agent ?? ''}/${session}`;
  if (agent !== undefined) return `agent ${namespace}/${agent}`;
  return channel === undefined ? `namespace ${namespace}` : `channel ${namespace}/${channel}`;
};

const ownGrants = ({ grants }: Caller): string => {
  if (grants.length === 0) return 'you have no grants';
  const shown = grants.slice(0, SHOWN_GRANTS).map(grantText).join(', ');
  const more = grants.length > SHOWN_GRANTS ? ` and ${grants.length - SHOWN_GRANTS} more` : '';
  return grants.length === 1 ? `your grant is ${shown}` : `your grants are ${shown}${more}`;
};

/** A grant as `svc apikey create --grant` accepts it, such as `viewer@acme/helper`; the role alone if it covers everything. */
const grantText = ({ role, namespace, agent, session, channel }: CallerGrant): string => {
  const scope = [namespace, agent, session, channel].filter((part) => part !== undefined).join('/');
  return scope === '' ? role : `${role}@${scope}`;
};
