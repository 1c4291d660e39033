import type { ApiKey, Grant } from '@svc/api/data';

/** What a grant reaches, such as `everywhere`, `default and below` or `agent demo in default`. */
export const scopeText = ({ namespace, agent, session, channel }: Grant): string => {
  if (namespace === undefined) return 'everywhere';
  if (namespace === '') return 'nothing';
  if (session !== undefined) return `session ${session} of agent ${agent ?? ''} in ${namespace}`;
  if (agent !== undefined) return `agent ${agent} in ${namespace}`;
  if (channel !== undefined) return `channel ${channel} in ${namespace}`;
  return `${namespace} and below`;
};

/** Such as `operator on agent demo in default, reads secrets`. */
export const grantText = (grant: Grant): string =>
  `${grant.role} on ${scopeText(grant)}${grant.readSecrets ? ', reads secrets' : ''}`;

/** A grant in a form: empty texts are not set. */
export interface GrantDraft {
  readonly role: 'viewer' | 'operator' | 'admin';
  readonly namespace: string;
  readonly agent: string;
  readonly session: string;
  readonly channel: string;
  readonly readSecrets: boolean;
}

export const newGrant: GrantDraft = {
  role: 'viewer',
  namespace: '',
  agent: '',
  session: '',
  channel: '',
  readSecrets: false,
};

/** What is sent for a draft: a scope that is left empty is absent, since an empty one would cover nothing. */
export const grantOf = ({
  role,
  readSecrets,
  ...scope
}: GrantDraft): Pick<Grant, 'role' | 'readSecrets'> & Partial<Grant> => ({
  role,
  readSecrets,
  ...Object.fromEntries(Object.entries(scope).filter(([, value]) => value.trim() !== '')),
});

/** Whether a key works at a moment in Unix milliseconds. */
export const stateOfKey = ({ revokedAt, expiresAt }: ApiKey, nowMs: number): 'active' | 'expired' | 'revoked' => {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= BigInt(nowMs) * 1_000n ? 'expired' : 'active';
};

/** One right of one holder. */
export interface Holding {
  readonly holder: string;
  readonly grant: Grant;
}

/** The rights that reach a namespace; '' is all of them. `ancestorsOf` answers the namespaces above one. */
export const holdingsThatReach = (
  holdings: readonly Holding[],
  ns: string,
  ancestorsOf: (ns: string) => readonly string[],
): readonly Holding[] =>
  holdings.filter(({ grant: { namespace } }) => {
    if (ns === '' || namespace === undefined) return true;
    return namespace === ns || ancestorsOf(ns).includes(namespace);
  });
