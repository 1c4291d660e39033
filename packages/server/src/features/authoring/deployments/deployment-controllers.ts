import type { Reconciler } from '../../../controllers/contract.ts';
import { findKind } from '../../../resources/index.ts';
import type { ResourceChange, ResourceKey, ResourceReads } from '../../../store/contracts/index.ts';
import { passOverDeployment } from './deployment-pass.ts';
import {
  deploymentKeyOf,
  deploymentsWhere,
  eachReplica,
  eachReplicaFor,
  eachReplicaIn,
  looksAt,
  usesTemplate,
} from './deployment-reads.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { objectId } from './rendering/index.ts';
import { passOverReplica } from './replica-pass.ts';

const RESYNC_MS = 300_000;
const DEBOUNCE_MS = 250;

/** Kinds whose changes concern deployments; replicas follow what they may render as well. */
const FOLLOWED: ReadonlySet<string> = new Set(['Deployment', 'DeploymentReplica', 'Template', 'Namespace']);

/** What keeps deployments true: their selection and status, and what each replica renders. */
export const deploymentControllers = (deps: DeploymentsDeps): readonly Reconciler[] => [
  {
    name: 'deployment',
    kinds: ['Deployment'],
    resyncMs: RESYNC_MS,
    debounceMs: DEBOUNCE_MS,
    concerns: ({ resource }) => FOLLOWED.has(resource.key.kind),
    keysFor: deploymentKeysFor(deps),
    reconcile: (key) => passOverDeployment(deps, key),
  },
  {
    name: 'deployment-replica',
    kinds: ['DeploymentReplica'],
    resyncMs: RESYNC_MS,
    debounceMs: DEBOUNCE_MS,
    concurrency: deps.limits.concurrency,
    concerns: ({ resource: { key } }) => FOLLOWED.has(key.kind) || findKind(key.kind)?.authorable === true,
    keysFor: replicaKeys,
    reconcile: (key) => passOverReplica(deps, key),
  },
];

/** Something else than the status: what controllers write about their own work wakes no one. */
const isSaid = ({ change, sections }: ResourceChange): boolean =>
  change !== 'updated' || sections.includes('spec') || sections.includes('metadata');

const deploymentKeysFor =
  (deps: DeploymentsDeps) =>
  async (change: ResourceChange, reads: ResourceReads): Promise<readonly ResourceKey[]> => {
    const { resource } = change;
    switch (resource.key.kind) {
      case 'Deployment':
        return isSaid(change) && change.change !== 'deleted' ? [resource.key] : [];
      case 'DeploymentReplica':
        return [deploymentKeyOf(resource)];
      case 'Template':
        return isSaid(change) ? deploymentsWhere(reads, usesTemplate(resource.key.name)) : [];
      case 'Namespace':
        return deploymentsWhere(reads, looksAt(deps.namespaces.stateOf(resource)));
      default:
        return [];
    }
  };

const replicaKeys = async (change: ResourceChange, reads: ResourceReads): Promise<readonly ResourceKey[]> => {
  const { resource } = change;
  switch (resource.key.kind) {
    case 'Deployment':
      return isSaid(change) ? replicasOf(reads, [resource.key]) : [];
    case 'DeploymentReplica':
      return isSaid(change) && change.change !== 'deleted' ? [resource.key] : [];
    case 'Namespace':
      return replicasAround(reads, resource.key.name);
    default: {
      const users =
        resource.key.kind === 'Template' && isSaid(change)
          ? await deploymentsWhere(reads, usesTemplate(resource.key.name))
          : [];
      return [...(await replicasOf(reads, users)), ...(await replicasRendering(reads, resource.key))];
    }
  }
};

const replicasOf = async (reads: ResourceReads, deployments: readonly ResourceKey[]): Promise<ResourceKey[]> => {
  const found: ResourceKey[] = [];
  for (const deployment of deployments) await eachReplica(reads, deployment, ({ key }) => found.push(key));
  return found;
};

/** Replicas for a namespace, and those in it, which rest while it is a tombstone. */
const replicasAround = async (reads: ResourceReads, namespace: string): Promise<readonly ResourceKey[]> => {
  const found: ResourceKey[] = [];
  await eachReplicaFor(reads, namespace, ({ key }) => found.push(key));
  await eachReplicaIn(reads, namespace, ({ key }) => found.push(key));
  return found;
};

/** Replicas that have something to do with an object: it is in their status by its id. */
const replicasRendering = async (reads: ResourceReads, object: ResourceKey): Promise<readonly ResourceKey[]> => {
  if (findKind(object.kind)?.authorable !== true) return [];
  const found: ResourceKey[] = [];
  const id = objectId(object);
  await eachReplicaFor(reads, object.namespace, ({ key, status }) => {
    if (status.includes(id)) found.push(key);
  });
  return found;
};
