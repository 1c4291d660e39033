import { create } from '@bufbuild/protobuf';
import { DeploymentReplicaSpecSchema } from '@svc/api/resources';
import type { ReconcileOutcome, WriteOrigin } from '../../../controllers/contract.ts';
import { API_VERSION, recordKey } from '../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { deploymentSpec, eachReplica, findTemplates, ownsReplica } from './deployment-reads.ts';
import {
  DEPLOYMENT_LABEL,
  isSelected,
  managerOf,
  renderingVersion,
  replicaName,
  selectorParent,
  servedNames,
  TARGET_LABEL,
  type TargetNamespace,
} from './deployment-rules.ts';
import { departing, judgeDeployment, type ReplicaStanding } from './deployment-status.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { REPLICA_FINALIZER } from './replica-pass.ts';
import { renderingFacts, replicaSpec, replicaSummary } from './replica-record.ts';

/** Finalizer of a deployment from its first replica on until the last one is gone. */
const DEPLOYMENT_FINALIZER = 'svc/deployment';

/** Replicas made or removed per transaction. */
const BATCH = 50;

/** What is kept in memory of a replica; its status can be large. */
interface ReplicaFacts {
  readonly key: ResourceKey;
  readonly target: string;
  readonly isOwn: boolean;
  readonly isDeleting: boolean;
  readonly standing: ReplicaStanding;
}

interface World {
  readonly deployment: StoredResource;
  /** Of every namespace that is selected, by name. */
  readonly selected: readonly TargetNamespace[];
  /** Tombstones: their replicas rest until they come back or go. */
  readonly resting: ReadonlySet<string>;
  readonly replicas: readonly ReplicaFacts[];
  readonly missingTemplates: readonly string[];
  readonly templateVersions: readonly number[];
}

/** One pass over a deployment: its selection as replicas, and what they say as its status. */
export const passOverDeployment = async (deps: DeploymentsDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const deployment = await deps.store.direct.resources.get(key);
  if (deployment === undefined) return { done: true };
  if (deployment.deletionTimestamp !== undefined) return tearDown(deps, deployment);
  const own = await deps.namespaces.find(deps.store.direct, key.namespace);
  if (own === undefined || own.isDeleted) return { done: true };
  const world = await readWorld(deps, key);
  if (world === undefined) return { againMs: 0 };
  const present = new Set(world.replicas.map(({ target }) => target));
  const served = servedNames(
    world.selected.map(({ name }) => name),
    present,
    deps.limits.replicas,
  );
  const gone = unneeded(world, served);
  const missing = missingReplicas(world, served);
  await removeReplicas(deps, world.deployment, gone);
  const isWhole = await createReplicas(deps, world, missing);
  const isSame = gone.length === 0 && missing.length === 0;
  await writeStatus(deps, isSame ? world : await readWorld(deps, key));
  return isWhole ? { done: true } : { againMs: 0 };
};

/** The selection of one moment, then its replicas as they are met: there may be thousands, and they are read in pages. */
const readWorld = async (deps: DeploymentsDeps, key: ResourceKey): Promise<World | undefined> => {
  const selection = await deps.store.read((tx) => readSelection(deps, tx, key));
  if (selection === undefined) return undefined;
  const { deployment, version } = selection;
  const replicas: ReplicaFacts[] = [];
  const take = (replica: StoredResource): number => replicas.push(factsOf(deployment, replica, version));
  await eachReplica(deps.store.direct.resources, key, take);
  return { ...selection, replicas };
};

interface Selection extends Omit<World, 'replicas'> {
  /** `renderingVersion` of the deployment with its templates. */
  readonly version: string;
}

const readSelection = async (deps: DeploymentsDeps, tx: ReadTx, key: ResourceKey): Promise<Selection | undefined> => {
  const deployment = await tx.resources.get(key);
  if (deployment === undefined || deployment.deletionTimestamp !== undefined) return undefined;
  const { namespace, name } = key;
  const spec = deploymentSpec(deployment);
  const templates = await findTemplates(deps, tx, deployment);
  const children = await deps.namespaces.children(tx, selectorParent(namespace, spec));
  return {
    deployment,
    version: renderingVersion(deployment, templates),
    selected: children.filter((child) => isSelected({ namespace, name, spec }, child)),
    resting: new Set(children.filter(({ isDeleted }) => isDeleted).map((child) => child.name)),
    missingTemplates: spec.templates.filter((_name, index) => templates[index] === undefined),
    templateVersions: templates.flatMap((template) => (template === undefined ? [] : [template.version])),
  };
};

const factsOf = (deployment: StoredResource, replica: StoredResource, version: string): ReplicaFacts => {
  const { phase, isRenderFailed } = replicaSummary(replica);
  return {
    key: replica.key,
    target: replicaSpec(replica).targetNamespace,
    isOwn: ownsReplica(deployment, replica),
    isDeleting: replica.deletionTimestamp !== undefined,
    standing: { phase, isUpdated: renderingFacts(replica).version === version, isRenderFailed },
  };
};

/** Replicas of namespaces that have left the selection; those of a tombstone keep what a revival brings back. */
const unneeded = ({ replicas, resting }: World, served: readonly string[]): readonly ResourceKey[] => {
  const wanted = new Set(served);
  return replicas
    .filter(({ isOwn, isDeleting, target }) => isOwn && !isDeleting && !wanted.has(target) && !resting.has(target))
    .map(({ key }) => key);
};

