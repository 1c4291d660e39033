import type { WhoAmIResponse } from '@svc/api/gateway';
import type { Client } from '@svc/client';
import { createContext, useContext } from 'react';
import { pageFacts } from '../page-facts.ts';
import type { Credential } from './credential.ts';
import { isAllowed, type Role, type Target } from './grant-rules.ts';
import type { NamespaceTree } from './namespace-tree.ts';

/** Who uses the page, and the client that acts for them. */
export interface Access {
  readonly client: Client;
  readonly credential: Credential;
  readonly whoAmI: WhoAmIResponse;
  /** Those that the person may see. */
  readonly namespaces: NamespaceTree;
  readonly signOut: () => void;
}

export const AccessContext = createContext<Access | undefined>(undefined);

export const useAccess = (): Access => {
  const access = useContext(AccessContext);
  if (access === undefined) throw new Error('used outside of the signed-in part of the page');
  return access;
};

export const useClient = (): Client => useAccess().client;

/** Whether an action is offered: the grants allow it, and the instance is not shown read-only. Reads ask for `viewer`. */
export const useCan = (): ((role: Role, target?: Target) => boolean) => {
  const { whoAmI, namespaces } = useAccess();
  const ancestorsOf = (ns: string): readonly string[] => namespaces.ancestorsOf(ns);
  return (role, target) =>
    !(pageFacts.readOnly && role !== 'viewer') && isAllowed({ grants: whoAmI.grants, ancestorsOf }, role, target);
};
