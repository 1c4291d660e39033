import { openRecord, withoutPrivate } from '../../../resources/index.ts';
import { applyRank } from '../../../resources/manifest/index.ts';
import { type Ownership, readOwnership } from '../../../resources/merge/index.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { deploymentKeyOf, deploymentSpec, findTemplates, openTemplate, ownsReplica } from './deployment-reads.ts';
import { isSelected, managerOf, renderingVersion, type TargetNamespace } from './deployment-rules.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import {
  invalidReason,
  missingTemplate,
  type ObjectProblem,
  objectKey,
  type RenderedObject,
  renderTemplate,
} from './rendering/index.ts';
import { objectRecords, renderingFacts, replicaSpec, replicaStatus } from './replica-record.ts';

/** An object of the target namespace as it is now. */
export interface LiveObject {
  /** With readable values. */
  readonly live: StoredResource | undefined;
  readonly ownership: Ownership;
}

/** What a pass over a replica has to do, decided from what the store holds alone. */
export type ReplicaPlan =
  /** Nothing: the replica is gone, or what it depends on is closed to writes. */
  | { readonly kind: 'idle' }
  /** The replica itself goes: no one has a claim to it any more. */
  | { readonly kind: 'remove'; readonly replica: StoredResource }
  /** Everything it rendered goes, then the replica; `release` leaves the objects in place. */
  | { readonly kind: 'withdraw'; readonly replica: StoredResource; readonly release: boolean }
  | RenderPlan;

export interface RenderPlan {
  readonly kind: 'render';
  readonly replica: StoredResource;
  /** `renderingVersion` of what was read. */
  readonly version: string;
  /** In the order of application. */
  readonly objects: readonly RenderedObject[];
  readonly problems: readonly ObjectProblem[];
  /** Objects that nothing renders any more, in the order of deletion. */
  readonly withdrawn: readonly string[];
  /** Template by object id, of everything that is or stays rendered. */
  readonly templates: Readonly<Record<string, string>>;
}

const IDLE = { kind: 'idle' } as const;

/** Reads a replica and all that it depends on, and decides what to write and what to withdraw. */
export const planReplica = async (deps: DeploymentsDeps, tx: ReadTx, key: ResourceKey): Promise<ReplicaPlan> => {
  const replica = await tx.resources.get(key);
  if (replica === undefined) return IDLE;
  const isOrphaned = replica.owners.length === 0;
  if (replica.deletionTimestamp !== undefined) return { kind: 'withdraw', replica, release: isOrphaned };
  const deployment = await tx.resources.get(deploymentKeyOf(replica));
  if (isOrphaned || deployment === undefined || !ownsReplica(deployment, replica)) return { kind: 'remove', replica };
  const target = await deps.namespaces.find(tx, replicaSpec(replica).targetNamespace);
  const own = await deps.namespaces.find(tx, key.namespace);
  const { namespace, name } = deployment.key;
  const isOpen =
    deployment.deletionTimestamp === undefined &&
    own?.isDeleted === false &&
    target !== undefined &&
    isSelected({ namespace, name, spec: deploymentSpec(deployment) }, target);
  if (!isOpen) return IDLE;
  const templates = await findTemplates(deps, tx, deployment);
  return renderAll(deps, { replica, deployment, target, templates });
};

interface World {
  readonly replica: StoredResource;
  readonly deployment: StoredResource;
  readonly target: TargetNamespace;
  readonly templates: readonly (StoredResource | undefined)[];
}

const renderAll = (deps: DeploymentsDeps, world: World): RenderPlan => {
  const { replica, deployment, target, templates } = world;
  const { labels, annotations, key } = deployment;
  const place = {
    deployment: {
      name: key.name,
      namespace: key.namespace,
      labels: withoutPrivate(labels),
      annotations: withoutPrivate(annotations),
    },
    target,
  };
  const objects = new Map<string, RenderedObject>();
  const problems: ObjectProblem[] = [];
  for (const [index, name] of deploymentSpec(deployment).templates.entries()) {
    const record = templates[index];
    const rendering =
      record === undefined
        ? { problems: [missingTemplate(name)] }
        : renderTemplate(deps, openTemplate(record, target, deps.seal), place);
    if ('problems' in rendering) problems.push(...rendering.problems);
    else if (objects.has(rendering.object.id)) problems.push(sameName(rendering.object));
    else objects.set(rendering.object.id, rendering.object);
  }
  return {
    kind: 'render',
    replica,
    version: renderingVersion(deployment, templates),
    objects: [...objects.values()].sort((left, right) => applyRank(left.row.kind) - applyRank(right.row.kind)),
    problems,
    ...leftOver(replica, objects, problems),
  };
};

const sameName = ({ template, id }: RenderedObject): ObjectProblem => ({
  template,
  id,
  pointer: '/metadata/name',
  reason: invalidReason('/metadata/name'),
  message: 'another template of the deployment renders this object',
});

/**
 * What was rendered before and is not now. Objects of a template that cannot be rendered, or is missing, stay: a mistake in a
 * template must not delete what it once made.
 */
const leftOver = (
  replica: StoredResource,
  objects: ReadonlyMap<string, RenderedObject>,
  problems: readonly ObjectProblem[],
): Pick<RenderPlan, 'withdrawn' | 'templates'> => {
  const failed = new Set(problems.map(({ template }) => template));
  const before = renderingFacts(replica).templates;
  const known = [...objectRecords(replicaStatus(replica)).keys()].filter((id) => !objects.has(id));
  const stays = known.filter((id) => failed.has(before[id] ?? ''));
  return {
    withdrawn: inOrderOfDeletion(known.filter((id) => !stays.includes(id))),
    templates: Object.fromEntries([
      ...[...objects.values()].map(({ id, template }) => [id, template] as const),
      ...stays.map((id) => [id, before[id] ?? ''] as const),
    ]),
  };
};

/** Later ranks go first. */
export const inOrderOfDeletion = (ids: readonly string[]): readonly string[] =>
  [...ids].sort((left, right) => rankOf(right) - rankOf(left));

const rankOf = (id: string): number => applyRank(id.slice(0, id.indexOf('/')));

/** An object of a namespace with who owns what of it. */
export const readObject = async (deps: DeploymentsDeps, tx: ReadTx, key: ResourceKey): Promise<LiveObject> => {
  const record = await tx.resources.get(key);
  if (record === undefined) return { live: undefined, ownership: {} };
  return { live: openRecord(record, deps.seal), ownership: await readOwnership(tx, record.uid) };
};

/** The object that an id means in the target namespace of a replica. */
export const objectOf = (replica: StoredResource, id: string): ResourceKey | undefined =>
  objectKey(id, replicaSpec(replica).targetNamespace)?.key;

/** The manager in whose name a replica writes. */
export const managerOfReplica = (replica: StoredResource): string => managerOf(deploymentKeyOf(replica));