const originOf = (deployment: StoredResource): WriteOrigin => ({
  requestId: '',
  operation: 'deployment',
  caller: { identity: managerOf(deployment.key) },
});

const removeReplicas = async (
  deps: DeploymentsDeps,
  deployment: StoredResource,
  keys: readonly ResourceKey[],
): Promise<void> => {
  const origin = originOf(deployment);
  for (let at = 0; at < keys.length; at += BATCH)
    await deps.store.write(async (tx) => {
      for (const key of keys.slice(at, at + BATCH)) {
        const replica = await tx.resources.get(key);
        if (replica !== undefined && replica.deletionTimestamp === undefined && ownsReplica(deployment, replica))
          await deps.writer.remove(tx, origin, { key, bySystem: true });
      }
    });
};

/** Namespaces of the selection that have no replica yet. */
const missingReplicas = ({ deployment, replicas }: World, served: readonly string[]): readonly string[] => {
  const present = new Set(replicas.map(({ key }) => key.name));
  return served.filter((target) => !present.has(replicaName(deployment.key.name, target)));
};

/** Makes the replicas that are missing; false when the deployment was changed meanwhile. */
const createReplicas = async (deps: DeploymentsDeps, world: World, missing: readonly string[]): Promise<boolean> => {
  const { key, uid, generation } = world.deployment;
  for (let at = 0; at < missing.length; at += BATCH) {
    const isCurrent = await deps.store.write(async (tx) => {
      const current = await tx.resources.get(key);
      if (current?.uid !== uid || current.generation !== generation || current.deletionTimestamp !== undefined)
        return false;
      await holdDeployment(deps, tx, current);
      for (const target of missing.slice(at, at + BATCH))
        await createReplica(deps, tx, { deployment: current, target });
      return true;
    });
    if (!isCurrent) return false;
  }
  return true;
};

/** From its first replica on a deployment waits for them when it is deleted. */
const holdDeployment = async (deps: DeploymentsDeps, tx: WriteTx, deployment: StoredResource): Promise<void> => {
  if (deployment.finalizers.includes(DEPLOYMENT_FINALIZER)) return;
  await deps.writer.writeStatus(tx, deployment.key, (current) => ({
    finalizers: [...current.finalizers, DEPLOYMENT_FINALIZER],
  }));
};

const createReplica = async (
  deps: DeploymentsDeps,
  tx: WriteTx,
  of: { readonly deployment: StoredResource; readonly target: string },
): Promise<void> => {
  const { deployment, target } = of;
  const { namespace, name } = deployment.key;
  const key = recordKey('DeploymentReplica', namespace, replicaName(name, target));
  if ((await tx.resources.get(key)) !== undefined) return;
  const kind = 'Deployment';
  const held = { controller: true, blockOwnerDeletion: true };
  await deps.writer.create(tx, originOf(deployment), {
    key,
    spec: create(DeploymentReplicaSpecSchema, { deploymentRef: { namespace, name }, targetNamespace: target }),
    owners: [{ apiVersion: API_VERSION, kind, namespace, name, uid: deployment.uid, ...held }],
    system: { labels: { [DEPLOYMENT_LABEL]: name, [TARGET_LABEL]: target } },
  });
  await deps.writer.writeStatus(tx, key, () => ({ finalizers: [REPLICA_FINALIZER] }));
};

/** What the replicas of one moment say, written at once, so that the counts add up for every reader. */
const writeStatus = async (deps: DeploymentsDeps, world: World | undefined): Promise<void> => {
  if (world === undefined) return;
  const { deployment, selected, replicas, missingTemplates, templateVersions } = world;
  const byTarget = new Map(replicas.filter(({ isOwn, isDeleting }) => isOwn && !isDeleting).map((r) => [r.target, r]));
  const standings = selected.map(
    ({ name }): ReplicaStanding =>
      byTarget.get(name)?.standing ?? { phase: undefined, isUpdated: false, isRenderFailed: false },
  );
  const names = replicas.map((replica) => replica.key.name).sort();
  const facts = { standings, replicas: names, missingTemplates, templateVersions, replicasMax: deps.limits.replicas };
  await deps.store.write((tx) =>
    deps.writer.writeStatus(tx, deployment.key, (current) =>
      // A spec that came meanwhile is judged by the pass that it wakes.
      current.uid === deployment.uid && current.generation === deployment.generation
        ? { status: judgeDeployment(current, facts, tx.now()) }
        : undefined,
    ),
  );
};

/** Removes every replica, which withdraws what it rendered; the last one lets the deployment go. */
const tearDown = async (deps: DeploymentsDeps, deployment: StoredResource): Promise<ReconcileOutcome> => {
  const { key, uid } = deployment;
  if (!deployment.finalizers.includes(DEPLOYMENT_FINALIZER)) return { done: true };
  const left: ResourceKey[] = [];
  await eachReplica(deps.store.direct.resources, key, (replica) => {
    if (ownsReplica(deployment, replica)) left.push(replica.key);
  });
  await removeReplicas(deps, deployment, left);
  await deps.store.write((tx) =>
    deps.writer.writeStatus(tx, key, (current) => {
      if (current.uid !== uid) return undefined;
      const status = departing(current);
      if (left.length > 0) return { status };
      return { status, finalizers: current.finalizers.filter((name) => name !== DEPLOYMENT_FINALIZER) };
    }),
  );
  return { done: true };
};
