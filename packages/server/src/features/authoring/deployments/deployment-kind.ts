import type { DeploymentReplicaSpec, DeploymentSpec } from '@svc/api/resources';
import { Fault } from '../../../base/index.ts';
import { type KindContract, kindContract, type SpecWrite, type WriteOrigin } from '../../../controllers/contract.ts';
import type { LabelLimits } from '../../../resources/index.ts';
import { checkDeployment, mayPlace, selectorParent } from './deployment-rules.ts';
import { deploymentStatus, freshDeploymentStatus } from './deployment-status.ts';
import type { PlacementScope } from './placement/index.ts';
import { freshReplicaStatus, replicaStatus } from './replica-record.ts';

export interface DeploymentKindDeps {
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
  readonly labelLimits: LabelLimits;
  readonly placement: PlacementScope;
}

/**
 * How deployments are written, whichever operation writes them; replicas are written by their controller alone. A write says
 * nothing about the new spec: the controller judges it.
 */
export const deploymentContracts = (deps: DeploymentKindDeps): readonly KindContract[] => [
  kindContract<DeploymentSpec>({
    kind: 'Deployment',
    validate: ({ key, spec }) => checkDeployment({ name: key.name, spec }, deps.labelLimits),
    admit: async (_tx, write, origin) => requireParentScope(deps, write, origin),
    observe: async (tx, { current }) =>
      current === undefined ? freshDeploymentStatus(tx.now()) : deploymentStatus(current),
    // Also a change of labels or owners alone: labels are rendered, and a deployment goes with its owners.
    applied: async (tx, { current }, origin) => {
      if (current !== undefined && current.deletionTimestamp === undefined)
        await deps.placement.requireDeployment(tx, current, origin);
    },
    admitRemoval: (tx, resource, origin) => deps.placement.requireDeployment(tx, resource, origin),
  }),
  kindContract<DeploymentReplicaSpec>({
    kind: 'DeploymentReplica',
    validate: () => [],
    observe: async (tx, { current }) => (current === undefined ? freshReplicaStatus(tx.now()) : replicaStatus(current)),
    admitRemoval: (tx, resource, origin) => deps.placement.requireReplica(tx, resource, origin),
  }),
];

/** Throws PERMISSION_DENIED PARENT_SCOPE. */
const requireParentScope = (deps: DeploymentKindDeps, write: SpecWrite<DeploymentSpec>, origin: WriteOrigin): void => {
  if (!write.isSpecChanged) return;
  const { namespace } = write.key;
  const parent = selectorParent(namespace, write.spec);
  const grants = origin.caller.grants ?? [];
  if (mayPlace({ namespace, parent }, { grants, ancestorsOf: deps.ancestorsOf })) return;
  const what = parent === '' ? 'the root namespaces' : parent;
  throw new Fault('PERMISSION_DENIED', 'PARENT_SCOPE', `no admin grant covers ${what}`, {
    metadata: { ns: namespace, parent },
  });
};
